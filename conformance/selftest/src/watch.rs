//! Whether a layer does anything: one that hands on every request and every answer as they came measures
//! nothing.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::Response;
use serde_json::Value;

use crate::interpose::{LONGEST_BODY, Received, broken_off, interpose};

/// One request and its answer, on one side of a layer.
struct Exchange {
    request: Received,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

impl Exchange {
    /// Whether it asks what is there, and changes nothing.
    fn reads(&self) -> bool {
        let asks = ["/describe", "/list", "/exists"];
        self.request.method == Method::GET || asks.iter().any(|action| self.request.is(action))
    }
}

tokio::task_local! {
    /// What the layer has asked the router behind it, for the request that it answers now.
    static ASKED: RefCell<Vec<Exchange>>;
}

/// How many requests a layer did not answer as the router behind it answered the very same ones, or took as an
/// occasion to change something itself.
#[derive(Clone, Debug, Default)]
pub struct Changes(Arc<AtomicUsize>);

impl Changes {
    /// The number so far.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// The router that `layer` makes of this one, and a count of what the layer changes from now on.
pub fn watched(layer: impl FnOnce(Router) -> Router, router: Router) -> (Router, Changes) {
    let changes = Changes::default();
    let inside = interpose(router, async |router, received| {
        let (exchange, answer) = kept(received.clone(), router.answer(received).await).await;
        // A request that the layer makes in a task of its own stands in no answer's way.
        let _ = ASKED.try_with(|asked| asked.borrow_mut().extend(exchange));
        answer
    });
    let counted = changes.clone();
    let outside = interpose(layer(inside), move |layer, received| {
        let changes = counted.clone();
        ASKED.scope(RefCell::default(), async move {
            let (exchange, answer) = kept(received.clone(), layer.answer(received).await).await;
            let unchanged = |asked: &RefCell<Vec<Exchange>>| {
                let asked = asked.borrow();
                let nothing_else = |outside: &Exchange| {
                    let by_itself = asked.iter().filter(|inside| !same(outside, inside));
                    by_itself.clone().count() < asked.len()
                        && by_itself.into_iter().all(Exchange::reads)
                };
                exchange.as_ref().is_some_and(nothing_else)
            };
            if !ASKED.with(unchanged) {
                changes.0.fetch_add(1, Ordering::Relaxed);
            }
            answer
        })
    });
    (outside, changes)
}

/// An exchange and its answer again; an answer that breaks off makes none.
async fn kept(request: Received, answer: Response) -> (Option<Exchange>, Response) {
    let (parts, body) = answer.into_parts();
    let Ok(body) = to_bytes(body, LONGEST_BODY).await else {
        return (None, broken_off());
    };
    let exchange = Exchange {
        request,
        status: parts.status,
        headers: parts.headers.clone(),
        body: body.clone(),
    };
    (
        Some(exchange),
        Response::from_parts(parts, Body::from(body)),
    )
}

fn same(one: &Exchange, other: &Exchange) -> bool {
    one.status == other.status
        && one.request.method == other.request.method
        && one.request.uri == other.request.uri
        && same_headers(&one.request.headers, &other.request.headers)
        && same_body(&one.request.body, &other.request.body)
        && same_headers(&one.headers, &other.headers)
        && same_body(&one.body, &other.body)
}

/// Who writes the same JSON anew may order its fields otherwise, and says its length again.
fn same_body(one: &Bytes, other: &Bytes) -> bool {
    let json = |bytes: &Bytes| serde_json::from_slice::<Value>(bytes).ok();
    one == other || json(one).is_some_and(|one| json(other) == Some(one))
}

fn same_headers(one: &HeaderMap, other: &HeaderMap) -> bool {
    let without_length = |headers: &HeaderMap| {
        let mut headers = headers.clone();
        headers.remove(header::CONTENT_LENGTH);
        headers
    };
    without_length(one) == without_length(other)
}

#[cfg(test)]
mod tests {
    use axum::http::Uri;
    use serde_json::json;

    use super::*;
    use crate::interpose::{Honest, error, misanswer, ok};

    /// How often a layer is found to change something of three requests.
    async fn changes(layer: impl FnOnce(Router) -> Router) -> usize {
        let router = interpose(Router::new(), async |_, received| {
            ok(&json!({ "path": received.uri.path() }))
        });
        let (router, changes) = watched(layer, router);
        let router = Honest::of(router);
        for path in ["/one", "/two", "/three"] {
            let received = Received {
                method: Method::GET,
                uri: Uri::from_static(path),
                body: Bytes::new(),
                headers: HeaderMap::new(),
            };
            router.answer(received).await;
        }
        changes.count()
    }

    #[tokio::test]
    async fn who_hands_everything_on_changes_nothing() {
        assert_eq!(changes(|router| router).await, 0);
        let writes_anew = |router| misanswer(router, |_| true, |_| {});
        assert_eq!(changes(writes_anew).await, 0);
        let asks_twice = |router| {
            interpose(router, async |router, received| {
                router.answer(received.clone()).await;
                router.answer(received).await
            })
        };
        assert_eq!(changes(asks_twice).await, 0);
        let looks = |router| {
            interpose(router, async |router, received| {
                router.versions(&[]).await;
                router.answer(received).await
            })
        };
        assert_eq!(changes(looks).await, 0);
    }

    #[tokio::test]
    async fn what_is_changed_is_counted() {
        let answers = |router| misanswer(router, |r| r.is("two"), |body| body["more"] = json!(1));
        assert_eq!(changes(answers).await, 1);
        let removes = |router| {
            interpose(router, async |router, received| {
                router.remove(&[], &Value::Null, 1).await;
                router.answer(received).await
            })
        };
        assert_eq!(changes(removes).await, 3);
        let asks_nobody = |router| interpose(router, async |_, _| error(StatusCode::GONE, 4));
        assert_eq!(changes(asks_nobody).await, 3);
        let breaks_off = |router| {
            interpose(router, async |router, received| match received.is("two") {
                true => broken_off(),
                false => router.answer(received).await,
            })
        };
        assert_eq!(changes(breaks_off).await, 1);
    }
}
