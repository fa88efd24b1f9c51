//! What handlers take from a request.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{Error, ErrorKind};
use crate::id::{DEFAULT_DELIMITER, Identifier};
use crate::json;

/// The largest body that is read, in bytes.
pub const MAX_BODY: usize = 16 * 1024 * 1024;

/// The object that the route names, for operations without a body. One that is sent is not read.
pub(crate) struct Target<I>(pub(crate) I);

/// The object that the route names, and the body of the operation.
pub(crate) struct Call<I, T> {
    pub(crate) id: I,
    pub(crate) body: T,
}

/// The body of an operation whose route names no object.
pub(crate) struct Body<T>(pub(crate) T);

/// The query parameters of an operation.
pub(crate) struct Params<T>(pub(crate) T);

/// The fields that requests of most operations have in common.
#[derive(Debug, Deserialize)]
struct Envelope {
    id: Option<Vec<String>>,
    #[serde(rename = "identity")]
    _identity: Option<json::Object<Identity>>,
    #[serde(rename = "context")]
    _context: Option<BTreeMap<String, String>>,
}

/// Credentials in a body.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Identity {
    pub(crate) api_key: Option<String>,
    pub(crate) auth_token: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Delimiter {
    delimiter: Option<String>,
}

/// The identifier in the route, percent-decoded, and its delimiter (REST-3, REST-14).
async fn route_id<S: Send + Sync>(parts: &mut Parts, state: &S) -> Result<Identifier, Error> {
    let Path(text) = Path::<String>::from_request_parts(parts, state)
        .await
        .map_err(|rejection| Error::invalid(rejection.body_text()))?;
    let Params(query) = Params::<Delimiter>::from_request_parts(parts, state).await?;
    Identifier::parse(
        &text,
        query.delimiter.as_deref().unwrap_or(DEFAULT_DELIMITER),
    )
}

async fn bytes<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, Error> {
    Bytes::from_request(request, state)
        .await
        .map_err(|rejection: BytesRejection| {
            if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
                let message = format!("the body is larger than {MAX_BODY} bytes");
                Error::new(ErrorKind::BodyTooLarge, message)
            } else {
                Error::invalid(format!(
                    "the body did not arrive: {}",
                    rejection.body_text()
                ))
            }
        })
}

impl<I, S> FromRequestParts<S> for Target<I>
where
    I: TryFrom<Identifier>,
    Error: From<I::Error>,
    S: Send + Sync,
{
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        Ok(Self(I::try_from(route_id(parts, state).await?)?))
    }
}

impl<I, T, S> FromRequest<S> for Call<I, T>
where
    I: TryFrom<Identifier>,
    Error: From<I::Error>,
    T: DeserializeOwned,
    S: Send + Sync,
{
    type Rejection = Error;

    /// Reads the route and the body, and compares their identifiers (REST-1, REST-2).
    async fn from_request(request: Request, state: &S) -> Result<Self, Error> {
        let (mut parts, body) = request.into_parts();
        let id = route_id(&mut parts, state).await?;
        let bytes = bytes(Request::from_parts(parts, body), state).await?;
        let envelope: Envelope = json::parse(&bytes)?;
        if envelope.id.is_some_and(|in_body| !id.is(&in_body)) {
            return Err(Error::invalid(format!(
                "the body names another object than the route, {id}"
            )));
        }
        Ok(Self {
            id: I::try_from(id)?,
            body: json::parse(&bytes)?,
        })
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self, Error> {
        json::parse(&bytes(request, state).await?).map(Self)
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let query = Query::from_request_parts(parts, state).await;
        let Query(params) = query.map_err(|rejection| Error::invalid(rejection.body_text()))?;
        Ok(Self(params))
    }
}
