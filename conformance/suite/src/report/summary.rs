//! The result as a page of Markdown: for the summary of a CI job, or a comment on a pull request.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::play::Status;
use crate::report::broken::{broken, statement};
use crate::report::terminal::{result_verdict, tier_outcome};
use crate::result::{FindingResult, RunResult, ScenarioResult};
use crate::run::Verdict;
use crate::scenario::Given;

/// GitHub takes 65,536 characters in a comment on a pull request, and more in the summary of a step. A
/// little is left for what others write there.
const LONGEST: usize = 64_000;

/// The most that is told of one scenario.
const LONGEST_SCENARIO: usize = 6_000;

/// How many broken requirements are named.
const FIRST: usize = 30;

const STATUSES: [Status; 5] = [
    Status::Pass,
    Status::Warn,
    Status::Fail,
    Status::Unsupported,
    Status::Error,
];

/// The result as Markdown of less than 65,536 characters; what is too much is left out, and the page says so.
#[must_use]
pub fn summary(result: &RunResult) -> String {
    let mut text = heading(result);
    fix_first(&mut text, result);
    left_out(&mut text, result);
    for (status, known, title) in [
        (Status::Fail, false, "Violations"),
        (Status::Error, false, "Not told"),
        (Status::Fail, true, "Known failures"),
        (Status::Warn, false, "Warnings"),
    ] {
        let scenarios: Vec<_> = result
            .scenarios
            .iter()
            .filter(|scenario| {
                scenario.status == status && result.known(&scenario.id).is_some() == known
            })
            .collect();
        if scenarios.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n### {title}: {}\n", scenarios.len());
        for (place, told) in scenarios.iter().enumerate() {
            let told = one(told);
            if text.len() + told.len() > LONGEST {
                let _ = writeln!(
                    text,
                    "\n{} more are left out here, for want of space: `report.html` and `result.json` \
                     have them all.",
                    scenarios.len() - place
                );
                break;
            }
            text.push_str(&told);
        }
    }
    text
}

fn heading(result: &RunResult) -> String {
    let sign = match result.verdict {
        Verdict::Conformant => "✅",
        Verdict::Violation => "❌",
        Verdict::Excepted | Verdict::Stale => "⚠️",
        Verdict::Inconclusive => "❔",
    };
    let mut text = format!(
        "## {sign} Lance Namespace conformance: {}\n\n{}: {} of {} scenarios told, {} requests in {:.1} s, \
         seed {}, suite {}.\n\n| tier | outcome |",
        result_verdict(result),
        code(&result.server.url),
        result.executed,
        result.own_plan().len(),
        result.requests,
        result.seconds,
        result.seed,
        result.suite.version,
    );
    for status in STATUSES {
        let _ = write!(text, " {} |", status.name());
    }
    text.push_str("\n|---|---|");
    text.push_str(&"---:|".repeat(STATUSES.len()));
    text.push('\n');
    for (tier, outcome) in &result.server.tiers {
        let _ = write!(text, "| {tier} | {} |", tier_outcome(*outcome));
        for status in STATUSES {
            let scenarios = result.scenarios.iter();
            let count = scenarios
                .filter(|scenario| scenario.tier == *tier && scenario.status == status)
                .count();
            let _ = write!(text, " {count} |");
        }
        text.push('\n');
    }
    text
}

fn fix_first(text: &mut String, result: &RunResult) {
    let broken = broken(result);
    if broken.is_empty() {
        return;
    }
    text.push_str("\n### What to fix first\n\n");
    for broken in broken.iter().take(FIRST) {
        let count = broken.shown_by.len();
        let scenarios = if count == 1 { "scenario" } else { "scenarios" };
        let stake = if broken.data_at_stake {
            ", data at stake"
        } else {
            ""
        };
        // The catalogue is ours, and what it marks as code is.
        let _ = writeln!(
            text,
            "1. **{}** ({}{stake}) {} Shown by {count} {scenarios}.",
            broken.requirement,
            broken.level,
            statement(broken.requirement)
        );
    }
    if broken.len() > FIRST {
        let _ = writeln!(text, "\nAnd {} more.", broken.len() - FIRST);
    }
}

fn left_out(text: &mut String, result: &RunResult) {
    if result.left_out.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n<details><summary>Left out: {} scenarios, of what the run was not given</summary>\n",
        result.left_out.len()
    );
    let mut scenarios: BTreeMap<Given, Vec<String>> = BTreeMap::new();
    for left_out in &result.left_out {
        let named = scenarios.entry(left_out.lacks).or_default();
        named.push(code(&left_out.id));
    }
    for (given, scenarios) in scenarios {
        let _ = writeln!(
            text,
            "- for want of {}: {}",
            code(given.flag()),
            scenarios.join(", ")
        );
    }
    text.push_str("\n</details>\n");
}

/// A scenario, folded up.
fn one(scenario: &ScenarioResult) -> String {
    let mut text = format!(
        "<details><summary><code>{}</code> {}</summary>\n",
        escaped(&scenario.id),
        escaped(&scenario.title)
    );
    if let Some(reason) = &scenario.reason {
        text.push_str(&block(reason));
    }
    for (place, told) in scenario.findings.iter().enumerate() {
        let told = finding(told);
        if text.len() + told.len() > LONGEST_SCENARIO {
            let left = scenario.findings.len() - place;
            let _ = writeln!(text, "\n{left} more findings are left out here.");
            break;
        }
        text.push_str(&told);
    }
    text.push_str("\n</details>\n");
    text
}

fn finding(finding: &FindingResult) -> String {
    let mut text = format!(
        "\n**{}** ({}) {}\n",
        finding.requirement,
        finding.level,
        statement(&finding.requirement)
    );
    let words = format!(
        "expected: {}\nactual:   {}",
        finding.expected, finding.actual
    );
    text.push_str(&block(&words));
    if let Some(last) = finding.exchanges.last() {
        text.push_str(&block(&last.curl));
    }
    text
}

/// Text of any kind in a line, as code.
fn code(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

/// Text of any kind as a block: its fence is longer than any that is in it.
fn block(text: &str) -> String {
    let longest = text.split(|other| other != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or_default().max(2) + 1);
    format!("\n{fence}text\n{}\n{fence}\n", text.trim_end())
}

/// Text that is neither markup nor Markdown, for a line of HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '\n' | '\r' => escaped.push(' '),
            '&' | '<' | '>' | '"' | '`' | '|' | '*' | '_' | '[' | ']' | '\\' | '~' | '@' | '#' => {
                // A reference is text wherever it stands.
                let _ = write!(escaped, "&#{};", u32::from(character));
            }
            plain => escaped.push(plain),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::result;
    use crate::requirement::catalogue;
    use crate::result::LeftOutResult;
    use crate::scenarios;

    #[test]
    fn it_says_the_verdict_the_tiers_and_what_to_fix() {
        let text = summary(&result());
        for part in [
            "## ❌ Lance Namespace conformance: violation",
            "| versions | violation | 1 | 1 | 1 | 1 | 1 |",
            "1. **VER-2** (must, data at stake) Creating a version that exists",
            "### Violations: 1",
            "### Warnings: 1",
            "for want of <code>--server-cmd</code>",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
    }

    #[test]
    fn what_a_server_says_is_fenced() {
        let mut result = result();
        result.scenarios[0].findings[0].actual = "````\n</details>\n# done".to_owned();
        let text = summary(&result);
        let fence = "`".repeat(5);
        let (_, after) = text.split_once(&format!("{fence}text\n")).unwrap();
        let (inside, _) = after.split_once(&format!("\n{fence}\n")).unwrap();
        assert!(inside.ends_with("# done"), "{text}");
        assert_eq!(escaped("<b>|`*\n"), "&#60;b&#62;&#124;&#96;&#42; ");
    }

    /// However much there is to tell: nothing was given, everything is broken, and at length.
    #[test]
    fn it_fits_into_a_comment() {
        let mut result = result();
        let mut long = result.scenarios[0].clone();
        long.findings[0].actual = "x".repeat(5_000);
        long.findings = vec![long.findings[0].clone(); catalogue().iter().count()];
        for (finding, requirement) in long.findings.iter_mut().zip(catalogue().iter()) {
            finding.requirement.clone_from(&requirement.id);
        }
        result.scenarios = vec![long; 2000];
        result.left_out = scenarios::all()
            .map(|(_, scenario)| LeftOutResult {
                id: scenario.id.to_owned(),
                lacks: Given::ServerCommand,
            })
            .collect();
        let text = summary(&result);
        assert!(text.len() < 65_536, "{}", text.len());
        for said in ["more are left out here", "more findings are left out here"] {
            assert!(text.contains(said), "{said}");
        }
    }
}
