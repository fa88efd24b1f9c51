//! The result as JUnit XML, which CI systems read: one test suite a family, one test case a scenario.

use std::collections::BTreeMap;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use crate::play::Status;
use crate::report::broken::statement;
use crate::report::terminal::result_verdict;
use crate::requirement::Level;
use crate::result::{FindingResult, LeftOutResult, RunResult, ScenarioResult};

/// The result as JUnit XML. A broken demand is a `failure`, a scenario that could not be told an
/// `error`, one that is unsupported, was left out or is known to fail `skipped`; warnings, and what is
/// known to fail, stand in the test case's output.
#[must_use]
pub fn junit(result: &RunResult) -> String {
    let began = result.environment.began.as_str();
    let mut families: BTreeMap<&str, TestSuite> = BTreeMap::new();
    let mut took: BTreeMap<&str, f64> = BTreeMap::new();
    let played = result.scenarios.iter();
    let known = |scenario: &ScenarioResult| {
        let mut known = result.expectations.known.iter();
        let known = known.find(|known| known.scenario == scenario.id)?;
        let reasons = known.entries.iter();
        let reasons: Vec<&str> = reasons
            .map(|entry| entry.expectation.reason.as_str())
            .collect();
        Some(reasons.join("; "))
    };
    let played = played.map(|scenario| {
        let case = case(scenario, known(scenario));
        (scenario.id.as_str(), scenario.seconds, case)
    });
    let left_out = result.left_out.iter();
    let left_out = left_out.map(|left_out| (left_out.id.as_str(), 0.0, skipped(left_out)));
    for (id, seconds, mut case) in played.chain(left_out) {
        let family = id.split('/').next().unwrap_or_default();
        case.set_classname(family);
        *took.entry(family).or_default() += seconds;
        families
            .entry(family)
            .or_insert_with(|| {
                let mut suite = TestSuite::new(family);
                suite.timestamp = began.parse().ok();
                suite.add_property(("server", result.server.url.as_str()));
                suite.add_property(("seed", result.seed.to_string().as_str()));
                suite.add_property(("suite", result.suite.version.as_str()));
                suite
            })
            .add_test_case(case);
    }
    let mut report = Report::new(format!(
        "Lance Namespace conformance of {}: {}",
        result.server.url,
        result_verdict(result)
    ));
    report.timestamp = began.parse().ok();
    report.set_time(duration(result.seconds));
    for (family, mut suite) in families {
        suite.set_time(duration(took.get(family).copied().unwrap_or_default()));
        report.add_test_suite(suite);
    }
    // Writing to memory does not fail.
    report.to_string().unwrap_or_default()
}

fn case(scenario: &ScenarioResult, known: Option<String>) -> TestCase {
    let reason = scenario.reason.as_deref().unwrap_or_default();
    let of_level = |demanded: bool| {
        let findings = scenario.findings.iter();
        findings.filter(move |finding| (finding.level == Level::Must) == demanded)
    };
    let status = match (scenario.status, &known) {
        (Status::Pass | Status::Warn, _) => TestCaseStatus::success(),
        (Status::Fail, Some(why)) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("known failure: {why}"));
            status
        }
        (Status::Fail, None) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            let demanded: Vec<_> = of_level(true).collect();
            if let Some(first) = demanded.first() {
                status.set_type(first.requirement.as_str());
                status.set_message(format!("{}: {}", first.requirement, first.actual));
            }
            let told: Vec<String> = demanded.into_iter().map(words).collect();
            status.set_description(format!("{}\n\n{}", scenario.title, told.join("\n\n")));
            status
        }
        (Status::Unsupported, _) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(format!("unsupported: {reason}"));
            status
        }
        (Status::Error, _) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            status.set_message(reason);
            status
        }
    };
    let mut case = TestCase::new(scenario.id.as_str(), status);
    case.set_time(duration(scenario.seconds));
    let told = scenario.findings.iter();
    let told = told.filter(|finding| finding.level != Level::Must || known.is_some());
    let warnings: Vec<String> = told.map(words).collect();
    let open = scenario.observations.iter();
    let open = open.map(|seen| format!("left open ({}): {}", seen.requirement, seen.choice));
    let output: Vec<String> = warnings.into_iter().chain(open).collect();
    if !output.is_empty() {
        case.set_system_out(output.join("\n\n"));
    }
    case
}

fn skipped(left_out: &LeftOutResult) -> TestCase {
    let mut status = TestCaseStatus::skipped();
    status.set_message(format!("left out for want of {}", left_out.lacks.flag()));
    TestCase::new(left_out.id.as_str(), status)
}

/// A finding in words: the sentence, what was expected, what there was, and how to see it.
fn words(finding: &FindingResult) -> String {
    let FindingResult {
        requirement,
        level,
        expected,
        actual,
        exchanges,
        ..
    } = finding;
    let curl = match exchanges.last() {
        Some(last) => format!("\nthe last request as curl:\n  {}", last.curl),
        None => String::new(),
    };
    let statement = statement(requirement);
    format!("{requirement} ({level}): {statement}\nexpected: {expected}\nactual:   {actual}{curl}")
}

fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expectation::{Entry, Expectation};
    use crate::report::fixture::result;
    use crate::result::KnownResult;

    #[test]
    fn a_reader_finds_every_scenario_and_how_it_came_out() {
        let text = junit(&result());
        let report = Report::deserialize_from_str(&text).unwrap();
        assert_eq!(
            (report.tests, report.failures, report.errors, report.skipped),
            (6, 1, 1, 2),
            "{text}"
        );
        let suites: Vec<&str> = report.test_suites.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(suites, ["a", "b", "recovery"]);
        let case = |id: &str| {
            let mut cases = report
                .test_suites
                .iter()
                .flat_map(|suite| &suite.test_cases);
            cases.find(|case| case.name.as_str() == id).unwrap()
        };
        let TestCaseStatus::NonSuccess {
            kind: NonSuccessKind::Failure,
            ty,
            description,
            ..
        } = &case("a/b").status
        else {
            panic!("{text}");
        };
        assert_eq!(ty.as_ref().unwrap().as_str(), "VER-2");
        let description = description.as_ref().unwrap().as_str();
        assert!(description.contains("Creating a version that exists"));
        assert!(description.contains("<script>alert(1)</script>"));
        let warning = case("b/d").system_out.as_ref().unwrap();
        assert!(warning.as_str().contains("actual:   code 18"));
    }

    #[test]
    fn what_is_known_to_fail_is_skipped_with_its_reason() {
        let mut result = result();
        result.expectations.known.push(KnownResult {
            scenario: "a/b".to_owned(),
            entries: vec![Entry {
                place: "conformance.toml, line 1".to_owned(),
                expectation: Expectation {
                    reason: "the lock is not held".to_owned(),
                    ..Expectation::default()
                },
            }],
        });
        let text = junit(&result);
        let report = Report::deserialize_from_str(&text).unwrap();
        assert_eq!((report.failures, report.skipped), (0, 3), "{text}");
        assert!(text.contains("known failure: the lock is not held"));
        assert!(text.contains("VER-2 (must)"));
    }

    #[test]
    fn what_xml_cannot_hold_is_taken_out() {
        let text = junit(&result());
        assert!(!text.contains(['\u{0}', '\u{1b}']), "{text}");
        assert!(Report::deserialize_from_str(&text).is_ok());
    }
}
