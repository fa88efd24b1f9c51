//! A run in shards, and what `merge` makes of their results.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use lance_namespace_selftest::mutants;
use lance_namespace_selftest::trial::serve;
use serde_json::Value;

use crate::command_line::{TESTS, exits, run};

/// Played quickly, and one of them is broken by a server that replaces versions.
const SCENARIOS: &str = "put-if-not-exists/*-is-refused";
const BROKEN: &str = "put-if-not-exists/second-create-is-refused";

/// A folder that is removed with what is in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("sharded-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&fs::read_to_string(self.0.join(name)).unwrap()).unwrap()
    }

    /// Plays a shard into the file of this name; answers what the command said, and its exit code.
    fn play(&self, shard: &str, name: &str, more: &[&str]) -> (String, i32) {
        let file = self.path(name);
        let mut args = vec![
            "run",
            "--shard",
            shard,
            "--scenario",
            SCENARIOS,
            "--json",
            &file,
        ];
        args.extend(more);
        if !more.contains(&"--seed") {
            args.extend(["--seed", "5"]);
        }
        let output = run(&args);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (said, output.status.code().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Of each scenario its name and how it came out.
fn statuses(result: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let scenarios = result["scenarios"].as_array().unwrap().iter();
    scenarios
        .map(|scenario| (text(&scenario["id"]), text(&scenario["status"])))
        .collect()
}

#[test]
fn shards_that_are_merged_say_what_the_whole_run_says() {
    let folder = Folder::new("whole");
    let whole = folder.path("whole.json");
    let args = ["--scenario", SCENARIOS, "--seed", "5", "--json", &whole];
    exits(&args, 0, "verdict: conformant");
    let names = ["1.json", "2.json", "3.json"];
    for (place, name) in names.into_iter().enumerate() {
        let number = place + 1;
        let (said, code) = folder.play(&format!("{number}/3"), name, &[]);
        assert_eq!(code, 0, "{said}");
        assert!(
            said.contains(&format!("verdict: shard {number} of 3: conformant")),
            "{said}"
        );
        assert!(!said.contains("\n  certified: "), "{said}");
        let result = folder.json(name);
        assert_eq!(result["plan"], folder.json("whole.json")["plan"]);
        assert_eq!(result["part"]["shard"], format!("{number}/3"));
        exits(
            &["verify", &folder.path(name)],
            0,
            &format!("shard {number} of 3"),
        );
        exits(
            &["verify", "--whole", &folder.path(name)],
            1,
            "every scenario of the suite",
        );
    }
    let report = folder.path("report");
    let [first, second, third] = names.map(|name| folder.path(name));
    // In whichever order.
    let merge = ["merge", &second, &third, &first, "--report", &report];
    exits(&merge, 0, "verdict: conformant\n");
    let (merged, of_one) = (folder.json("report/result.json"), folder.json("whole.json"));
    assert_eq!(statuses(&merged), statuses(&of_one));
    for field in ["plan", "planned", "executed", "verdict", "seed"] {
        assert_eq!(merged[field], of_one[field], "{field}");
    }
    assert_eq!(merged["server"]["tiers"], of_one["server"]["tiers"]);
    assert_eq!(merged["merged"].as_array().unwrap().len(), 3);
    for file in ["report.html", "junit.xml", "summary.md", "badge.svg"] {
        assert!(
            fs::metadata(folder.0.join("report").join(file))
                .unwrap()
                .len()
                > 0
        );
    }
    let merged = folder.path("report/result.json");
    exits(&["verify", &merged], 0, "complete, and as it was written");
    exits(&["compare", &whole, &merged], 0, "the second is no worse");
    exits(&["compare", &whole, &first], 2, "`merge` the parts first");
    exits(
        &["report", &merged, &folder.path("again")],
        0,
        "report.html",
    );
    exits(&["report", &first, &folder.path("one")], 0, "badge.svg");
    let badge = fs::read_to_string(folder.0.join("one/badge.svg")).unwrap();
    assert!(badge.contains("shard 1 of 3: conformant"), "{badge}");
}

#[test]
fn results_that_are_no_shards_of_one_run_are_refused() {
    let folder = Folder::new("refused");
    let file = |name: &str| folder.path(name);
    for (shard, name) in [("1/2", "1.json"), ("2/2", "2.json"), ("1/3", "of-3.json")] {
        folder.play(shard, name, &[]);
    }
    folder.play("2/2", "seed.json", &["--seed", "6"]);
    folder.play("2/2", "names.json", &["--tier", "versions"]);
    let whole = file("whole.json");
    exits(&["--scenario", BROKEN, "--json", &whole], 0, "");
    let first = file("1.json");
    for (other, says) in [
        (None, "there is no result of shard 2/2"),
        (Some("of-3.json"), "the numbers of shards are not the same"),
        (Some("seed.json"), "the seeds are not the same"),
        (Some("names.json"), "are no parts of one run"),
        (Some("1.json"), "shard 1/2 is in"),
        (Some("whole.json"), "is no part of a run"),
        (Some("gone.json"), "cannot be read"),
    ] {
        let other = other.map(file);
        let mut args = vec!["merge", first.as_str()];
        args.extend(other.as_deref());
        exits(&args, 2, says);
    }
    let tampered = fs::read_to_string(file("2.json")).unwrap();
    fs::write(
        file("tampered.json"),
        tampered.replacen("\"pass\"", "\"warn\"", 1),
    )
    .unwrap();
    let args = ["merge", &first, &file("tampered.json")];
    exits(&args, 2, "altered: scenario");
    exits(&["--shard", "1/2"], 2, "--seed");
    exits(&["--shard", "3/2", "--seed", "1"], 2, "1/4");
    let many = ["--shard", "2/3", "--seed", "1", "--scenario", BROKEN];
    exits(&many, 2, "cannot be divided into 3 shards");
}

#[tokio::test(flavor = "multi_thread")]
async fn known_failures_are_judged_of_the_whole() {
    let broken = mutants::all()
        .find(|mutant| mutant.name == "create-overwrites")
        .unwrap();
    let served = serve(broken.wrap).await;
    let folder = Folder::new("known");
    let config = folder.path("known.toml");
    let declare = |more: &str| {
        let text = format!(
            "[server]\nurl = \"{}\"\n[[expect]]\nscenario = \"{SCENARIOS}\"\nrequirement = \"VER-2\"\n\
             reason = \"no lock yet\"\n{more}",
            served.url()
        );
        fs::write(&config, text).unwrap();
    };
    let merge = || {
        let mut codes = Vec::new();
        for (shard, name) in [("1/2", "1.json"), ("2/2", "2.json")] {
            codes.push(folder.play(shard, name, &["--config", &config]).1);
        }
        codes.sort_unstable();
        codes
    };
    let [first, second] = ["1.json", "2.json"].map(|name| folder.path(name));
    let args = ["merge", &first, &second];

    // What fails as it is known to is in one shard; in the other the entry matches nothing that failed.
    declare("");
    let codes = merge();
    let alone = folder.path("alone.json");
    let whole = [
        "--config",
        &config,
        "--scenario",
        SCENARIOS,
        "--seed",
        "5",
        "--json",
        &alone,
    ];
    let whole_code = run(&whole).status.code().unwrap();
    assert!(codes.contains(&0) || whole_code != 0, "{codes:?}");
    let merged = run(&args);
    assert_eq!(merged.status.code(), Some(whole_code), "{codes:?}");

    // One entry that is stale in the whole, since it is about what passes in both shards.
    let passes = "[[expect]]\nscenario = \"put-if-not-exists/unknown-branch-is-refused\"\n\
                  reason = \"it was so once\"\n[[expect]]\nscenario = \"put-if-not-exists/*\"\n\
                  reason = \"any\"\n";
    declare(passes);
    assert!(!merge().contains(&2));
    let whole_code = run(&whole).status.code().unwrap();
    exits(&args, whole_code, "it does not fail any more");
}

/// As nextest runs them: each process plays what it is asked for, and writes a result of that.
#[test]
fn processes_that_run_tests_write_results_that_merge() {
    let folder = Folder::new("processes");
    let config = folder.path("tags.toml");
    fs::write(&config, "[server]\ntiers = [\"tags\"]\n").unwrap();
    let results = folder.path("results");
    let tests = |more: &[&str], seed: Option<&str>| {
        let mut command = Command::new(&*TESTS);
        command.args(more).args(["--config", &config]);
        command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
        command.env("LANCE_NAMESPACE_RESULTS", &results);
        command.env_remove("LANCE_NAMESPACE_SEED");
        if let Some(seed) = seed {
            command.env("LANCE_NAMESPACE_SEED", seed);
        }
        command.output().unwrap()
    };
    assert_eq!(tests(&["tags/"], None).status.code(), Some(2));
    // One of them again, as where a test is tried for the second time.
    for filter in [
        &["--exact", "tags/a-tag-names-its-version"][..],
        &["--exact", "tags/a-tag-names-its-version"],
        &["--skip", "tags/a-tag-names-its-version"],
    ] {
        let output = tests(filter, Some("7"));
        assert!(output.status.success(), "{output:?}");
    }
    let mut files: Vec<PathBuf> = fs::read_dir(&results)
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    assert_eq!(files.len(), 2, "{files:?}");
    let names: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
    let merged = [&["merge"][..], &names].concat();
    exits(&merged, 0, "certified: tags");
    // Names of files have no order that means anything.
    for alone in names {
        let missing = match alone.contains("a-tag-names-its-version") {
            true => "tags/update-moves-one-tag",
            false => "there is no result of tags/a-tag-names-its-version",
        };
        exits(&["merge", alone], 2, missing);
    }
}
