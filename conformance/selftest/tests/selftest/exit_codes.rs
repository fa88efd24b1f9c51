//! The table of exit codes in the book: each of its lines is played.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use lance_namespace_selftest::mutants;
use lance_namespace_selftest::trial::{Served, serve};

use crate::command_line::{COMMAND, exits, run};

const TABLE: &str = include_str!("../../../../docs/book/exit-codes.md");
const SCENARIO: &str = "put-if-not-exists/second-create-is-refused";
const OTHER: &str = "put-if-not-exists/created-version-is-there";
const NOWHERE: &str = "http://127.0.0.1:1";

/// What no test plays: a history that cannot be judged in reasonable time takes unreasonable time.
const NOT_PLAYED: [(&str, i32); 1] = [("check", 3)];

/// A folder that is removed with what is in it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("exit-codes-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    /// Two shards of a run, as files; their names.
    fn shards(&self, name: &str, more: &[&str]) -> [String; 2] {
        ["1", "2"].map(|number| {
            let file = self.path(&format!("{name}-{number}.json"));
            let shard = format!("{number}/2");
            let mut args = vec!["--shard", &shard, "--seed", "5", "--json", &file];
            args.extend(["--scenario", SCENARIO, "--scenario", OTHER]);
            args.extend(more);
            run(&args);
            file
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

async fn overwriting() -> Served {
    let mut all = mutants::all();
    let broken = all.find(|mutant| mutant.name == "create-overwrites");
    serve(broken.unwrap().wrap).await
}

/// The lines of the table: command and code.
fn lines() -> BTreeSet<(&'static str, i32)> {
    let cells = TABLE.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split('|');
        let command = cells.next()?.trim().strip_suffix('`')?;
        Some((command, cells.next()?.trim().parse().ok()?))
    });
    cells.collect()
}

/// Plays lines of the table, and notes which.
#[derive(Default)]
struct Played(BTreeSet<(&'static str, i32)>);

impl Played {
    #[track_caller]
    fn play(&mut self, command: &'static str, code: i32, args: &[&str]) {
        exits(&[&[command], args].concat(), code, "");
        self.0.insert((command, code));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_of_the_table_is_so() {
    let folder = Folder::new();
    let honest = serve(|honest| honest).await;
    let broken = overwriting().await;
    let mut played = Played::default();
    runs(&mut played, &folder, broken.url());
    merges(&mut played, &folder, broken.url());
    servers(&mut played, &folder, honest.url());
    results(&mut played, &folder);
    words(&mut played, &folder);
    #[cfg(unix)]
    served(&mut played);
    played.0.extend(NOT_PLAYED);
    assert_eq!(played.0, lines());
}

fn stale(folder: &Folder) -> String {
    let text = "[[expect]]\nscenario = \"ordering/gone\"\nreason = \"it was slow\"\n";
    folder.file("stale.toml", text)
}

fn runs(played: &mut Played, folder: &Folder, broken: &str) {
    let wrong = folder.file("wrong.toml", "[server]\nurls = []");
    let one = ["--scenario", SCENARIO];
    played.play("run", 0, &one);
    played.play("run", 1, &[&one[..], &["--server-url", broken]].concat());
    played.play("run", 2, &["--config", &wrong]);
    played.play("run", 3, &["--scenario", "nope*"]);
    played.play(
        "run",
        4,
        &[&one[..], &["--config", &stale(folder)]].concat(),
    );
}

fn merges(played: &mut Played, folder: &Folder, broken: &str) {
    let stale = stale(folder);
    for (code, name, more) in [
        (0, "good", &[][..]),
        (1, "broken", &["--server-url", broken]),
        (3, "late", &["--time-limit", "1ms"]),
        (4, "stale", &["--config", &stale]),
    ] {
        let [first, second] = folder.shards(name, more);
        played.play("merge", code, &[&first, &second]);
        if code == 0 {
            played.play("merge", 2, &[&first]);
        }
    }
}

fn servers(played: &mut Played, folder: &Folder, honest: &str) {
    let declaration = folder.path("conformance.toml");
    let init = ["--output", &declaration, "--server-url", honest];
    played.play("init", 0, &init);
    played.play("init", 2, &init);
    let elsewhere = folder.path("other.toml");
    played.play(
        "init",
        3,
        &["--output", &elsewhere, "--server-url", NOWHERE],
    );
    played.play("doctor", 0, &["--server-url", honest]);
    played.play("doctor", 2, &["--server-url", "ftp://host"]);
    played.play("doctor", 3, &["--server-url", NOWHERE]);
    played.play("cleanup", 0, &["abc", "--server-url", honest]);
    played.play("cleanup", 2, &["abc", "--server-url", "ftp://host"]);
    played.play("cleanup", 3, &["abc", "--server-url", NOWHERE]);
}

/// With the results that the merges have left.
fn results(played: &mut Played, folder: &Folder) {
    // Which shard the scenario is in that is broken is the plan's affair.
    let is_broken = |number: &&str| {
        let text = fs::read_to_string(folder.path(&format!("broken-{number}.json")));
        text.unwrap().contains("\"verdict\": \"violation\"")
    };
    let hit = ["1", "2"].into_iter().find(is_broken).unwrap();
    let miss = if hit == "1" { "2" } else { "1" };
    let good = folder.path(&format!("good-{hit}.json"));
    let broken = folder.path(&format!("broken-{hit}.json"));
    let other = folder.path(&format!("good-{miss}.json"));
    let missing = folder.path("none.json");
    let text = fs::read_to_string(&good).unwrap();
    let altered = folder.file(
        "altered.json",
        &text.replace("\"conformant\"", "\"violation\""),
    );
    played.play("verify", 0, &[&good]);
    played.play("verify", 1, &[&altered]);
    played.play("verify", 2, &[&missing]);
    played.play("compare", 0, &[&good, &good]);
    played.play("compare", 1, &[&good, &broken]);
    played.play("compare", 2, &[&good, &other]);
    played.play("report", 0, &[&good, &folder.path("report")]);
    played.play("report", 2, &[&missing, &folder.path("report")]);
}

fn words(played: &mut Played, folder: &Folder) {
    let broken = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/range-deleted-one-by-one.jsonl"
    );
    let histories = folder.path("histories");
    let race = "put-if-not-exists/one-winner-of-two-naming-schemes";
    let args = ["--scenario", race, "--history", &histories];
    exits(&args, 0, "verdict");
    let history = PathBuf::from(&histories).join(format!("{}.jsonl", race.replace('/', ".")));
    played.play("check", 0, &[history.to_str().unwrap()]);
    played.play("check", 1, &[broken]);
    played.play("check", 2, &[&folder.path("none.jsonl")]);
    played.play("explain", 0, &["VER-2"]);
    played.play("explain", 2, &["VER-99"]);
    played.play("list", 0, &[]);
    played.play("schema", 0, &["result"]);
    played.play("schema", 2, &["nothing"]);
    played.play("completions", 0, &["bash"]);
    played.play("completions", 2, &["no-shell"]);
    played.play("man", 0, &[]);
}

#[cfg(unix)]
fn served(played: &mut Played) {
    use std::io::{BufRead, BufReader};

    let mut server = Command::new(&*COMMAND)
        .args(["serve", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // It says where it listens, and is ready then.
    let mut url = String::new();
    BufReader::new(server.stdout.take().unwrap())
        .read_line(&mut url)
        .unwrap();
    let port = url.trim().rsplit(':').next().unwrap().to_owned();
    played.play("serve", 2, &["--listen", &format!("127.0.0.1:{port}")]);
    let interrupt = Command::new("kill")
        .args(["-INT", &server.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    assert_eq!(server.wait().unwrap().code(), Some(0));
    played.0.insert(("serve", 0));
}

#[test]
fn the_table_of_verdicts_is_one_in_all_places() {
    let rows = |text: &'static str| -> Vec<&'static str> {
        let lines = text.lines();
        lines
            .skip_while(|line| !line.ends_with("code | verdict |"))
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .collect()
    };
    let readme = rows(include_str!("../../../../README.md"));
    let book = rows(include_str!("../../../../docs/book/certify.md"));
    assert_eq!(readme.len(), 5, "{readme:?}");
    assert_eq!(readme, book);
}
