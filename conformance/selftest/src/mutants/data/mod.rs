//! Faults of the data plane.

mod creates;
mod edit;
mod races;
mod reads;
mod schema;
mod writes;

use axum::Router;
use axum::response::Response;
use serde_json::Value;

use crate::data_plane;
use crate::interpose::{Received, interpose, json_of, ok};
use crate::mutant::{Mutant, breaking as mutant};

pub(super) const MUTANTS: [&[Mutant]; 5] = [
    creates::MUTANTS,
    reads::MUTANTS,
    writes::MUTANTS,
    schema::MUTANTS,
    races::MUTANTS,
];

/// An honest data plane that carries out another request than it received, for the operation whose
/// route ends so.
fn misread(honest: Router, operation: &'static str, change: fn(&mut Received)) -> Router {
    interpose(data_plane::over(honest), move |honest, mut received| {
        if concerns(&received, operation) {
            change(&mut received);
        }
        async move { honest.answer(received).await }
    })
}

/// An honest data plane that says something else of what it carried out.
fn misanswer(honest: Router, operation: &'static str, change: fn(&mut Value)) -> Router {
    interpose(data_plane::over(honest), move |honest, received| {
        let concerned = concerns(&received, operation);
        async move {
            let answer = honest.answer(received).await;
            if !concerned || !answer.status().is_success() {
                return answer;
            }
            said(answer, change).await
        }
    })
}

fn concerns(received: &Received, operation: &str) -> bool {
    let path = received.uri.path();
    path.starts_with("/v1/table/") && path.ends_with(operation)
}

async fn said(answer: Response, change: fn(&mut Value)) -> Response {
    let mut body = json_of(answer).await;
    change(&mut body);
    ok(&body)
}
