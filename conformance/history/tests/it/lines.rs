//! Histories as lines.

use fastrand::Rng;
use lance_namespace_history::format::{read, write};

use crate::simulate::workload::{self, Workload};
use crate::small;

const HEADER: &str = r#"{"format":"lance-namespace-history","schema":1}"#;

#[test]
fn what_is_written_is_read_as_the_same() {
    let mut histories: Vec<_> = (0..200).map(small::history).collect();
    let workload = Workload::large(8, 300);
    histories.push(workload::history(&workload, &mut Rng::with_seed(1)));
    for history in histories {
        let mut lines = Vec::new();
        write(&history, &mut lines).expect("memory can be written");
        assert_eq!(read(lines.as_slice()).expect("it was written so"), history);
    }
}

#[test]
fn a_broken_line_is_named_by_its_number() {
    let good = r#"{"client":1,"start":1,"end":2,"call":"table_exists","table":"t","outcome":"ok"}"#;
    for (bad, why) in [
        ("{", "line 3 is not a line of a history"),
        ("", "line 3 is not a line of a history"),
        (
            r#"{"client":1,"start":1,"end":2,"call":"table_exists","tabel":"t","outcome":"ok"}"#,
            "line 3 is not a line of a history",
        ),
        (
            r#"{"client":1,"start":1,"end":2,"call":"table_exists","outcome":"ok"}"#,
            "line 3: `table` is missing",
        ),
        (
            r#"{"client":1,"start":2,"end":1,"call":"table_exists","table":"t","outcome":"ok"}"#,
            "line 3: it ends at 1, before its start",
        ),
        (
            r#"{"client":1,"start":1,"call":"table_exists","table":"t","outcome":"ok"}"#,
            "line 3: it was answered, but has no end",
        ),
        (
            r#"{"client":1,"start":1,"end":2,"call":"table_exists","table":"t","version":1,"outcome":"ok"}"#,
            "line 3: `version` does not belong to this call and outcome",
        ),
        (
            r#"{"client":1,"start":1,"end":2,"call":"describe_version","table":"t","version":1,"outcome":"missing","found":[[1,"a"]]}"#,
            "line 3: `found` does not belong to this call and outcome",
        ),
        (
            r#"{"client":1,"start":1,"end":2,"call":"create_version","table":"t","version":-1,"entry":"a","outcome":"ok"}"#,
            "line 3: -1 is no version: they begin at 0",
        ),
        (
            r#"{"client":1,"start":1,"end":2,"call":"delete_versions","table":"t","ranges":[[4,2]],"outcome":"ok"}"#,
            "line 3: a range ends before its start",
        ),
        (
            r#"{"client":1,"start":1,"end":2,"call":"batch_create","operations":[{"call":"declare_table","table":"t"}],"outcome":"ok"}"#,
            "line 3: a batch_create holds create_version only",
        ),
    ] {
        let lines = format!("{HEADER}\n{good}\n{bad}\n{good}\n");
        let error = read(lines.as_bytes()).expect_err(bad);
        assert_eq!(error.to_string(), why, "{bad}");
    }
}

#[test]
fn a_history_without_its_header_is_refused() {
    for (lines, why) in [
        ("", "line 1: there is no header"),
        (
            "{\"format\":\"other\",\"schema\":1}",
            "line 1: the format is \"other\", not \"lance-namespace-history\"",
        ),
        (
            "{\"format\":\"lance-namespace-history\",\"schema\":2}",
            "line 1: the schema is 2; this program reads 1",
        ),
    ] {
        let error = read(lines.as_bytes()).expect_err(lines);
        assert_eq!(error.to_string(), why);
    }
}
