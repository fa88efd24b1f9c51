//! A small result, as tests of the reports show it.

use serde_json::{Value, json};

use crate::result::{RunResult, SCHEMA};

/// A result with a scenario of each status, one that was left out, and a finding that tries to be markup.
pub(crate) fn result() -> RunResult {
    let finding = json!({
        "requirement": "VER-2", "level": "must", "expected": "409",
        "actual": "<script>alert(1)</script>", "timeline": "<svg xmlns='x'/>",
        "exchanges": [{
            "operation": "CreateTableVersion", "curl": "curl -i 'http://host/a?b=\"c\"'",
            "request": { "method": "POST", "url": "http://host/a" },
            "response": { "status": 200, "headers": {}, "body": { "version": 1 } },
        }],
    });
    let warning = json!({
        "requirement": "REST-7", "level": "should", "expected": "code 14", "actual": "code 18",
        "exchanges": [],
    });
    let scenario = |id: &str, status: &str, findings: Vec<Value>| {
        json!({
            "id": id, "title": "A title.", "tier": "versions", "status": status, "seconds": 0.1,
            "requirements": ["VER-2"], "findings": findings, "observations": [],
            "transcript": ["one", "two"], "golden": ["one", "three"],
        })
    };
    let mut scenarios = [
        scenario("a/b", "fail", vec![finding]),
        scenario("a/c", "pass", vec![]),
        scenario("b/d", "warn", vec![warning]),
        scenario("b/e", "unsupported", vec![]),
        scenario("b/f", "error", vec![]),
    ];
    scenarios[3]["reason"] = json!("CreateTableVersion: 406 code 0");
    scenarios[4]["reason"] = json!("no answer came \u{1b}[31m]]> \u{0}");
    let result = json!({
        "schema": SCHEMA,
        "suite": {
            "version": "0.1.0", "protocol": "0.13.0", "scenarios": 7,
            "requirements_sha256": "0", "openapi_sha256": "0",
        },
        "environment": {
            "began": "2026-02-28T12:00:00Z", "os": "linux", "arch": "x86_64",
            "command": ["lance-namespace-conformance", "--seed", "7"],
        },
        "verdict": "violation", "plan": ["a/b", "a/c", "b/d", "b/e", "b/f", "recovery/x"],
        "planned": 5, "executed": 4,
        "left_out": [{ "id": "recovery/x", "lacks": "server-command" }], "seed": 7, "run": "7",
        "server": { "url": "http://host", "tiers": { "versions": "violation" } },
        "requests": 2, "seconds": 0.2, "leftovers": ["a$b"], "scenarios": scenarios, "digest": "",
    });
    serde_json::from_value::<RunResult>(result)
        .unwrap()
        .sealed()
}
