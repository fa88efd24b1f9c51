//! Creating a version when its answer is lost, or says that the version exists.

use lance_namespace_client::models::*;
use lance_namespace_client::testing::{FakeServer, Reply};
use lance_namespace_client::{Error, ErrorKind};

const OURS: &str = "t/_versions/7.manifest-aaaa";
const ANOTHERS: &str = "t/_versions/7.manifest-bbbb";

fn stands(path: &str) -> Reply {
    let version = TableVersion::new(7, path).with_manifest_size(10);
    Reply::ok(&DescribeTableVersionResponse::new(version))
}

fn absent() -> Reply {
    Reply::error(404, 11, "no version 7")
}

fn conflict() -> Reply {
    Reply::error(409, 14, "version 7 exists")
}

/// What `create_version` makes of an answer to its create and of what then stands.
async fn create(
    created: impl IntoIterator<Item = Reply>,
    stands: impl IntoIterator<Item = Reply>,
) -> (FakeServer, Result<CreateTableVersionResponse, Error>) {
    let server = FakeServer::new();
    server.queue("CreateTableVersion", created);
    server.queue("DescribeTableVersion", stands);
    let request = CreateTableVersionRequest::new(7, OURS)
        .with_manifest_size(10)
        .with_branch("dev")
        .with_identity(Identity::new().with_api_key("ann"))
        .with_context([("header.X-Team", "search")]);
    let result = server.client().table(["t"]).create_version(request).await;
    (server, result)
}

/// Each way to lose the answer of a create that was sent.
fn lost() -> Vec<Reply> {
    vec![
        Reply::lost(),
        Reply::never(),
        Reply::ok(&CreateTableVersionResponse::new()).cut_after(1),
        Reply::status(200).with_body("<html>"),
        Reply::status(502),
        Reply::error(503, 17, "restarting"),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_a_success_when_ones_own_version_stands() {
    for reply in lost() {
        let (server, created) = create([reply.clone()], [stands(OURS)]).await;
        let version = created.unwrap().version.unwrap();
        assert_eq!((version.version, version.manifest_path.as_str()), (7, OURS));
        assert_eq!(server.calls("CreateTableVersion").len(), 1, "{reply:?}");
        assert_eq!(server.calls("DescribeTableVersion").len(), 1, "{reply:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_a_conflict_when_anothers_version_stands() {
    for reply in lost() {
        let (_, created) = create([reply.clone()], [stands(ANOTHERS)]).await;
        let error = created.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Taken, "{reply:?}");
        assert!(error.is_conflict() && !error.is_unknown(), "{reply:?}");
        assert_eq!(error.existing_version().unwrap().manifest_path, ANOTHERS);
        assert!(error.to_string().contains("another writer's"), "{error}");
        assert!(error.to_string().contains(ANOTHERS), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_stays_unknown_when_reading_back_does_not_tell() {
    let moved = "t/_versions/7.manifest";
    let silent = vec![Reply::lost(); 4];
    for found in [
        vec![absent()],
        silent,
        vec![stands(moved)],
        vec![Reply::status(500)],
    ] {
        let (server, created) = create([Reply::lost()], found.clone()).await;
        let error = created.unwrap_err();
        assert!(error.is_unknown(), "{found:?}: {error:?}");
        assert_eq!(error.lost_by(), Some(ErrorKind::Transport));
        assert_eq!(server.calls("CreateTableVersion").len(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn reading_back_is_tried_again_as_any_read() {
    let (server, created) = create([Reply::lost()], [Reply::status(503), stands(OURS)]).await;
    assert!(created.is_ok());
    assert_eq!(server.calls("DescribeTableVersion").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_conflict_with_ones_own_version_is_a_success() {
    // After one's own retry, and after an earlier call with the same request.
    for created in [vec![Reply::status(429), conflict()], vec![conflict()]] {
        let (_, created) = create(created, [stands(OURS)]).await;
        assert_eq!(created.unwrap().version.unwrap().manifest_path, OURS);
    }
}

#[tokio::test(start_paused = true)]
async fn a_conflict_is_a_conflict_and_has_what_stands() {
    for path in [ANOTHERS, "t/_versions/7.manifest"] {
        let (_, created) = create([conflict()], [stands(path)]).await;
        let error = created.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Server);
        assert!(error.is_conflict());
        assert_eq!(error.existing_version().unwrap().manifest_path, path);
    }
    // Nothing was sent before the conflict, so that it stands although nothing could be read.
    let (_, created) = create([conflict()], [Reply::status(500)]).await;
    let error = created.unwrap_err();
    assert!(error.is_conflict());
    assert!(error.existing_version().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_conflict_after_ones_own_retry_is_decided_by_what_stands() {
    let retried = || [Reply::status(429), conflict()];
    let (_, created) = create(retried(), [stands(ANOTHERS)]).await;
    assert_eq!(created.unwrap_err().kind(), ErrorKind::Taken);
    let (_, created) = create(retried(), [Reply::status(500)]).await;
    assert!(created.unwrap_err().is_unknown());
}

#[tokio::test(start_paused = true)]
async fn other_errors_are_not_looked_into() {
    for reply in [
        Reply::error(404, 4, "no table"),
        Reply::error(400, 13, "no"),
        Reply::error(406, 0, "lacking"),
    ] {
        let (server, created) = create([reply], []).await;
        assert_eq!(created.unwrap_err().kind(), ErrorKind::Server);
        assert!(server.calls("DescribeTableVersion").is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn reading_back_is_on_behalf_of_the_same_caller_and_branch() {
    let (server, created) = create([Reply::lost()], [stands(OURS)]).await;
    created.unwrap();
    let read = &server.calls("DescribeTableVersion")[0];
    let body: DescribeTableVersionRequest = read.json();
    assert_eq!(body.branch.as_deref(), Some("dev"));
    assert_eq!(body.version, Some(7));
    assert_eq!(read.path(), "/v1/table/t/version/describe");
    assert_eq!(read.headers()["x-api-key"], "ann");
    assert_eq!(read.headers()["x-team"], "search");
}
