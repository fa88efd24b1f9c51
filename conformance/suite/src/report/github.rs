//! The findings of a result as annotations that GitHub shows beside a job.

use std::collections::BTreeSet;

use crate::play::Status;
use crate::report::broken::broken;
use crate::requirement::Level;
use crate::result::RunResult;

/// How many annotations of one kind GitHub shows for a step.
const SHOWN: usize = 10;

/// One line for each requirement that is broken, the first to mend first: an error for a demand, a
/// warning for a recommendation, a notice for what is known to fail. GitHub shows ten of each.
#[must_use]
pub fn annotations(result: &RunResult) -> String {
    let known: BTreeSet<&str> = result
        .expectations
        .known
        .iter()
        .map(|known| known.scenario.as_str())
        .collect();
    let mut lines = Vec::new();
    for broken in broken(result) {
        let unknown = broken.shown_by.iter().find(|name| !known.contains(*name));
        let Some(name) = unknown.or(broken.shown_by.first()) else {
            continue;
        };
        let kind = match (unknown, broken.level) {
            (None, _) => "notice",
            (Some(_), Level::Must) => "error",
            (Some(_), _) => "warning",
        };
        let scenario = result.scenarios.iter().find(|each| each.id == *name);
        let finding = scenario.and_then(|scenario| {
            let mut findings = scenario.findings.iter();
            findings.find(|finding| finding.requirement == broken.requirement)
        });
        let actual = finding.map_or("", |finding| finding.actual.as_str());
        let title = format!("{} ({})", broken.requirement, broken.level);
        lines.push((kind, line(kind, &title, &format!("{name}: {actual}"))));
    }
    for scenario in &result.scenarios {
        if scenario.status == Status::Error {
            let reason = scenario.reason.as_deref().unwrap_or_default();
            let title = format!("not told: {}", scenario.id);
            lines.push(("error", line("error", &title, reason)));
        }
    }
    let of_kind = |kind: &'static str| {
        let lines = lines.iter().filter(move |(of, _)| *of == kind);
        lines.take(SHOWN).map(|(_, line)| line.as_str())
    };
    let kinds = ["error", "warning", "notice"];
    kinds.into_iter().flat_map(of_kind).collect()
}

/// A workflow command, in which the characters that end it or its parts stand as escapes.
fn line(kind: &str, title: &str, message: &str) -> String {
    let message = message.replace('%', "%25").replace('\r', "%0D");
    let message = message.replace('\n', "%0A");
    let title = title.replace('%', "%25").replace(':', "%3A");
    let title = title.replace(',', "%2C");
    format!("::{kind} title={title}::{message}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::result;

    #[test]
    fn a_finding_is_one_line_whatever_stands_in_it() {
        let mut result = result();
        let finding = &mut result.scenarios[0].findings[0];
        finding.actual = "50% of it\nwas lost".to_owned();
        let (requirement, level) = (finding.requirement.clone(), finding.level);
        let annotations = annotations(&result);
        let id = &result.scenarios[0].id;
        let wanted = format!("title={requirement} ({level})::{id}: 50%25 of it%0Awas lost\n");
        assert!(annotations.contains(&wanted), "{annotations}");
        assert!(annotations.lines().all(|line| line.starts_with("::")));
    }

    #[test]
    fn titles_keep_to_their_place() {
        let line = line("error", "a: b, c%", "d: e");
        assert_eq!(line, "::error title=a%3A b%2C c%25::d: e\n");
    }
}
