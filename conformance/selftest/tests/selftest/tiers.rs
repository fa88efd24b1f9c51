//! What an operation takes from a tier that the server lacks.

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use lance_namespace_selftest::interpose::{interpose, ok};
use lance_namespace_selftest::trial::serve;
use serde_json::json;

use crate::command_line::exits;

/// Of the tier versions, and needs RenameTable, which is of the tier tables.
const RENAMED: &str = "tables/renamed-table-keeps-its-versions";
const OWN: &str = "put-if-not-exists/second-create-is-refused";

/// A server without this operation on tables, by the end of its route.
fn without(suffix: &'static str) -> impl FnOnce(Router) -> Router {
    move |honest| {
        interpose(honest, move |honest, received| async move {
            if !received.is(suffix) {
                return honest.answer(received).await;
            }
            let body = json!({ "code": 0, "error": "not here" });
            (StatusCode::NOT_ACCEPTABLE, ok(&body)).into_response()
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_tier_lacks_takes_nothing_from_one_that_is_claimed() {
    let served = serve(without("/rename")).await;
    let both = [
        "--server-url",
        served.url(),
        "--scenario",
        RENAMED,
        "--scenario",
        OWN,
    ];
    let claims = |tiers: &[&'static str]| {
        let mut args = both.to_vec();
        for tier in tiers {
            args.extend(["--tier", tier]);
        }
        args
    };
    exits(&claims(&["versions"]), 0, "verdict: conformant");
    exits(
        &claims(&[]),
        0,
        "versions         1     0     0            1      0  conformant",
    );
    // It is a violation of the tier that it belongs to.
    exits(
        &claims(&["versions", "tables"]),
        1,
        "RenameTable, since the tier tables is claimed",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tier_cannot_do_without_its_own_operations_or_those_that_it_stands_on() {
    let served = serve(without("/version/create")).await;
    let tag = "tags/a-tag-names-its-version";
    let args = ["--server-url", served.url(), "--scenario", tag];
    exits(&args, 3, "unsupported: nothing is certified");
    let args = [&args[..], &["--tier", "tags"]].concat();
    exits(
        &args,
        1,
        "CreateTableVersion, since the tier tags is claimed",
    );
}
