//! Trying again: after what, how often, how long after. The clock is paused: nothing waits for real.

use std::time::Duration;

use lance_namespace_client::models::*;
use lance_namespace_client::testing::{FakeServer, Reply};
use lance_namespace_client::{Client, Error, ErrorKind, RetryPolicy};
use proptest::prelude::*;
use tokio::time::Instant;

const SECOND: Duration = Duration::from_secs(1);
const READ: &str = "DescribeTable";
const WRITE: &str = "CreateTableVersion";

fn described() -> Reply {
    Reply::ok(&DescribeTableResponse::new().with_version(3))
}

fn created() -> Reply {
    Reply::ok(&CreateTableVersionResponse::new())
}

async fn read(client: &Client) -> Result<DescribeTableResponse, Error> {
    let request = DescribeTableRequest::new().with_id(["t"]);
    client.describe_table(&request).await
}

async fn write(client: &Client) -> Result<CreateTableVersionResponse, Error> {
    let request = CreateTableVersionRequest::new(7, "m").with_id(["t"]);
    client.create_table_version(&request).await
}

/// What became of a read that met `replies`, and how often it was sent.
async fn read_after(replies: Vec<Reply>) -> (Result<DescribeTableResponse, Error>, usize) {
    let server = FakeServer::new();
    server.queue(READ, replies);
    (read(&server.client()).await, server.calls(READ).len())
}

/// The same of a write.
async fn write_after(replies: Vec<Reply>) -> (Result<CreateTableVersionResponse, Error>, usize) {
    let server = FakeServer::new();
    server.queue(WRITE, replies);
    (write(&server.client()).await, server.calls(WRITE).len())
}

#[tokio::test(start_paused = true)]
async fn a_read_is_tried_again_until_it_is_answered() {
    let (answer, calls) =
        read_after(vec![Reply::status(503), Reply::status(503), described()]).await;
    assert_eq!(answer.unwrap().version, Some(3));
    assert_eq!(calls, 3);
}

#[tokio::test(start_paused = true)]
async fn what_a_read_is_tried_again_after() {
    for reply in [
        Reply::refused(),
        Reply::lost(),
        described().cut_after(3),
        Reply::status(429),
        Reply::status(502),
        Reply::status(503),
        Reply::status(504),
        Reply::error(500, 17, "starting"),
        Reply::error(400, 21, "slow down"),
    ] {
        let (answer, calls) = read_after(vec![reply.clone(), described()]).await;
        assert!(answer.is_ok(), "{reply:?}: {answer:?}");
        assert_eq!(calls, 2, "{reply:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_read_is_not_tried_again_after() {
    for reply in [
        Reply::status(400),
        Reply::status(404),
        Reply::status(500),
        Reply::status(501),
        Reply::status(307),
        Reply::error(406, 0, "no"),
        Reply::error(503, 14, "another writer"),
        Reply::ok(&"not an object"),
    ] {
        let (answer, calls) = read_after(vec![reply.clone(), described()]).await;
        let error = answer.unwrap_err();
        assert_eq!((calls, error.attempts()), (1, 1), "{reply:?}");
        assert!(!error.is_retryable() && !error.is_unknown(), "{reply:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_is_tried_again_only_where_it_surely_was_not_done() {
    for reply in [
        Reply::refused(),
        Reply::status(429),
        Reply::error(503, 21, "slow down"),
    ] {
        let (answer, calls) = write_after(vec![reply.clone(), created()]).await;
        assert!(answer.is_ok(), "{reply:?}");
        assert_eq!(calls, 2, "{reply:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_write_whose_answer_was_lost_is_sent_once_and_unknown() {
    for (reply, by) in [
        (Reply::lost(), ErrorKind::Transport),
        (created().cut_after(1), ErrorKind::Truncated),
        (Reply::ok(&"not an object"), ErrorKind::Decode),
        (Reply::status(200).with_body("<html>"), ErrorKind::Decode),
        (Reply::never(), ErrorKind::Timeout),
        (Reply::status(408), ErrorKind::Server),
        (Reply::status(500), ErrorKind::Server),
        (Reply::status(502), ErrorKind::Server),
        (Reply::status(503), ErrorKind::Server),
        (Reply::status(504), ErrorKind::Server),
        (Reply::error(503, 17, "restarting"), ErrorKind::Server),
        (Reply::error(500, 18, "oops"), ErrorKind::Server),
        (Reply::error(500, 99, "who knows"), ErrorKind::Server),
    ] {
        let (answer, calls) = write_after(vec![reply.clone(), created()]).await;
        let error = answer.unwrap_err();
        assert!(error.is_unknown(), "{reply:?}: {error:?}");
        assert_eq!(error.lost_by(), Some(by), "{reply:?}");
        assert_eq!((calls, error.attempts()), (1, 1), "{reply:?}");
        assert!(!error.is_retryable() && !error.is_conflict(), "{reply:?}");
        assert!(
            error.to_string().contains("the outcome is unknown"),
            "{error}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_a_write_is_no_unknown_outcome() {
    for reply in [
        Reply::error(409, 14, "exists"),
        Reply::status(409),
        Reply::status(400),
        Reply::status(413),
        Reply::error(404, 4, "no table"),
        Reply::error(406, 0, "lacking"),
        Reply::status(501),
        Reply::status(307),
        // Said with a wrong status, and said all the same.
        Reply::error(500, 4, "no table"),
        Reply::error(500, 14, "exists"),
    ] {
        let (answer, calls) = write_after(vec![reply.clone(), created()]).await;
        let error = answer.unwrap_err();
        assert!(!error.is_unknown(), "{reply:?}: {error:?}");
        assert_eq!(calls, 1, "{reply:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_conflict_after_ones_own_attempt_is_unknown() {
    let conflict = Reply::error(409, 14, "version 7 exists");
    let (answer, calls) = write_after(vec![Reply::status(429), conflict.clone()]).await;
    let error = answer.unwrap_err();
    assert!(error.is_unknown() && !error.is_conflict(), "{error:?}");
    assert_eq!(error.lost_by(), Some(ErrorKind::Server));
    assert_eq!(error.code().unwrap().number(), 14);
    assert_eq!((calls, error.attempts()), (2, 2));

    // An attempt that found no connection cannot have been the one that was first.
    let (answer, _) = write_after(vec![Reply::refused(), conflict]).await;
    assert!(answer.unwrap_err().is_conflict());
}

#[tokio::test(start_paused = true)]
async fn nothing_found_after_ones_own_drop_is_unknown() {
    let server = FakeServer::new();
    let gone = Reply::error(404, 4, "no table");
    server.queue("DropTable", [gone.clone(), Reply::status(429), gone]);
    let table = server.client().table(["t"]);
    assert!(table.drop().await.unwrap_err().is_not_found());
    assert!(table.drop().await.unwrap_err().is_unknown());
}

#[tokio::test(start_paused = true)]
async fn attempts_end_at_their_limit_and_stand_in_the_error() {
    let server = FakeServer::new();
    server.on(READ, |_| {
        Reply::status(503).with_header("x-request-id", "r9")
    });
    let policy = RetryPolicy::new()
        .with_max_attempts(6)
        .with_delays(SECOND, SECOND);
    let client = server.client_builder().retry(policy).build().unwrap();
    let began = Instant::now();
    let error = read(&client).await.unwrap_err();
    assert_eq!((server.calls(READ).len(), error.attempts()), (6, 6));
    assert_eq!(error.elapsed(), began.elapsed());
    assert!(error.elapsed() >= SECOND * 5 && error.elapsed() <= SECOND * 10);
    assert_eq!(error.kind(), ErrorKind::Server);
    assert_eq!(error.request_id(), Some("r9"));
    assert!(error.is_retryable());
    assert!(
        error.to_string().contains("(after 6 attempts in "),
        "{error}"
    );
}

#[tokio::test(start_paused = true)]
async fn delays_double_up_to_the_longest_and_differ_by_chance() {
    let server = FakeServer::new();
    server.on(READ, |_| Reply::status(503));
    let policy = RetryPolicy::new()
        .with_max_attempts(6)
        .with_delays(SECOND, SECOND * 4);
    let client = server
        .client_builder()
        .retry(policy)
        .timeout(None)
        .build()
        .unwrap();
    // 1, 2, 4, 4 and 4 seconds, each with up to as much again.
    let mut seen = Vec::new();
    for _ in 0..20 {
        let took = read(&client).await.unwrap_err().elapsed();
        assert!(took >= SECOND * 15 && took <= SECOND * 30, "{took:?}");
        seen.push(took);
    }
    seen.dedup();
    assert!(seen.len() > 1, "no jitter: {seen:?}");
}

#[tokio::test(start_paused = true)]
async fn the_longer_of_retry_after_and_the_delay_is_waited() {
    let patient = RetryPolicy::new().with_delays(SECOND * 5, SECOND * 5);
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    for (header, least) in [("20", 20), ("1", 5), (date, 37), ("soon", 5)] {
        let server = FakeServer::new();
        let busy = Reply::status(429)
            .with_header("date", "Sun, 06 Nov 1994 08:49:00 GMT")
            .with_header("retry-after", header);
        server.queue(READ, [busy, described()]);
        let client = server.client_builder().retry(patient).build().unwrap();
        let began = Instant::now();
        read(&client).await.unwrap();
        let took = began.elapsed().as_secs();
        assert!((least..=least.max(10)).contains(&took), "{header}: {took}");
    }
}

#[tokio::test(start_paused = true)]
async fn one_deadline_spans_all_attempts_and_waits() {
    let server = FakeServer::new();
    server.on(READ, |_| Reply::status(503).after(SECOND * 4));
    let patient = RetryPolicy::new()
        .with_max_attempts(100)
        .with_delays(SECOND, SECOND);
    let client = server
        .client_builder()
        .retry(patient)
        .timeout(SECOND * 20)
        .build()
        .unwrap();
    let error = read(&client).await.unwrap_err();
    // tokio's clock ticks in milliseconds.
    let limit = SECOND * 20 + Duration::from_millis(10);
    assert!(error.elapsed() <= limit, "{:?}", error.elapsed());
    assert!((3..=4).contains(&error.attempts()), "{}", error.attempts());
}

#[tokio::test(start_paused = true)]
async fn a_wait_beyond_the_deadline_is_not_begun() {
    let server = FakeServer::new();
    server.queue(READ, [Reply::status(429).with_header("retry-after", "61")]);
    let error = read(&server.client()).await.unwrap_err();
    assert_eq!((error.attempts(), error.elapsed()), (1, Duration::ZERO));
    assert_eq!(error.retry_after(), Some(SECOND * 61));
    assert_eq!(error.status().unwrap(), 429);
    assert!(error.is_retryable());
}

#[tokio::test(start_paused = true)]
async fn an_attempt_may_have_a_limit_of_its_own() {
    let server = FakeServer::new();
    server.queue(READ, [Reply::never(), described()]);
    server.queue(WRITE, [Reply::never(), created()]);
    let client = server
        .client_builder()
        .attempt_timeout(SECOND)
        .build()
        .unwrap();
    let began = Instant::now();
    assert!(read(&client).await.is_ok());
    assert!(began.elapsed() >= SECOND);
    let error = write(&client).await.unwrap_err();
    assert_eq!(error.lost_by(), Some(ErrorKind::Timeout));
    assert_eq!(error.elapsed(), SECOND);
}

#[tokio::test(start_paused = true)]
async fn retries_are_switched_off_for_a_client_or_a_call() {
    let server = FakeServer::new();
    server.on(READ, |_| Reply::status(503));
    let client = server
        .client_builder()
        .retry(RetryPolicy::none())
        .build()
        .unwrap();
    assert_eq!(read(&client).await.unwrap_err().attempts(), 1);
    let patient = client.with_retry(RetryPolicy::new().with_max_attempts(3));
    assert_eq!(read(&patient).await.unwrap_err().attempts(), 3);
    assert_eq!(read(&client).await.unwrap_err().attempts(), 1);
    let hurried = patient.with_timeout(Duration::from_millis(1));
    assert_eq!(read(&hurried).await.unwrap_err().attempts(), 1);
}

#[tokio::test(start_paused = true)]
async fn bytes_are_sent_again_and_a_stream_is_not() {
    use lance_namespace_client::reqwest::Body;
    let server = FakeServer::new();
    let client = server.client();
    let request = InsertIntoTableRequest::new().with_id(["t"]);
    let inserted = Reply::ok(&InsertIntoTableResponse::new().with_version(2));

    server.queue("InsertIntoTable", [Reply::status(429), inserted.clone()]);
    let answer = client.insert_into_table(&request, "ARROW1").await;
    assert_eq!(answer.unwrap().version, Some(2));
    let calls = server.calls("InsertIntoTable");
    assert_eq!(calls.len(), 2);
    assert!(calls.iter().all(|call| call.body() == "ARROW1"));

    server.queue("InsertIntoTable", [Reply::status(429), inserted]);
    let pieces = futures::stream::iter([Ok::<_, std::io::Error>("ARROW1")]);
    let body = Body::wrap_stream(pieces);
    let error = client.insert_into_table(&request, body).await.unwrap_err();
    assert_eq!(
        (error.attempts(), error.status().unwrap().as_u16()),
        (1, 429)
    );
    assert_eq!(server.calls("InsertIntoTable").len(), 3);
}

proptest! {
    /// A write is sent a second time only after answers that say that it was not done.
    #[test]
    fn no_write_is_repeated_after_an_answer_that_leaves_it_open(
        status in 400_u16..600,
        code in proptest::option::of(-2_i64..40),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        let reply = match code {
            Some(code) => Reply::error(status, code, "no"),
            None => Reply::status(status),
        };
        let (answer, calls) = runtime.block_on(write_after(vec![reply, created()]));
        let repeated = (status == 429 || code == Some(21)) && code != Some(14);
        prop_assert_eq!(calls, if repeated { 2 } else { 1 });
        prop_assert_eq!(answer.is_ok(), repeated);
        if let Err(error) = answer {
            prop_assert_eq!(error.status().unwrap().as_u16(), status);
            prop_assert_eq!(error.code().map(|code| code.number()), code);
        }
    }
}
