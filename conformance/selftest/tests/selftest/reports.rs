//! The files that a run writes, and the commands that read them again.

use std::fs;
use std::path::{Path, PathBuf};

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse;
use lance_namespace_selftest::interpose::{interpose, json_of, ok};
use lance_namespace_selftest::mutants;
use lance_namespace_selftest::trial::serve;
use serde_json::{Value, json};

use crate::command_line::{exits, run};

const SCENARIO: &str = "put-if-not-exists/second-create-is-refused";

/// What `--report` writes.
const FILES: [&str; 5] = [
    "result.json",
    "report.html",
    "junit.xml",
    "summary.md",
    "badge.svg",
];

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("suite-{name}-{}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that is left behind is no failure.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The reports on a server that replaces versions.
async fn of_a_broken_server(folder: &Folder) {
    let broken = mutants::all()
        .find(|mutant| mutant.name == "create-overwrites")
        .unwrap();
    let served = serve(broken.wrap).await;
    let reports = folder.path("");
    let args = ["--server-url", served.url(), "--report", &reports];
    exits(
        &[&args[..], &["--scenario", "put-if-not-exists/*-create-*"]].concat(),
        1,
        "verdict: violation",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_fits_its_schema_and_is_verified() {
    let folder = Folder::new("result");
    of_a_broken_server(&folder).await;
    let text = folder.read("result.json");
    let result: Value = serde_json::from_str(&text).unwrap();
    let schema: Value = serde_json::from_str(include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../suite/result.schema.json"
    )))
    .unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(&result)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(result["environment"]["os"], std::env::consts::OS);
    assert_eq!(
        result["environment"]["command"][0],
        "lance-namespace-conformance"
    );
    let played = result["scenarios"].as_array().unwrap().len();
    assert_eq!(result["plan"].as_array().unwrap().len(), played);

    let file = folder.path("result.json");
    exits(&["verify", &file], 0, "complete, and as it was written");
    exits(&["verify", &file], 0, "requirements");
    exits(&["verify", "--whole", &file], 1, "not asked for");
    let tampered = folder.path("tampered.json");
    let better = text.replace(r#""verdict": "violation""#, r#""verdict": "conformant""#);
    fs::write(&tampered, better).unwrap();
    exits(&["verify", &tampered], 1, "altered: verdict");
    let old = text.replace(r#""schema": 3"#, r#""schema": 2"#);
    fs::write(&tampered, old).unwrap();
    exits(&["verify", &tampered], 2, "its schema is 2");
    exits(&["verify", "/nowhere/at/all.json"], 2, "cannot be read");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_report_tells_the_finding() {
    let folder = Folder::new("reports");
    of_a_broken_server(&folder).await;
    for file in FILES {
        let text = folder.read(file);
        let says = match file {
            "badge.svg" => "not conformant: versions",
            _ => "VER-2",
        };
        assert!(text.contains(says), "{file}: {text}");
    }
    // The result alone makes the same reports again.
    let again = Folder::new("again");
    let (file, into) = (folder.path("result.json"), again.path(""));
    exits(&["report", &file, &into], 0, "report.html");
    for file in FILES {
        assert_eq!(folder.read(file), again.read(file), "{file}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_got_worse_is_told_by_comparison() {
    let folder = Folder::new("comparison");
    of_a_broken_server(&folder).await;
    let broken = folder.path("result.json");
    let good = folder.path("good.json");
    let scenario = "put-if-not-exists/*-create-*";
    exits(&["--scenario", scenario, "--json", &good], 0, "conformant");
    let page = folder.path("comparison.html");
    let args = ["compare", &good, &broken, "--html", &page];
    exits(&args, 1, "pass -> fail (worse): ");
    exits(&["compare", &broken, &good], 0, "the second is no worse");
    exits(&["compare", &good, "/nowhere.json"], 2, "/nowhere.json");
    assert!(folder.read("comparison.html").contains(SCENARIO));
}

/// Secrets that a run is given, or that a server vends. Each begins with `SECRET`.
const API_KEY: &str = "SECRET-api-key-0001";
const HEADER: &str = "SECRET-header-0002";
const BAD: &str = "SECRET-bad-key-0003";
const OF_COMMAND: &str = "SECRET-command-0004";
const PASSWORD: &str = "SECRET-password-0005";
const VENDED: &str = "SECRET-vended-0006";

/// A server that vends credentials, and repeats in its headers and its errors all that it is sent.
fn indiscreet(honest: Router) -> Router {
    interpose(honest, async |honest, received| {
        let repeated = repeated(&received.headers);
        if received.is("/version/create") {
            let body = json!({
                "error": format!("not for {repeated}"), "code": 18, "detail": repeated,
                "storage_options": { "aws_secret_access_key": VENDED },
            });
            return (StatusCode::INTERNAL_SERVER_ERROR, ok(&body)).into_response();
        }
        if received.is("/list") || received.uri.path().contains("nope") {
            return (StatusCode::BAD_REQUEST, format!("not for {repeated}")).into_response();
        }
        let vends = received.is("/declare") || received.is("/describe");
        let answer = honest.answer(received).await;
        if !vends || !answer.status().is_success() {
            return ([("x-repeated", repeated)], answer).into_response();
        }
        let mut body = json_of(answer).await;
        body["storage_options"] = json!({ "aws_secret_access_key": VENDED });
        ([("x-repeated", repeated)], ok(&body)).into_response()
    })
}

fn repeated(headers: &HeaderMap) -> String {
    let headers = headers.iter();
    let words = headers.map(|(name, value)| format!("{name}={}", value.to_str().unwrap()));
    words.collect::<Vec<_>>().join("; ")
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_in_any_output() {
    let folder = Folder::new("secrets");
    let histories = Folder::new("secret-histories");
    let killed = Folder::new("secrets-of-a-command");
    let served = serve(indiscreet).await;
    let url = served
        .url()
        .replace("http://", &format!("http://user:{PASSWORD}@"));
    let command = format!("sh -c 'echo $0 $1 >&2; exit 1' --password {OF_COMMAND} {{port}}");
    let (header, bad) = (format!("x-tenant: {HEADER}"), format!("x-api-key: {BAD}"));
    let (reports, kept) = (folder.path(""), histories.path(""));
    let mut output = Vec::new();
    let args = [
        "--server-url",
        &url,
        "--server-cmd",
        &command,
        "--api-key",
        API_KEY,
        "--header",
        &header,
        "--bad-credential",
        &bad,
        "--start-timeout",
        "5",
    ];
    let scenarios = [
        "put-if-not-exists/*",
        "authentication/*",
        "tables/*",
        "histories/*",
    ];
    let mut whole = args.to_vec();
    for scenario in &scenarios {
        whole.extend(["--scenario", scenario]);
    }
    whole.extend(["--report", &reports, "--history", &kept]);
    let ran = run(&whole);
    assert_eq!(
        ran.status.code(),
        Some(1),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    output.push(("the report".to_owned(), ran));
    // A server that is started has to do with an honest one only.
    let honest = serve(|honest| honest).await;
    let of_killed = killed.path("");
    let recovery = [
        "--server-url",
        honest.url(),
        "--server-cmd",
        &command,
        "--scenario",
        "recovery/versions-*",
        "--report",
        &of_killed,
    ];
    output.push(("a server that cannot be killed".to_owned(), run(&recovery)));
    // What a run that cannot begin says.
    let nowhere = [
        "--server-cmd",
        &command,
        "--api-key",
        API_KEY,
        "--start-timeout",
        "5",
    ];
    output.push(("a server that does not start".to_owned(), run(&nowhere)));
    let no_port = format!("my-server --password {OF_COMMAND}");
    let no_port = run(&["--server-cmd", &no_port]);
    output.push(("a command without a port".to_owned(), no_port));
    let refused = [&args[..], &["--namespace", "nope", "--scenario", SCENARIO]].concat();
    output.push(("a run that is refused".to_owned(), run(&refused)));

    let mut texts: Vec<(String, String)> = Vec::new();
    for (name, output) in output {
        let text = [output.stdout, output.stderr].concat();
        texts.push((name, String::from_utf8(text).unwrap()));
    }
    for folder in [&folder.0, &histories.0, &killed.0] {
        texts.extend(files(folder));
    }
    for file in FILES {
        assert!(texts.iter().any(|(name, _)| name.ends_with(file)), "{file}");
    }
    // The server has really repeated them.
    let result = folder.read("result.json");
    assert!(result.contains("x-repeated") && result.contains("x-tenant=redacted"));
    let result = killed.read("result.json");
    assert!(result.contains("--password redacted"), "{result}");
    for (name, text) in &texts {
        // Base64 of `user:` and the password begins so.
        for secret in ["SECRET", "dXNlcjpTRUNSRVQ"] {
            let found = text.lines().find(|line| line.contains(secret));
            assert!(found.is_none(), "{name}: {found:?}");
        }
    }
}

fn files(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .map(|path| {
            (
                path.display().to_string(),
                fs::read_to_string(path).unwrap(),
            )
        })
        .collect()
}
