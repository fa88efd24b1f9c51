//! The routes of the protocol's operations.

mod batches;
mod branches;
mod layers;
mod namespaces;
mod table_lists;
mod tables;
mod tags;
mod transactions;
mod versions;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::IntoResponse;
use axum::routing::{MethodRouter, get, post};
use serde::{Deserialize, Serialize};

use crate::config::Credentials;
use crate::error::{Error, ErrorKind};
use crate::extract::MAX_BODY;
use crate::store::Store;

/// The operations that need the data of a table, which this server never opens; all are POST.
const UNSUPPORTED: [&str; 24] = [
    "/v1/materialized_view/{id}/create",
    "/v1/materialized_view/{id}/refresh",
    "/v1/table/{id}/add_columns",
    "/v1/table/{id}/alter_columns",
    "/v1/table/{id}/analyze_plan",
    "/v1/table/{id}/backfill_column",
    "/v1/table/{id}/count_rows",
    "/v1/table/{id}/create",
    "/v1/table/{id}/create_index",
    "/v1/table/{id}/create_scalar_index",
    "/v1/table/{id}/delete",
    "/v1/table/{id}/drop_columns",
    "/v1/table/{id}/explain_plan",
    "/v1/table/{id}/index/list",
    "/v1/table/{id}/index/{index_name}/drop",
    "/v1/table/{id}/index/{index_name}/stats",
    "/v1/table/{id}/insert",
    "/v1/table/{id}/merge_insert",
    "/v1/table/{id}/query",
    "/v1/table/{id}/restore",
    "/v1/table/{id}/schema_metadata/update",
    "/v1/table/{id}/stats",
    "/v1/table/{id}/update",
    "/v1/table/{id}/update_field_metadata",
];

/// The service over `store`, for callers with these credentials.
///
/// Every answer has an `x-request-id`. An error of an operation carries an `ErrorResponse`, whose
/// `instance` is that id.
pub fn router(store: Store, credentials: Credentials) -> Router {
    let mut router = Router::new()
        .route("/v1/namespace/{id}/create", post(namespaces::create))
        .route("/v1/namespace/{id}/list", get(namespaces::list))
        .route("/v1/namespace/{id}/describe", post(namespaces::describe))
        .route("/v1/namespace/{id}/drop", post(namespaces::drop))
        .route("/v1/namespace/{id}/exists", post(namespaces::exists))
        .route("/v1/namespace/{id}/table/list", get(table_lists::list))
        .route("/v1/table", get(table_lists::list_all))
        // Clients in the wild ask with the slash.
        .route("/v1/table/", get(table_lists::list_all))
        .route("/v1/table/{id}/declare", post(tables::declare))
        .route("/v1/table/{id}/register", post(tables::register))
        .route("/v1/table/{id}/describe", post(tables::describe))
        .route("/v1/table/{id}/exists", post(tables::exists))
        .route("/v1/table/{id}/drop", post(tables::drop))
        .route("/v1/table/{id}/deregister", post(tables::deregister))
        .route("/v1/table/{id}/rename", post(tables::rename))
        .route("/v1/table/{id}/version/create", post(versions::create))
        .route("/v1/table/{id}/version/list", post(versions::list))
        .route("/v1/table/{id}/version/describe", post(versions::describe))
        .route("/v1/table/{id}/version/delete", post(versions::delete))
        .route(
            "/v1/table/version/batch-create",
            post(batches::create_versions),
        )
        .route("/v1/table/batch-commit", post(batches::commit))
        .route("/v1/table/{id}/tags/list", post(tags::list))
        .route("/v1/table/{id}/tags/version", post(tags::version))
        .route("/v1/table/{id}/tags/create", post(tags::create))
        .route("/v1/table/{id}/tags/update", post(tags::update))
        .route("/v1/table/{id}/tags/delete", post(tags::delete))
        .route("/v1/table/{id}/branches/list", post(branches::list))
        .route("/v1/table/{id}/branches/create", post(branches::create))
        .route("/v1/table/{id}/branches/delete", post(branches::delete))
        .route(
            "/v1/transaction/{id}/describe",
            post(transactions::describe),
        )
        .route("/v1/transaction/{id}/alter", post(transactions::alter));
    for path in UNSUPPORTED {
        router = router.route(path, unsupported());
    }
    router
        .fallback(no_route)
        .method_not_allowed_fallback(no_method)
        .with_state(store)
        .layer(from_fn_with_state(credentials, layers::authenticate))
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn(layers::identify))
}

/// An operation that the server lacks (REST-12).
fn unsupported() -> MethodRouter<Store> {
    post(async |request: Request| {
        let path = request.uri().path();
        let message = format!("this server keeps no table data and does not support {path}");
        Error::new(ErrorKind::Unsupported, message)
    })
}

/// A path that is no operation gets plain text: no code of the protocol fits it (REST-6).
async fn no_route(request: Request) -> impl IntoResponse {
    (
        StatusCode::NOT_FOUND,
        format!("no operation is at {}\n", request.uri().path()),
    )
}

async fn no_method(request: Request) -> impl IntoResponse {
    let text = format!(
        "{} is no operation at {}\n",
        request.method(),
        request.uri().path()
    );
    (StatusCode::METHOD_NOT_ALLOWED, text)
}

/// The query parameters of a listing.
#[derive(Debug, Deserialize)]
struct PageQuery {
    page_token: Option<String>,
    limit: Option<i64>,
}

/// The answer of a write that says no more than that it succeeded.
#[derive(Debug, Serialize)]
struct Written {
    transaction_id: String,
}
