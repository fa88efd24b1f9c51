//! Commits over several tables.

use lance_namespace_client::commit::{TableCommit, VersionBatch};
use lance_namespace_client::models::*;
use lance_namespace_client::testing::{FakeServer, Reply};
use lance_namespace_client::{Error, ErrorKind};

fn path(table: &str, version: i64) -> String {
    format!("{table}/_versions/{version}.manifest-ours")
}

fn create(table: &str, version: i64) -> CreateTableVersionRequest {
    CreateTableVersionRequest::new(version, path(table, version))
}

fn entry(table: &str, version: i64) -> CreateTableVersionEntry {
    CreateTableVersionEntry::new([table], version, path(table, version))
}

/// A commit of each kind of operation.
fn commit(server: &FakeServer) -> TableCommit {
    let mut commit = server.client().commit();
    commit.declare_table(["log"], DeclareTableRequest::new());
    commit.create_version(["a"], create("a", 7));
    commit.delete_versions(
        ["a"],
        BatchDeleteTableVersionsRequest::new([VersionRange::new(1, 3)]),
    );
    commit.create_version(["b"], create("b", 3));
    commit.deregister_table(["old"]);
    commit
}

fn batch(server: &FakeServer) -> VersionBatch {
    let mut batch = server.client().version_batch();
    batch.create(entry("a", 7));
    batch.create(entry("b", 3));
    batch
}

/// Describes versions as those of `ours` that are ours, and `another`s that are not.
fn stands(server: &FakeServer, ours: &'static [&str], anothers: &'static [&str]) {
    server.on("DescribeTableVersion", move |call| {
        let asked: DescribeTableVersionRequest = call.json();
        let version = asked.version.unwrap();
        let table = call.path().split('/').nth(3).unwrap().to_owned();
        let path = match table.as_str() {
            table if ours.contains(&table) => path(table, version),
            table if anothers.contains(&table) => {
                format!("{table}/_versions/{version}.manifest-theirs")
            }
            _ => return Reply::error(404, 11, "no such version"),
        };
        Reply::ok(&DescribeTableVersionResponse::new(TableVersion::new(
            version, path,
        )))
    });
}

fn refused(error: Error, sentence: &str) {
    assert_eq!(error.kind(), ErrorKind::Request);
    assert!(error.to_string().contains(sentence), "{error}");
}

#[tokio::test]
async fn a_commit_keeps_order_and_gives_each_result_by_its_handle() {
    let server = FakeServer::new();
    let results = [
        CommitTableResult::new()
            .with_declare_table(DeclareTableResponse::new().with_location("/log")),
        CommitTableResult::new().with_create_table_version(
            CreateTableVersionResponse::new().with_version(TableVersion::new(7, "final")),
        ),
        CommitTableResult::new().with_deregister_table(DeregisterTableResponse::new()),
    ];
    let answer = BatchCommitTablesResponse::new(results).with_transaction_id("tx1");
    server.queue(
        "BatchCommitTables",
        [Reply::ok(&answer).with_header("x-region", "eu")],
    );

    let mut commit = server.client().commit();
    let log = commit.declare_table(["log"], DeclareTableRequest::new());
    let version = commit.create_version(["a"], create("a", 7));
    let old = commit.deregister_table(["old"]);
    let done = commit.send().await.unwrap();

    assert_eq!(done.get(log).unwrap().location.as_deref(), Some("/log"));
    let version = done.get(version).unwrap().version.as_ref().unwrap();
    assert_eq!(version.manifest_path, "final");
    assert!(done.get(old).is_some());
    assert_eq!(done.transaction_id(), Some("tx1"));
    assert_eq!(done.context()["header.x-region"], "eu");
    let stray = server.client().commit().deregister_table(["old"]);
    assert!(done.get(stray).is_none(), "a handle of another commit");

    let sent: BatchCommitTablesRequest = server.calls("BatchCommitTables")[0].json();
    assert!(sent.operations[0].declare_table.is_some());
    assert_eq!(
        sent.operations[1]
            .create_table_version
            .as_ref()
            .unwrap()
            .version,
        7
    );
    let id = sent.operations[2]
        .deregister_table
        .as_ref()
        .unwrap()
        .id
        .as_deref();
    assert_eq!(id, Some(&["old".to_owned()][..]));
}

#[tokio::test]
async fn a_batch_keeps_order_and_gives_each_version_by_its_handle() {
    let server = FakeServer::new();
    let versions = [TableVersion::new(7, "a"), TableVersion::new(3, "b")];
    let answer = BatchCreateTableVersionsResponse::new(versions);
    server.queue("BatchCreateTableVersions", [Reply::ok(&answer)]);
    let mut batch = server.client().version_batch();
    let first = batch.create(entry("a", 7));
    let second = batch.create(entry("b", 3));
    let done = batch.send().await.unwrap();
    assert_eq!(done.get(first).unwrap().manifest_path, "a");
    assert_eq!(done.get(second).unwrap().manifest_path, "b");
    assert_eq!(done.versions().len(), 2);
    let sent: BatchCreateTableVersionsRequest = server.calls("BatchCreateTableVersions")[0].json();
    assert_eq!([sent.entries[0].version, sent.entries[1].version], [7, 3]);
}

#[tokio::test]
async fn what_cannot_be_meant_is_refused_before_sending() {
    let server = FakeServer::new();
    let fresh = || server.client().commit();

    refused(fresh().send().await.unwrap_err(), "the commit is empty");

    let mut commit = fresh();
    commit.operation(CommitTableOperation::new());
    refused(
        commit.send().await.unwrap_err(),
        "operation 0 of the commit is of 0 kinds",
    );

    let mut commit = fresh();
    commit.deregister_table(["a"]);
    commit.operation(
        CommitTableOperation::new()
            .with_declare_table(DeclareTableRequest::new().with_id(["b"]))
            .with_create_table_version(create("b", 1).with_id(["b"])),
    );
    refused(
        commit.send().await.unwrap_err(),
        "operation 1 of the commit is of 2 kinds",
    );

    let mut commit = fresh();
    commit.create_version(["a"], create("a", 7));
    commit.create_version(["a"], create("a", 7).with_branch("main"));
    refused(
        commit.send().await.unwrap_err(),
        "version 7 of [\"a\"] is created twice",
    );

    let mut commit = fresh();
    commit.declare_table(["a"], DeclareTableRequest::new());
    commit.declare_table(["a"], DeclareTableRequest::new());
    refused(commit.send().await.unwrap_err(), "is declared twice");

    let mut commit = fresh();
    commit.deregister_table(["a"]);
    commit.deregister_table(["a"]);
    refused(commit.send().await.unwrap_err(), "is deregistered twice");

    let mut commit = fresh();
    commit.create_version(["a"], create("a", 7).with_id(["b"]));
    refused(
        commit.send().await.unwrap_err(),
        "the request names [\"b\"] and the handle [\"a\"]",
    );

    let batch = server.client().version_batch();
    refused(batch.send().await.unwrap_err(), "the batch is empty");
    let mut batch = server.client().version_batch();
    batch.create(entry("a", 7));
    batch.create(entry("a", 7));
    refused(
        batch.send().await.unwrap_err(),
        "version 7 of [\"a\"] is created twice",
    );

    assert!(server.all_calls().is_empty(), "something was sent");
}

#[tokio::test]
async fn one_version_on_two_branches_and_two_versions_of_a_table_are_fine() {
    let server = FakeServer::new();
    let mut commit = server.client().commit();
    commit.create_version(["a"], create("a", 7));
    commit.create_version(["a"], create("a", 7).with_branch("dev"));
    commit.create_version(["a"], create("a", 8));
    // It gets as far as the server, which was told nothing.
    assert_eq!(commit.send().await.unwrap_err().status().unwrap(), 406);
}

#[tokio::test]
async fn a_lost_commit_whose_versions_all_stand_was_done() {
    let server = FakeServer::new();
    server.queue("BatchCommitTables", [Reply::lost()]);
    stands(&server, &["a", "b"], &[]);
    let mut commit = commit(&server);
    let version = commit.create_version(["b"], create("b", 4));
    let gone = commit.deregister_table(["older"]);
    let done = commit.send().await.unwrap();
    let version = done.get(version).unwrap().version.as_ref().unwrap();
    assert_eq!(version.manifest_path, path("b", 4));
    assert!(done.get(gone).is_none(), "a result that nobody has read");
    assert_eq!(done.results().len(), 7);

    server.queue("BatchCreateTableVersions", [Reply::status(504)]);
    let done = batch(&server).send().await.unwrap();
    assert_eq!(done.versions()[1].manifest_path, path("b", 3));
}

#[tokio::test]
async fn a_lost_commit_with_anothers_version_was_not_done() {
    for server in [FakeServer::new(), FakeServer::new()] {
        server.queue("BatchCommitTables", [Reply::lost()]);
        server.queue("BatchCreateTableVersions", [Reply::lost()]);
        stands(&server, &["b"], &["a"]);
        for error in [
            commit(&server).send().await.unwrap_err(),
            batch(&server).send().await.unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::Taken);
            assert!(error.is_conflict());
            assert_eq!(error.existing_version().unwrap().version, 7);
        }
    }
}

#[tokio::test]
async fn a_lost_commit_of_which_nothing_is_seen_stays_unknown() {
    let server = FakeServer::new();
    server.queue("BatchCommitTables", [Reply::lost()]);
    server.queue("BatchCreateTableVersions", [Reply::lost()]);
    stands(&server, &[], &[]);
    assert!(commit(&server).send().await.unwrap_err().is_unknown());
    assert!(batch(&server).send().await.unwrap_err().is_unknown());
    // Nothing to read back at all.
    server.queue("BatchCommitTables", [Reply::lost()]);
    let mut bare = server.client().commit();
    bare.deregister_table(["old"]);
    assert!(bare.send().await.unwrap_err().is_unknown());
}

#[tokio::test]
async fn a_commit_that_was_done_in_part_is_called_so() {
    let server = FakeServer::new();
    server.queue("BatchCommitTables", [Reply::lost()]);
    stands(&server, &["a"], &[]);
    let error = commit(&server).send().await.unwrap_err();
    assert!(error.is_unknown());
    let said = "found the first 1 of the versions, and not version 3 of [\"b\"]";
    assert!(error.to_string().contains(said), "{error}");
}

#[tokio::test]
async fn a_conflict_of_a_commit_stands_unless_it_is_ones_own() {
    let server = FakeServer::new();
    let conflict = || Reply::error(409, 14, "version 7 of a exists");
    server.queue("BatchCommitTables", [conflict(), conflict()]);
    stands(&server, &[], &["a"]);
    let error = commit(&server).send().await.unwrap_err();
    assert!(error.is_conflict());
    assert_eq!(error.kind(), ErrorKind::Server);
    // Its versions stand, and say nothing of the tables that it declares and deregisters.
    stands(&server, &["a", "b"], &[]);
    let error = commit(&server).send().await.unwrap_err();
    assert!(error.is_unknown(), "{error:?}");
    assert!(
        error.to_string().contains("the other operations"),
        "{error}"
    );

    // Of versions alone all is known.
    server.queue("BatchCommitTables", [conflict()]);
    let mut versions = server.client().commit();
    versions.create_version(["a"], create("a", 7));
    versions.create_version(["b"], create("b", 3));
    assert!(versions.send().await.is_ok(), "sent before, and done");
}

#[tokio::test]
async fn results_that_are_not_those_of_the_operations_are_read_back() {
    for answer in [
        BatchCommitTablesResponse::new([]),
        BatchCommitTablesResponse::new(vec![CommitTableResult::new(); 5]),
    ] {
        let server = FakeServer::new();
        server.queue("BatchCommitTables", [Reply::ok(&answer); 1]);
        stands(&server, &["a", "b"], &[]);
        assert!(commit(&server).send().await.is_ok());
        server.queue("BatchCommitTables", [Reply::ok(&answer)]);
        stands(&server, &[], &[]);
        let error = commit(&server).send().await.unwrap_err();
        assert_eq!(error.lost_by(), Some(ErrorKind::Decode));
    }
    let server = FakeServer::new();
    let short = BatchCreateTableVersionsResponse::new([TableVersion::new(7, "a")]);
    server.queue("BatchCreateTableVersions", [Reply::ok(&short)]);
    stands(&server, &[], &[]);
    let error = batch(&server).send().await.unwrap_err();
    assert_eq!(error.lost_by(), Some(ErrorKind::Decode));
    assert!(
        error.to_string().contains("1 versions for 2 entries"),
        "{error}"
    );
}
