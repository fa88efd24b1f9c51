//! The report of a run as one HTML file that needs nothing else: no network, no other file.
//!
//! It is made of the result alone, so that a result that was kept can be shown again.

mod comparison;
mod finding;
mod prose;
mod scenario;
mod summary;

pub use comparison::comparison;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::report::terminal::result_verdict;
use crate::result::RunResult;

/// How the page looks.
const STYLE: &str = include_str!("style.css");

/// Filter, search, and unfolding what a link or the printer wants. Without it everything can still be
/// read.
const SCRIPT: &str = include_str!("script.js");

/// The report of a result.
#[must_use]
pub fn html(result: &RunResult) -> String {
    let title = format!("{}: {}", result.server.url, result_verdict(result));
    let body = html! {
        a .skip href="#scenarios" { "To the scenarios" }
        (summary::heading(result))
        main {
            (summary::tiers(result))
            (summary::fix_first(result))
            (summary::left_out(result))
            (scenario::list(result))
            (summary::choices(result))
            (summary::requirements(result))
        }
        (summary::footer(result))
        script { (PreEscaped(SCRIPT)) }
    };
    page(&title, &body)
}

/// A page that needs nothing else.
fn page(title: &str, body: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    }
    .into_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expectation::{Date, Entry, Expectation};
    use crate::report::fixture::result;
    use crate::result::{KnownResult, PartResult};

    #[test]
    fn what_a_server_says_is_text_and_never_markup() {
        let page = html(&result());
        assert!(!page.contains("<script>alert"));
        assert!(page.contains("&lt;script&gt;alert(1)"));
        assert!(!page.contains("<svg"));
    }

    #[test]
    fn a_finding_shows_sentence_answer_command_and_both_transcripts() {
        let page = html(&result());
        for part in [
            "Creating a version that exists, with another manifest",
            "CreateTableVersion",
            "curl -i 'http://host/a?b=&quot;c&quot;'",
            "&quot;version&quot;: 1",
            "<del>− three</del>",
            "<ins>+ two</ins>",
            "--seed 7",
            "--server-cmd",
            "a$b",
            "data:image/svg+xml,",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
    }

    #[test]
    fn what_is_known_to_fail_stands_apart_with_its_reason() {
        let mut result = result();
        result.expectations.known.push(KnownResult {
            scenario: "a/b".to_owned(),
            entries: vec![Entry {
                place: "conformance.toml, line 7".to_owned(),
                expectation: Expectation {
                    reason: "the lock is not <held>".to_owned(),
                    until: Some(Date {
                        year: 2027,
                        month: 12,
                        day: 31,
                    }),
                    ..Expectation::default()
                },
            }],
        });
        let page = html(&result);
        for part in [
            "data-status=\"known\"",
            "value=\"known\" checked",
            "the lock is not &lt;held&gt;",
            "until 2027-12-31, conformance.toml, line 7",
        ] {
            assert!(page.contains(part), "{part} is not in {page}");
        }
        assert!(!page.contains("data-status=\"fail\""), "{page}");
    }

    #[test]
    fn a_part_says_so_wherever_the_verdict_stands() {
        let mut result = result();
        result.part = Some(PartResult {
            shard: Some("1/4".parse().unwrap()),
            scenarios: result.plan.clone(),
            claimed: Vec::new(),
            expectations: Vec::new(),
            started: false,
            declared_sha256: String::new(),
        });
        let page = html(&result);
        assert_eq!(page.matches("shard 1 of 4: violation").count(), 2, "{page}");
        assert!(page.contains("certifies nothing"), "{page}");
    }

    #[test]
    fn what_failed_stands_before_what_passed_and_is_linked() {
        let page = html(&result());
        let (failed, passed) = (
            page.find("id=\"scenario-a--b\"").unwrap(),
            page.find("id=\"scenario-a--c\"").unwrap(),
        );
        assert!(failed < passed);
        assert!(page.contains("href=\"#scenario-a--b\""));
        assert!(page.contains("id=\"requirement-VER-2\""));
    }
}
