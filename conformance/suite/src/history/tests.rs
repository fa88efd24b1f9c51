//! What exchanges mean.

use std::sync::Arc;
use std::time::{Duration, Instant};

use http::HeaderMap;
use lance_namespace_history::operation::{Answer, Call, Outcome as Told, Page, Refusal};
use lance_namespace_history::{Verdict, check};
use serde_json::{Value, json};

use super::entries::{self, Recording};
use super::names::Names;
use super::recorder::Recorder;
use super::translate;
use crate::call;
use crate::exchange::{Exchange, Received};
use crate::namespace::Namespace;

/// What a test records: calls at milliseconds of its own clock.
struct Tape {
    recorder: Recorder,
    epoch: Instant,
}

fn id(name: &str) -> Vec<String> {
    vec!["home".to_owned(), name.to_owned()]
}

fn declare(name: &str) -> call::Call {
    call::Call::new("DeclareTable").id(&id(name))
}

fn create(version: i64, path: &str) -> call::Call {
    call::Call::new("CreateTableVersion")
        .id(&id("t"))
        .json(json!({ "version": version, "manifest_path": path }))
}

fn describe(version: i64) -> call::Call {
    call::Call::new("DescribeTableVersion")
        .id(&id("t"))
        .json(json!({ "version": version }))
}

fn list() -> call::Call {
    call::Call::new("ListTableVersions").id(&id("t"))
}

fn entry(version: i64, path: &str) -> Value {
    json!({ "version": version, "manifest_path": path })
}

impl Tape {
    /// A stage that has declared the table `t`.
    fn new() -> Self {
        let tape = Self {
            recorder: Recorder::new(),
            epoch: Instant::now(),
        };
        tape.put(0, [0, 1], declare("t"), 200, json!({}));
        tape
    }

    fn put(&self, client: u32, span: [u64; 2], call: call::Call, status: u16, body: Value) {
        let at = |millis| self.epoch + Duration::from_millis(millis);
        let call = Arc::new(call);
        let number = self.recorder.begins(&call);
        let received = Received {
            status,
            headers: HeaderMap::new(),
            body: body.to_string().into(),
        };
        let exchange = Exchange {
            started: at(span[0]),
            ended: at(span[1]),
            client,
            ..Exchange::of(&call, Ok(received))
        };
        self.recorder.ended(number, &Arc::new(exchange));
    }

    async fn recording(&self) -> Recording {
        let names = Names::within(Namespace::at(vec!["home".to_owned()]));
        let drafts = translate::drafts(&self.recorder, &names, "$");
        entries::settle(drafts, &self.recorder.storage(), &names).await
    }

    /// What the last call was told.
    async fn told(&self) -> Told {
        let recording = self.recording().await;
        let last = recording.history.operations.last();
        last.map(|operation| operation.outcome.clone()).unwrap()
    }
}

#[tokio::test]
async fn an_entry_is_told_by_its_path_or_by_what_the_create_was_answered() {
    let tape = Tape::new();
    let stored = json!({ "version": 1, "manifest_path": "final", "e_tag": "e2" });
    tape.put(1, [2, 9], create(1, "a"), 409, json!({ "code": 14 }));
    let answer = json!({ "version": stored });
    tape.put(2, [2, 5], create(1, "b"), 200, answer.clone());
    tape.put(3, [6, 7], describe(1), 200, answer);
    let recording = tape.recording().await;
    let Some(Told::Ok(Answer::Entry(read))) = recording
        .history
        .operations
        .iter()
        .map(|operation| &operation.outcome)
        .find(|outcome| matches!(outcome, Told::Ok(Answer::Entry(_))))
    else {
        panic!("{:?}", recording.history);
    };
    assert_eq!(read.entry, "m2");
    assert!(matches!(
        check(&recording.history),
        Verdict::Consistent { .. }
    ));
}

#[tokio::test]
async fn entries_that_tell_nothing_accuse_nobody() {
    let tape = Tape::new();
    tape.put(1, [2, 9], create(1, "a"), 409, json!({ "code": 14 }));
    tape.put(2, [2, 5], create(1, "b"), 200, json!({}));
    let moved = entry(1, "final");
    tape.put(3, [6, 7], describe(1), 200, json!({ "version": moved }));
    tape.put(3, [10, 11], list(), 200, json!({ "versions": [moved] }));
    let history = tape.recording().await.history;
    assert!(matches!(check(&history), Verdict::Consistent { .. }));
    // What was acknowledged is there all the same.
    tape.put(3, [12, 13], describe(1), 404, json!({ "code": 11 }));
    let history = tape.recording().await.history;
    assert!(matches!(check(&history), Verdict::Violation(_)));
}

#[tokio::test]
async fn what_may_have_happened_is_unknown() {
    let tape = Tape::new();
    for (status, told) in [
        (500, Told::Unknown),
        (503, Told::Unknown),
        (408, Told::Unknown),
        (429, Told::Refused(Refusal::Other)),
        (409, Told::Refused(Refusal::Other)),
        (400, Told::Refused(Refusal::Other)),
    ] {
        let code = json!({ "code": 14 });
        tape.put(1, [2, 3], create(1, "a"), status, code);
        assert_eq!(tape.told().await, told, "{status}");
    }
    // On its way, or given up.
    let tape = Tape::new();
    tape.recorder.begins(&Arc::new(create(1, "b")));
    assert_eq!(tape.told().await, Told::Unknown);
}

#[tokio::test]
async fn a_refusal_claims_no_more_than_a_server_can_mean() {
    let tape = Tape::new();
    let no_table = json!({ "code": 4 });
    // Whether a table that is only declared can have versions is open.
    tape.put(1, [2, 3], create(1, "a"), 404, no_table.clone());
    assert_eq!(tape.told().await, Told::Refused(Refusal::Other));
    tape.put(1, [4, 5], create(1, "b"), 200, json!({}));
    tape.put(1, [6, 7], create(2, "c"), 404, no_table);
    assert_eq!(tape.told().await, Told::Refused(Refusal::Missing));
    let exists = json!({ "code": 5 });
    tape.put(1, [8, 9], declare("t"), 409, exists.clone());
    assert_eq!(tape.told().await, Told::Refused(Refusal::Exists));
    tape.put(1, [10, 15], declare("u"), 200, json!({}));
    tape.put(2, [11, 16], declare("u"), 409, exists);
    assert_eq!(tape.told().await, Told::Refused(Refusal::Other));
}

#[tokio::test]
async fn a_list_as_long_as_its_limit_may_have_been_cut() {
    let tape = Tape::new();
    for (limit, more) in [(2, true), (3, false)] {
        let versions = json!({ "versions": [entry(1, "a"), entry(2, "b")] });
        tape.put(1, [2, 3], list().query("limit", limit), 200, versions);
        let Told::Ok(Answer::Entries { more: told, .. }) = tape.told().await else {
            panic!("a list");
        };
        assert_eq!(told, more, "limit {limit}");
    }
}

#[tokio::test]
async fn a_page_follows_the_one_whose_token_its_client_was_given() {
    let tape = Tape::new();
    let page = || list().query("descending", true).query("limit", 1);
    let first = json!({ "versions": [entry(9, "a")], "page_token": "9" });
    tape.put(1, [2, 3], page(), 200, first.clone());
    tape.put(2, [4, 5], page(), 200, first);
    let last = json!({ "versions": [entry(8, "b")] });
    let next = || page().query("page_token", "9");
    let told = async || {
        let last = tape.recording().await.history.operations.pop();
        match last.map(|operation| (operation.call, operation.outcome)) {
            Some((Call::ListVersions { page, .. }, Told::Ok(Answer::Entries { more, .. }))) => {
                (page, more)
            }
            other => panic!("{other:?}"),
        }
    };
    tape.put(2, [6, 7], next(), 200, last.clone());
    let (page, _) = told().await;
    assert!(page.descending && page.after == Some(9));
    assert!(page.since.is_some_and(|since| since >= 4_000_000));
    // A client that got its token from elsewhere.
    tape.put(3, [8, 9], next(), 200, last);
    let (page, more) = told().await;
    assert_eq!((page.descending, page.after, more), (false, None, true));
    assert!(page.since.is_some_and(|since| since < 4_000_000));
    assert_ne!(page, Page::default());
}

#[tokio::test]
async fn tables_of_which_not_all_is_known_are_left_out() {
    let tape = Tape::new();
    let other = call::Call::new("TableExists").id(&id("of-others"));
    tape.put(1, [2, 3], other, 404, json!({ "code": 4 }));
    assert_eq!(tape.recording().await.history.operations.len(), 1);
    let insert = call::Call::new("RestoreTable").id(&id("t"));
    tape.put(1, [4, 5], insert.clone(), 406, json!({ "code": 0 }));
    assert_eq!(tape.recording().await.history.operations.len(), 1);
    tape.put(1, [6, 7], insert, 200, json!({}));
    assert_eq!(tape.recording().await.history.operations.len(), 0);
}
