//! What single answers mean: pairs of histories of which one can be explained and the other cannot.

use lance_namespace_history::{Verdict, check, format};

/// Calls of a table `t` that was there, each a line without what they share; client and times by
/// place: the first from 10 to 19, the second from 20 to 29.
fn verdict(calls: &[&str]) -> Option<bool> {
    judged(r#","initial":[{"table":"t","versions":[[1,"a"]]}]"#, calls)
}

fn judged(initial: &str, calls: &[&str]) -> Option<bool> {
    let mut lines = format!(r#"{{"format":"lance-namespace-history","schema":1{initial}}}"#);
    for (at, call) in calls.iter().enumerate() {
        let start = (at + 1) * 10;
        let times = if call.contains(r#""start""#) {
            String::new()
        } else {
            format!(r#""start":{start},"end":{},"#, start + 9)
        };
        lines += &format!("\n{{\"client\":{at},{times}{call}}}");
    }
    match check(&format::read(lines.as_bytes()).expect("a history")) {
        Verdict::Consistent { .. } => Some(true),
        Verdict::Violation(_) => Some(false),
        Verdict::Inconclusive { .. } => None,
    }
}

const CREATE_2: &str =
    r#""call":"create_version","table":"t","version":2,"entry":"b","outcome":"ok""#;
const CREATE_2_AGAIN: &str =
    r#""call":"create_version","table":"t","version":2,"entry":"b","outcome":"exists""#;
const CREATE_2_OTHER: &str =
    r#""call":"create_version","table":"t","version":2,"entry":"c","outcome":"ok""#;
const UNKNOWN_2: &str =
    r#""call":"create_version","table":"t","version":2,"entry":"b","outcome":"unknown""#;
const DELETE_ALL: &str =
    r#""call":"delete_versions","table":"t","ranges":[[0,null]],"outcome":"ok""#;
const MISSING_2: &str = r#""call":"describe_version","table":"t","version":2,"outcome":"missing""#;
const FOUND_2: &str =
    r#""call":"describe_version","table":"t","version":2,"outcome":"ok","found":[[2,"b"]]"#;

#[test]
fn what_was_there_at_the_beginning_is_there() {
    let found =
        r#""call":"describe_version","table":"t","version":1,"outcome":"ok","found":[[1,"a"]]"#;
    let missing = r#""call":"describe_version","table":"t","version":1,"outcome":"missing""#;
    assert_eq!(verdict(&[found]), Some(true));
    assert_eq!(verdict(&[missing]), Some(false));
}

#[test]
fn the_same_entry_again_is_taken_or_refused_and_another_is_refused() {
    assert_eq!(verdict(&[CREATE_2, CREATE_2]), Some(true));
    assert_eq!(verdict(&[CREATE_2, CREATE_2_AGAIN]), Some(true));
    assert_eq!(verdict(&[CREATE_2, CREATE_2_OTHER]), Some(false));
}

#[test]
fn a_refusal_claims_that_the_version_was_there() {
    assert_eq!(verdict(&[CREATE_2_AGAIN]), Some(false));
    let other = CREATE_2_AGAIN.replace("exists", "refused");
    assert_eq!(verdict(&[&other]), Some(true));
    // Nor does it leave anything.
    assert_eq!(verdict(&[&other, FOUND_2]), Some(false));
}

#[test]
fn an_unknown_create_happens_late_or_never() {
    assert_eq!(verdict(&[UNKNOWN_2, MISSING_2, FOUND_2]), Some(true));
    assert_eq!(verdict(&[UNKNOWN_2, MISSING_2]), Some(true));
    assert_eq!(verdict(&[UNKNOWN_2, FOUND_2, MISSING_2]), Some(false));
    assert_eq!(verdict(&[FOUND_2, UNKNOWN_2]), Some(false));
}

#[test]
fn a_deleted_version_is_gone_and_can_be_created_anew() {
    assert_eq!(
        verdict(&[CREATE_2, DELETE_ALL, MISSING_2, CREATE_2_OTHER]),
        Some(true)
    );
    assert_eq!(verdict(&[CREATE_2, DELETE_ALL, FOUND_2]), Some(false));
}

#[test]
fn a_delete_counts_what_it_removes() {
    let counted = |count: u32| DELETE_ALL.to_owned() + &format!(r#","deleted":{count}"#);
    assert_eq!(verdict(&[CREATE_2, &counted(2)]), Some(true));
    assert_eq!(verdict(&[CREATE_2, &counted(1)]), Some(false));
    assert_eq!(verdict(&[CREATE_2, &counted(3)]), Some(false));
}

#[test]
fn the_end_of_a_range_is_not_in_it() {
    let delete =
        r#""call":"delete_versions","table":"t","ranges":[[0,2]],"outcome":"ok","deleted":1"#;
    assert_eq!(verdict(&[CREATE_2, delete, FOUND_2]), Some(true));
    assert_eq!(verdict(&[CREATE_2, delete, MISSING_2]), Some(false));
}

#[test]
fn the_latest_is_the_highest() {
    let latest = |version: u32, entry: &str| {
        format!(
            r#""call":"describe_version","table":"t","outcome":"ok","found":[[{version},"{entry}"]]"#
        )
    };
    assert_eq!(verdict(&[CREATE_2, &latest(2, "b")]), Some(true));
    assert_eq!(verdict(&[CREATE_2, &latest(1, "a")]), Some(false));
    assert_eq!(verdict(&[&latest(1, "a"), CREATE_2]), Some(true));
}

#[test]
fn an_answer_about_another_version_is_wrong() {
    let other =
        r#""call":"describe_version","table":"t","version":2,"outcome":"ok","found":[[1,"a"]]"#;
    assert_eq!(verdict(&[other]), Some(false));
}

fn list(page: &str, found: &str) -> String {
    format!(r#""call":"list_versions","table":"t","outcome":"ok","found":{found}{page}"#)
}

#[test]
fn a_whole_list_holds_all() {
    assert_eq!(
        verdict(&[CREATE_2, &list("", r#"[[2,"b"],[1,"a"]]"#)]),
        Some(true)
    );
    assert_eq!(verdict(&[CREATE_2, &list("", r#"[[2,"b"]]"#)]), Some(false));
    let twice = list("", r#"[[2,"b"],[2,"b"],[1,"a"]]"#);
    assert_eq!(verdict(&[CREATE_2, &twice]), Some(false));
}

#[test]
fn a_page_is_judged_by_what_its_order_tells() {
    let page = |page: &str, found: &str| verdict(&[CREATE_2, &list(page, found)]);
    let descending = r#","descending":true,"more":true"#;
    assert_eq!(page(descending, r#"[[2,"b"]]"#), Some(true));
    assert_eq!(page(descending, r#"[[1,"a"]]"#), Some(false));
    // The order is not told: what is not on the page may be on another.
    assert_eq!(page(r#","more":true"#, r#"[[1,"a"]]"#), Some(true));
    assert_eq!(page(r#","more":true"#, r#"[[3,"c"]]"#), Some(false));
    let second = r#","descending":true,"after":2"#;
    assert_eq!(page(second, r#"[[1,"a"]]"#), Some(true));
    assert_eq!(page(second, "[]"), Some(false));
}

#[test]
fn a_later_page_may_come_from_what_was_there_at_the_first() {
    let delete = r#""call":"delete_versions","table":"t","ranges":[[1,2]],"outcome":"ok""#;
    let page = |since: &str| {
        list(
            &format!(r#","descending":true,"after":2{since}"#),
            r#"[[1,"a"]]"#,
        )
    };
    assert_eq!(
        verdict(&[CREATE_2, delete, &page(r#","since":25"#)]),
        Some(true)
    );
    assert_eq!(verdict(&[CREATE_2, delete, &page("")]), Some(false));
}

#[test]
fn branches_are_apart() {
    let on_branch = FOUND_2.replace(r#""table":"t""#, r#""table":"t","branch":"x""#);
    assert_eq!(verdict(&[CREATE_2, &on_branch]), Some(false));
    let missing = MISSING_2.replace(r#""table":"t""#, r#""table":"t","branch":"x""#);
    assert_eq!(verdict(&[CREATE_2, &missing]), Some(true));
}

#[test]
fn tables_are_declared_once_and_found_until_they_are_dropped() {
    let of =
        |call: &str, outcome: &str| format!(r#""call":"{call}","table":"u","outcome":"{outcome}""#);
    let [declare, exists, drop] =
        ["declare_table", "table_exists", "drop_table"].map(|c| of(c, "ok"));
    let gone = of("describe_table", "missing");
    assert_eq!(
        judged("", &[&gone, &declare, &exists, &drop, &gone]),
        Some(true)
    );
    assert_eq!(judged("", &[&declare, &declare]), Some(false));
    assert_eq!(
        judged("", &[&declare, &of("declare_table", "exists")]),
        Some(true)
    );
    assert_eq!(judged("", &[&declare, &gone]), Some(false));
    assert_eq!(judged("", &[&exists, &declare]), Some(false));
    assert_eq!(judged("", &[&declare, &drop, &exists]), Some(false));
    // Not declared, not named: it may have been there, but not come and go.
    assert_eq!(judged("", &[&exists]), Some(true));
    assert_eq!(judged("", &[&gone]), Some(true));
    assert_eq!(judged("", &[&exists, &gone]), Some(false));
}

#[test]
fn a_dropped_table_has_no_versions_and_a_deregistered_one_may_have() {
    let declare = r#""call":"declare_table","table":"t","outcome":"ok""#;
    let found =
        r#""call":"describe_version","table":"t","version":1,"outcome":"ok","found":[[1,"a"]]"#;
    let drop = r#""call":"drop_table","table":"t","outcome":"ok""#;
    let deregister = r#""call":"deregister_table","table":"t","outcome":"ok""#;
    assert_eq!(verdict(&[drop, found]), Some(false));
    assert_eq!(verdict(&[drop, declare, found]), Some(false));
    assert_eq!(verdict(&[deregister, found]), Some(false));
    assert_eq!(verdict(&[deregister, declare, found]), Some(true));
}

fn batch(kind: &str, operations: &str, outcome: &str) -> String {
    format!(r#""call":"{kind}","operations":[{operations}],"outcome":"{outcome}""#)
}

#[test]
fn a_batch_is_there_whole_or_not() {
    let put = |version: u32| {
        format!(r#"{{"call":"create_version","table":"t","version":{version},"entry":"b"}}"#)
    };
    let both = put(2) + "," + &put(3);
    let missing_3 = MISSING_2.replace(r#""version":2"#, r#""version":3"#);
    let found_3 = FOUND_2
        .replace(r#""version":2"#, r#""version":3"#)
        .replace("[[2", "[[3");
    let unknown = batch("batch_create", &both, "unknown");
    assert_eq!(verdict(&[&unknown, FOUND_2, &found_3]), Some(true));
    assert_eq!(verdict(&[&unknown, FOUND_2, &missing_3]), Some(false));
    assert_eq!(
        verdict(&[&batch("batch_create", &both, "ok"), &missing_3]),
        Some(false)
    );
    assert_eq!(
        verdict(&[
            CREATE_2,
            &batch("batch_create", &both, "exists"),
            &missing_3
        ]),
        Some(true)
    );
    assert_eq!(
        verdict(&[&batch("batch_create", &both, "exists")]),
        Some(false)
    );
    assert_eq!(
        verdict(&[CREATE_2_OTHER, &batch("batch_create", &both, "ok")]),
        Some(false)
    );
}

#[test]
fn operations_of_a_commit_see_those_before_them() {
    let declare = r#"{"call":"declare_table","table":"u"}"#;
    let create = r#"{"call":"create_version","table":"u","version":1,"entry":"x"}"#;
    let found =
        r#""call":"describe_version","table":"u","version":1,"outcome":"ok","found":[[1,"x"]]"#;
    let commit = |operations: &[&str]| batch("batch_commit", &operations.join(","), "ok");
    assert_eq!(
        judged("", &[&commit(&[declare, create]), found]),
        Some(true)
    );
    assert_eq!(judged("", &[&commit(&[create, declare])]), Some(false));
    let delete = r#"{"call":"delete_versions","table":"t","ranges":[[1,2]]}"#;
    let anew = r#"{"call":"create_version","table":"t","version":1,"entry":"x"}"#;
    assert_eq!(verdict(&[&commit(&[delete, anew])]), Some(true));
    assert_eq!(verdict(&[&commit(&[anew])]), Some(false));
}

#[test]
fn what_ends_when_another_starts_may_come_after_it() {
    let create = CREATE_2.to_owned() + r#","start":30,"end":40"#;
    let found = |end: u32| FOUND_2.to_owned() + &format!(r#","start":20,"end":{end}"#);
    assert_eq!(verdict(&[&create, &found(30)]), Some(true));
    assert_eq!(verdict(&[&create, &found(29)]), Some(false));
}
