//! Drives a namespace server with the generated Rust client of the specification, and checks the answers.
//!
//! `peer-client URL`: one line a check, then `N passed, M failed`; exit 1 when one failed.

use std::fmt::Debug;
use std::process::ExitCode;

use lance_namespace_reqwest_client::apis::configuration::Configuration;
use lance_namespace_reqwest_client::apis::{Error, namespace_api, table_api};
use lance_namespace_reqwest_client::models::{
    BatchCommitTablesRequest, BatchCreateTableVersionsRequest, BatchDeleteTableVersionsRequest,
    CommitTableOperation, CreateNamespaceRequest, CreateTableVersionEntry,
    CreateTableVersionRequest, DeclareTableRequest, DeregisterTableRequest, DescribeTableRequest,
    DescribeTableVersionRequest, DropNamespaceRequest, NamespaceExistsRequest, TableExistsRequest,
    VersionRange,
};

type Failure = Box<dyn std::error::Error>;

#[derive(Default)]
struct Checks {
    passed: usize,
    failed: usize,
}

impl Checks {
    fn equal<T: PartialEq + Debug>(&mut self, name: &str, actual: T, expected: T) {
        if actual == expected {
            self.passed += 1;
            println!("ok    Rust peer: {name}");
        } else {
            self.failed += 1;
            println!("FAIL  Rust peer: {name}: got {actual:?}, expected {expected:?}");
        }
    }

    /// The call is refused with this status and, in the body, this code.
    fn refused<T: Debug, E: Debug>(
        &mut self,
        name: &str,
        result: Result<T, Error<E>>,
        expected: (u16, Option<i64>),
    ) {
        match result {
            Err(Error::ResponseError(answer)) => {
                self.equal(
                    name,
                    (answer.status.as_u16(), code(&answer.content)),
                    expected,
                );
            }
            other => self.equal(
                name,
                format!("{other:?}"),
                format!("an answer {expected:?}"),
            ),
        }
    }
}

/// The Lance code in an error's body.
fn code(body: &str) -> Option<i64> {
    let after = body.split_once(r#""code":"#)?.1.trim_start();
    let digits = after
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(after.len());
    after[..digits].parse().ok()
}

/// What one run works with: a namespace of its own.
struct Run {
    server: Configuration,
    root: String,
}

impl Run {
    fn id(&self, table: &str) -> String {
        format!("{}${table}", self.root)
    }

    fn parts(&self, table: &str) -> Vec<String> {
        vec![self.root.clone(), table.to_owned()]
    }

    async fn declare(&self, table: &str) -> Result<String, Failure> {
        let request = DeclareTableRequest::new();
        let declared =
            table_api::declare_table(&self.server, &self.id(table), request, None).await?;
        declared
            .location
            .ok_or_else(|| "declare answers no location".into())
    }

    async fn versions(&self, table: &str) -> Result<Vec<i64>, Failure> {
        let listed = table_api::list_table_versions(
            &self.server,
            &self.id(table),
            None,
            None,
            None,
            None,
            Some(true),
        )
        .await?;
        Ok(listed.versions.iter().map(|entry| entry.version).collect())
    }

    async fn exists(&self, table: &str) -> bool {
        let request = TableExistsRequest::new();
        table_api::table_exists(&self.server, &self.id(table), request, None)
            .await
            .is_ok()
    }
}

/// A manifest path at the table's location, without scheme and leading slash.
fn staged(location: &str, name: &str) -> String {
    let path = location
        .split_once("://")
        .map_or(location, |(_, path)| path);
    format!("{}/_versions/{name}", path.trim_matches('/'))
}

async fn single(run: &Run, checks: &mut Checks) -> Result<(), Failure> {
    let Run { server, root } = run;
    namespace_api::create_namespace(server, root, CreateNamespaceRequest::new(), None).await?;
    let again = namespace_api::create_namespace(server, root, CreateNamespaceRequest::new(), None);
    checks.refused("create namespace again", again.await, (409, Some(2)));
    let location = run.declare("one").await?;
    let request = DescribeTableRequest::new();
    let described =
        table_api::describe_table(server, &run.id("one"), request, None, None, None, None).await?;
    checks.equal("describe table", described.location, Some(location.clone()));
    let listed = namespace_api::list_tables(server, root, None, None, None, None).await?;
    checks.equal("list tables", listed.tables, vec!["one".to_owned()]);
    checks.equal("table exists: missing", run.exists("no").await, false);

    let create = |version: i64, name: &str| {
        let request = CreateTableVersionRequest::new(version, staged(&location, name));
        async { table_api::create_table_version(server, &run.id("one"), request, None).await }
    };
    for version in 1..=3 {
        create(version, &format!("{version}.manifest-first")).await?;
    }
    checks.equal(
        "create and list versions",
        run.versions("one").await?,
        vec![3, 2, 1],
    );
    let conflict = create(3, "3.manifest-second").await;
    checks.refused(
        "create version 3 with another manifest",
        conflict,
        (409, Some(14)),
    );
    let describe = |version: Option<i64>| {
        let request = DescribeTableVersionRequest {
            version,
            ..Default::default()
        };
        async { table_api::describe_table_version(server, &run.id("one"), request, None).await }
    };
    checks.equal(
        "describe the latest",
        describe(None).await?.version.version,
        3,
    );
    checks.refused(
        "describe a missing one",
        describe(Some(4)).await,
        (404, Some(11)),
    );
    let ranges = BatchDeleteTableVersionsRequest::new(vec![VersionRange::new(1, 3)]);
    let deleted =
        table_api::batch_delete_table_versions(server, &run.id("one"), ranges, None).await?;
    checks.equal("delete: end is exclusive", deleted.deleted_count, Some(2));
    checks.equal("delete: what stays", run.versions("one").await?, vec![3]);
    Ok(())
}

async fn batches(run: &Run, checks: &mut Checks) -> Result<(), Failure> {
    let locations = [run.declare("a").await?, run.declare("b").await?];
    let batch = |wanted: [i64; 2], attempt: &'static str| {
        let entries =
            ["a", "b"]
                .iter()
                .zip(wanted)
                .zip(&locations)
                .map(|((table, version), at)| {
                    let path = staged(at, &format!("{version}.manifest-{attempt}"));
                    CreateTableVersionEntry::new(run.parts(table), version, path)
                });
        let request = BatchCreateTableVersionsRequest::new(entries.collect());
        async { table_api::batch_create_table_versions(&run.server, request, None).await }
    };
    let created = batch([1, 1], "first").await?;
    let numbers: Vec<i64> = created.versions.iter().map(|entry| entry.version).collect();
    checks.equal("batch create", numbers, vec![1, 1]);
    checks.refused(
        "batch create with one conflict",
        batch([2, 1], "second").await,
        (409, Some(14)),
    );
    checks.equal(
        "a refused batch creates nothing",
        run.versions("a").await?,
        vec![1],
    );

    let declare = |table: &str| DeclareTableRequest {
        id: Some(run.parts(table)),
        ..Default::default()
    };
    let deregister = DeregisterTableRequest {
        id: Some(run.parts("b")),
        ..Default::default()
    };
    let commit = |second: CommitTableOperation| {
        let first = CommitTableOperation {
            declare_table: Some(Box::new(declare("c"))),
            ..Default::default()
        };
        let request = BatchCommitTablesRequest::new(vec![first, second]);
        async { table_api::batch_commit_tables(&run.server, request, None).await }
    };
    let taken = CommitTableOperation {
        declare_table: Some(Box::new(declare("a"))),
        ..Default::default()
    };
    checks.refused(
        "commit with one conflict",
        commit(taken).await,
        (409, Some(5)),
    );
    checks.equal(
        "a refused commit applies nothing",
        run.exists("c").await,
        false,
    );
    let both = CommitTableOperation {
        deregister_table: Some(Box::new(deregister)),
        ..Default::default()
    };
    checks.equal(
        "commit: a result an operation",
        commit(both).await?.results.len(),
        2,
    );
    checks.equal("commit: declared", run.exists("c").await, true);
    checks.equal("commit: deregistered", run.exists("b").await, false);
    Ok(())
}

async fn remove(run: &Run, checks: &mut Checks) -> Result<(), Failure> {
    let Run { server, root } = run;
    let listed = namespace_api::list_tables(server, root, None, None, None, None).await?;
    for table in listed.tables {
        let request = DeregisterTableRequest::new();
        table_api::deregister_table(server, &run.id(&table), request, None).await?;
    }
    namespace_api::drop_namespace(server, root, DropNamespaceRequest::new(), None).await?;
    let gone = namespace_api::namespace_exists(server, root, NamespaceExistsRequest::new(), None);
    checks.refused("its namespace is gone", gone.await, (404, Some(1)));
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().nth(1) else {
        eprintln!("usage: peer-client URL");
        return ExitCode::from(2);
    };
    let server = Configuration {
        base_path: url.trim_end_matches('/').to_owned(),
        ..Default::default()
    };
    let run = Run {
        server,
        root: format!("peer_client_{}", std::process::id()),
    };
    let mut checks = Checks::default();
    let parts = [
        single(&run, &mut checks).await,
        batches(&run, &mut checks).await,
        remove(&run, &mut checks).await,
    ];
    for failure in parts.into_iter().filter_map(Result::err) {
        checks.failed += 1;
        println!("FAIL  Rust peer: stopped: {failure}");
    }
    println!("{} passed, {} failed", checks.passed, checks.failed);
    if checks.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
