//! What a declaration of a server does: settings, names, and failures that are known.

use std::path::PathBuf;

use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode};
use lance_namespace_selftest::interpose::{Honest, Received, error, interpose, json_of};
use lance_namespace_selftest::mutants;
use lance_namespace_selftest::naming::{Kind, Named};
use lance_namespace_selftest::trial::{Served, serve};
use lance_namespace_suite::declaration::Declaration;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use crate::command_line::exits;

const SCENARIO: &str = "put-if-not-exists/second-create-is-refused";

/// A folder that is removed with what is in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("declared-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

async fn overwriting() -> Served {
    let broken = mutants::all()
        .find(|mutant| mutant.name == "create-overwrites")
        .unwrap();
    serve(broken.wrap).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_known_failure_exits_0_and_is_never_plainly_conformant() {
    let served = overwriting().await;
    let folder = Folder::new("known");
    let known = format!(
        "[server]\nurl = \"{}\"\n[[expect]]\nscenario = \"{SCENARIO}\"\nreason = \"no lock yet\"\n",
        served.url()
    );
    let known_file = folder.file("known.toml", &known);
    let args = ["--config", &known_file, "--scenario", SCENARIO];
    exits(&args, 0, "verdict: conformant except 1 known failure");
    exits(&args, 0, "KNOWN FAILURE");
    exits(&args, 0, "no lock yet");

    let until = folder.file("until.toml", &format!("{known}until = 2020-01-31\n"));
    let args = ["--config", &until, "--scenario", SCENARIO];
    exits(&args, 4, "its last day is over");
    let later = folder.file("later.toml", &format!("{known}until = 2999-01-31\n"));
    exits(
        &["--config", &later, "--scenario", SCENARIO],
        0,
        "2999-01-31",
    );

    let often = folder.file("often.toml", &format!("{known}fails = \"1 of 3\"\n"));
    let args = ["--config", &often, "--scenario", SCENARIO];
    exits(&args, 1, "verdict: violation");

    // A failure that nobody knows weighs more than an expectation that is stale.
    let other = known.replace(SCENARIO, "ordering/gone");
    let other = folder.file("other.toml", &other);
    let args = ["--config", &other, "--scenario", SCENARIO];
    exits(&args, 1, "it matches nothing that the suite checks");
}

#[test]
fn an_expectation_of_what_passes_is_named() {
    let folder = Folder::new("passes");
    let text = format!("\n[[expect]]\nscenario = \"{SCENARIO}\"\nreason = \"no lock yet\"\n");
    let file = folder.file("passes.toml", &text);
    let args = ["--config", &file, "--scenario", SCENARIO];
    exits(&args, 4, "passes.toml, line 2");
    exits(&args, 4, "it does not fail any more");
    // What was not played says nothing.
    let elsewhere = "put-if-not-exists/created-version-is-there";
    exits(
        &["--config", &file, "--scenario", elsewhere],
        0,
        "verdict: conformant",
    );
}

#[test]
fn flags_win_over_what_is_declared() {
    let folder = Folder::new("flags");
    let text = "[server]\nurl = \"http://127.0.0.1:1\"\n[credentials]\napi_key = { env = \"NOT_SET_HERE\" }\n";
    let file = folder.file("c.toml", text);
    let args = ["--config", &file, "--scenario", SCENARIO];
    exits(&args, 2, "NOT_SET_HERE, which is not set");
    let args = [&args[..], &["--api-key", "a-key-that-is-given"]].concat();
    exits(&args, 3, "nothing answers at http://127.0.0.1:1");
    exits(
        &["--config", &folder.path("none.toml")],
        2,
        "init` writes one",
    );
}

#[test]
fn what_the_server_does_not_allow_is_left_out_and_said() {
    let folder = Folder::new("names");
    let args = |file| {
        let mut args = vec!["--config", file];
        args.extend(["--scenario", "namespaces/*", "--scenario", "identifiers/*"]);
        args
    };
    let shallow = folder.file("depth.toml", "[names]\nmax_depth = 1\n");
    exits(&args(&shallow), 0, "for want of deeper namespaces");
    let level = folder.file("level.toml", "[names]\ntable_depth = 4\n");
    exits(&args(&level), 0, "for want of tables at other levels");
    let plain = folder.file("plain.toml", "[names]\ncharacters = \"a-z0-9-\"\n");
    exits(&args(&plain), 0, "for want of other characters");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declaration_is_written_from_what_a_server_has_and_certifies_it() {
    let served = serve(|honest| honest).await;
    let folder = Folder::new("init");
    let file = folder.path("conformance.toml");
    let args = ["init", "--output", &file, "--server-url", served.url()];
    exits(&args, 0, "conformance.schema.json");
    exits(&args, 2, "replace it with --force");
    exits(&[&args[..], &["--force"]].concat(), 0, "wrote");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(
        text.starts_with("#:schema ./conformance.schema.json\n"),
        "{text}"
    );
    assert!(
        text.contains("\"batch\"") && text.contains("# data lacks"),
        "{text}"
    );
    let args = ["--config", &file, "--scenario", SCENARIO];
    exits(&args, 0, "not certified: ");
    exits(&args, 0, "versions (1 of ");
}

/// Servers that join by something else than `$`, whatever they are asked for.
#[tokio::test(flavor = "multi_thread")]
async fn another_delimiter_is_found_out() {
    let folder = Folder::new("delimiter");
    for (delimiter, written) in [
        ("/", "/"),
        // Found after the one that is its half.
        ("::", "::"),
        ("#", "#"),
        ("\u{1f}", "\\u001f"),
    ] {
        let encoded = utf8_percent_encode(delimiter, NON_ALPHANUMERIC).to_string();
        let served = serve(|honest| {
            interpose(honest, move |honest, received| async move {
                let read = received.with_query("delimiter", Some(delimiter));
                honest.answer(read).await
            })
        })
        .await;
        let file = folder.path(&format!("{encoded}.toml"));
        let args = ["init", "--output", &file, "--server-url", served.url()];
        exits(&args, 0, "wrote");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(
            text.contains(&format!("delimiter = \"{written}\"")),
            "{text}"
        );
        assert!(text.contains("\"versions\""), "{text}");
        exits(
            &["--config", &file, "--scenario", SCENARIO],
            0,
            "verdict: conformant",
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_doctor_says_what_to_change() {
    let served = serve(|honest| honest).await;
    exits(
        &["doctor", "--server-url", served.url()],
        0,
        "ok      storage",
    );
    exits(
        &["doctor", "--server-url", "http://127.0.0.1:1"],
        3,
        "is the server running there?",
    );
    let v1 = format!("{}/v1", served.url());
    exits(&["doctor", "--server-url", &v1], 3, "before /v1");
    let args = [
        "doctor",
        "--server-url",
        served.url(),
        "--namespace",
        "nowhere",
    ];
    exits(&args, 3, "change");
}

#[test]
fn the_schema_for_editors_is_that_of_this_build() {
    let text = serde_json::to_string_pretty(&Declaration::schema()).unwrap();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance.schema.json");
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(file, format!("{text}\n")).unwrap();
    }
    let committed = std::fs::read_to_string(file).unwrap();
    assert_eq!(
        committed.trim_end(),
        text,
        "write it again with `lance-namespace-conformance schema declaration >conformance/conformance.schema.json`"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn how_much_is_said_can_be_chosen() {
    let args = ["--scenario", SCENARIO];
    let quiet = crate::command_line::run(&[&args[..], &["--quiet"]].concat());
    assert!(quiet.stderr.is_empty(), "{quiet:?}");
    let said = String::from_utf8(quiet.stdout).unwrap();
    assert!(said.starts_with("verdict: conformant\n"), "{said}");
    exits(&[&args[..], &["-v"]].concat(), 0, "POST http://127.0.0.1:");
    exits(&args, 0, "[1/1] pass");
    let served = overwriting().await;
    let args = [
        "--server-url",
        served.url(),
        "--scenario",
        "put-if-not-exists/*-is-refused",
    ];
    exits(
        &[&args[..], &["--fail-fast", "--jobs", "1"]].concat(),
        1,
        "verdict: violation",
    );
    exits(&["completions", "bash"], 0, "lance-namespace-conformance");
    exits(&["man"], 0, ".TH lance-namespace-conformance");
    exits(&["explain", "VER-2"], 0, "why it matters");
    exits(&["explain", "VER-2"], 0, "against an honest server");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_namespaces_is_certified_by_tables_in_the_parent() {
    let mut honest = None;
    let served = serve(|router| {
        honest = Some(Honest::of(router.clone()));
        interpose(router, |honest, received| async move {
            match Named::of(&received) {
                Some(named) if named.asks(Kind::Namespace, "create") => {
                    error(StatusCode::NOT_ACCEPTABLE, 0)
                }
                _ => honest.answer(received).await,
            }
        })
    })
    .await;
    let honest = honest.unwrap();
    let url = served.url();
    let others = ["lance_conformance_50_s001_t", "orders"];
    for other in others {
        let declared = honest
            .post(&format!("/v1/table/{other}/declare"), &json!({}))
            .await;
        assert_eq!(declared.status(), StatusCode::OK);
    }
    let folder = Folder::new("flat");
    let file = folder.file("flat.toml", "[names]\nmax_depth = 0\n");
    let args = |families: &'static [&str]| {
        let mut args = vec!["--config", &file, "--server-url", &url, "--seed", "5"];
        args.extend(families.iter().flat_map(|family| ["--scenario", *family]));
        args
    };
    exits(
        &args(&["tables/*", "ordering/batch-*", SCENARIO]),
        0,
        "for want of deeper namespaces",
    );
    // Nothing of the run is left, and all else is.
    let listing = Received {
        method: Method::GET,
        uri: "/v1/namespace/$/table/list".parse().unwrap(),
        body: Bytes::new(),
        headers: HeaderMap::new(),
    };
    let left = json_of(honest.answer(listing).await).await;
    assert_eq!(left["tables"], json!(others));
    exits(
        &[
            "init",
            "--server-url",
            url,
            "--output",
            &folder.path("found.toml"),
        ],
        0,
        "",
    );
    let found = std::fs::read_to_string(folder.path("found.toml")).unwrap();
    assert!(found.contains("\nmax_depth = 0\n"), "{found}");
}
