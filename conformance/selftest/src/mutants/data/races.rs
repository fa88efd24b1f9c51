//! Faults that show when many clients write and read at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::{Bytes, to_bytes};
use axum::http::StatusCode;
use lance_namespace_suite::rows::Frame;
use serde_json::json;

use super::{edit, mutant};
use crate::data_plane;
use crate::interpose::{Honest, Received, interpose};
use crate::mutant::Mutant;

/// Bodies in these tests are far smaller.
const LONGEST: usize = 1 << 24;

pub(super) const MUTANTS: &[Mutant] = &[
    mutant(
        "insert-loses-updates",
        "An insert reads all rows, adds its own, and writes them all back.",
        &["data/no-row-is-lost-in-a-race"],
        &["DATA-30"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, mut received| {
                if let Some(rows) = with_the_rows_before(&honest, &received).await {
                    received.body = rows;
                    edit::query(&mut received, "mode", Some("overwrite"));
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                honest.answer(received).await
            })
        },
    ),
    mutant(
        "one-insert-in-seven-is-done-twice",
        "One insert in seven is carried out twice.",
        &["data/no-row-is-lost-in-a-race"],
        &["DATA-30"],
        |honest| {
            let inserts = Arc::new(AtomicU64::new(0));
            interpose(data_plane::over(honest), move |honest, received| {
                let insert = received.table("/insert").is_some();
                let twice = insert && inserts.fetch_add(1, Ordering::Relaxed) % 7 == 6;
                async move {
                    if twice {
                        honest.answer(received.clone()).await;
                    }
                    honest.answer(received).await
                }
            })
        },
    ),
    mutant(
        "insert-in-two-halves",
        "An insert writes the first half of its rows and then the second.",
        &["data/no-reader-sees-half-an-insert"],
        &["DATA-31"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, mut received| {
                if received.table("/insert").is_some() {
                    let mut half = received.clone();
                    edit::rows(&mut half, |frame| frame.rows.truncate(12));
                    edit::rows(&mut received, |frame| {
                        frame.rows.drain(..frame.rows.len().min(12));
                    });
                    honest.answer(half).await;
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                honest.answer(received).await
            })
        },
    ),
    mutant(
        "create-checks-and-then-acts",
        "A create looks whether the table exists, and some time later writes it over whatever is there.",
        &["data/one-winner-of-a-new-table"],
        &["DATA-2"],
        |honest| {
            interpose(data_plane::over(honest), async |honest, mut received| {
                if let Some(id) = received.table("/create") {
                    let exists = honest.on_table(&id, "/exists", &json!({})).await;
                    if exists.status() == StatusCode::NOT_FOUND {
                        tokio::time::sleep(Duration::from_millis(5)).await;
                        edit::query(&mut received, "mode", Some("overwrite"));
                    }
                }
                honest.answer(received).await
            })
        },
    ),
];

/// The rows of an insert after those that are there; none if it is no insert into a table with rows.
async fn with_the_rows_before(honest: &Honest, received: &Received) -> Option<Bytes> {
    let id = received.table("/insert")?;
    let query = json!({ "vector": null, "k": 100_000 });
    let answer = honest.on_table(&id, "/query", &query).await;
    if answer.status() != StatusCode::OK {
        return None;
    }
    let body = to_bytes(answer.into_body(), LONGEST).await.ok()?;
    let mut frame = Frame::read(&body).ok()?;
    frame.rows.extend(Frame::read(&received.body).ok()?.rows);
    frame.stream().ok()
}
