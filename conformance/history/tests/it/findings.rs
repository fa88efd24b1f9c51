//! What is found in histories that were written by hand, and how it is told.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use lance_namespace_history::{Subject, Verdict, Violation, check, format, timeline};

fn violation(name: &str) -> Violation {
    match check(&read(name)) {
        Verdict::Violation(violation) => *violation,
        other => panic!("{name}: {other:?}"),
    }
}

fn read(name: &str) -> lance_namespace_history::operation::History {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name);
    let file = File::open(path).expect("the history is there");
    format::read(BufReader::new(file)).expect("the history can be read")
}

#[test]
fn a_version_that_is_gone_is_told_by_its_creator_and_the_one_who_missed_it() {
    let found = violation("lost-version.jsonl");
    assert_eq!(
        found.to_string(),
        "- client 3, who asked at 10.000 ms to create version 7 of users with a1, was told at \
         12.000 ms that the version is its own\n\
         - client 5, who asked at 14.100 ms for version 7 of users, was told at 15.200 ms that it \
         does not exist\n\
         No order explains these answers, whether or not another operation took effect on what \
         they are about."
    );
    assert_eq!(found.places, [1, 4]);
}

#[test]
fn half_a_batch_is_told_by_the_two_who_saw_its_halves() {
    let found = violation("half-batch.jsonl");
    // And by the batch, which is what ties them together.
    assert_eq!(found.places, [0, 2, 3], "{found}");
    assert_eq!(found.others, 0);
    assert_eq!(found.subjects.len(), 2);
    assert!(matches!(&found.subjects[0], Subject::Version(ledger, 1) if ledger.table == "users"));
}

#[test]
fn two_winners_are_told_without_those_who_lost() {
    let found = violation("two-winners.jsonl");
    assert_eq!(found.places, [0, 1], "{found}");
}

#[test]
fn a_list_put_together_from_two_moments_is_told_with_the_creates_between() {
    let found = violation("torn-list.jsonl");
    assert_eq!(found.places, [1, 2, 3], "{found}");
}

#[test]
fn an_unknown_delete_explains_what_came_later() {
    assert_eq!(
        check(&read("honest.jsonl")),
        Verdict::Consistent {
            order: vec![0, 1, 3, 2, 4]
        }
    );
}

#[test]
fn the_timeline_has_a_lane_a_client_and_says_in_words_what_it_shows() {
    let mut found = violation("lost-version.jsonl");
    found.operations[0].client = 31;
    let svg = timeline(&found);
    assert!(
        svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""),
        "{svg}"
    );
    assert!(svg.contains("role=\"img\""));
    assert!(svg.contains("<title id=\"history-title\">"));
    assert!(svg.contains("prefers-color-scheme: dark"));
    assert_eq!(svg.matches("<line").count(), 2);
    assert_eq!(svg.matches("<rect").count(), 2);
    assert!(svg.contains("who asked at 14.100 ms for version 7 of users"));
    assert!(
        !svg.contains("http://") || svg.matches("http://").count() == 1,
        "it loads nothing"
    );
}

#[test]
fn what_names_say_stays_text_in_the_timeline() {
    let lines = r#"{"format":"lance-namespace-history","schema":1}
{"client":1,"start":1,"end":2,"call":"describe_version","table":"<b>&\"","version":1,"outcome":"ok","found":[[1,"<script>"]]}
"#;
    let Verdict::Violation(found) = check(&format::read(lines.as_bytes()).expect("a history"))
    else {
        panic!("nobody wrote that");
    };
    let svg = timeline(&found);
    assert!(!svg.contains("<script>") && !svg.contains("<b>"), "{svg}");
    assert!(svg.contains("&lt;script&gt;"));
}
