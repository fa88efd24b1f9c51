//! The golden transcripts: what each scenario writes against an honest server.

use similar::TextDiff;

/// The golden transcripts, by scenario, as insta stores them.
const GOLDEN: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/golden.rs"));

/// The golden transcript of a scenario; none if it has not been recorded.
#[must_use]
pub fn golden(scenario: &str) -> Option<&'static str> {
    GOLDEN
        .iter()
        .find(|(id, _)| *id == scenario)
        .map(|(_, snapshot)| contents(snapshot))
}

/// The scenarios that have a golden transcript.
pub fn recorded() -> impl Iterator<Item = &'static str> {
    GOLDEN.iter().map(|(id, _)| *id)
}

/// What follows insta's header.
fn contents(snapshot: &'static str) -> &'static str {
    let body = snapshot
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"))
        .map_or(snapshot, |(_, body)| body);
    body.trim_end_matches('\n')
}

/// The golden transcript against the actual one, as a unified diff without its header.
#[must_use]
pub fn diff(golden: &str, actual: &str) -> String {
    TextDiff::from_lines(
        format!("{golden}\n").as_str(),
        format!("{actual}\n").as_str(),
    )
    .unified_diff()
    .context_radius(2)
    .to_string()
    .trim_end()
    .to_owned()
}
