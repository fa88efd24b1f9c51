//! One call of an operation: what is checked before it, what it sends, and how its answer is read.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use reqwest::header::HeaderMap;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::answer::Received;
use crate::arrow::{ArrowBody, ArrowStream};
use crate::auth::CredentialProvider;
use crate::client::{Settings, Shared};
use crate::context::CarriesContext;
use crate::generated::wire;
use crate::id::{self, DEFAULT_DELIMITER};
use crate::models::Identity;
use crate::operation::Operation;
use crate::send::Want;
use crate::upload::{Sent, Upload};
use crate::{Error, ErrorKind, auth, context};

/// Writes the request of one attempt. A function without a type parameter for all operations, so
/// that 54 methods do not make 54 copies of what sends them.
pub(crate) type Write<'a> = &'a (dyn Fn() -> reqwest::Result<reqwest::Request> + Sync);

/// One call of an operation, over all its attempts.
pub(crate) struct Exchange<'a> {
    pub(crate) client: &'a Shared,
    pub(crate) settings: Settings,
    pub(crate) operation: &'static Operation,
    /// Of this call: on top of those of the client.
    pub(crate) headers: HeaderMap,
    /// Who is asked for the credential of each attempt.
    pub(crate) credentials: Option<&'a Arc<dyn CredentialProvider>>,
    /// The identifier on the path.
    pub(crate) id: OnceLock<String>,
    upload: Mutex<Held>,
}

/// A body that is streamed.
#[derive(Default)]
struct Held {
    body: Option<ArrowBody>,
    /// What becomes of the body of the present attempt.
    sent: Option<Arc<Sent>>,
}

/// What a request is made of.
impl<'a> Exchange<'a> {
    pub(crate) fn new(
        client: &'a Shared,
        settings: Settings,
        operation: &'static Operation,
        identity: Option<&Identity>,
        context: Option<&HashMap<String, String>>,
    ) -> Result<Self, Error> {
        let refuse = |reason: String| Error::request(reason).of(operation);
        let mut headers = HeaderMap::new();
        if let Some(context) = context {
            context::send(context, client.legacy_context, &mut headers).map_err(refuse)?;
        }
        if let Some(identity) = identity {
            auth::identify(identity, &mut headers).map_err(refuse)?;
        }
        Ok(Self {
            client,
            settings,
            operation,
            headers,
            credentials: client
                .credentials
                .as_ref()
                .filter(|_| !identity.is_some_and(auth::brings_its_own)),
            id: OnceLock::new(),
            upload: Mutex::default(),
        })
    }

    pub(crate) fn wire(&self) -> &wire::Client {
        &self.client.wire
    }

    /// The query parameter `delimiter`, which is sent only where it is not the protocol's own.
    pub(crate) fn delimiter(&self) -> Option<&str> {
        Some(self.client.delimiter.as_str()).filter(|known| *known != DEFAULT_DELIMITER)
    }

    /// The path segment of an identifier.
    pub(crate) fn identifier(&self, id: Option<&[String]>) -> Result<&str, Error> {
        let id = id
            .ok_or_else(|| self.refuse("`id` is not set; an empty one names the root namespace"))?;
        let joined = id::join(id, &self.client.delimiter).map_err(|reason| self.refuse(reason))?;
        Ok(self.id.get_or_init(|| joined))
    }

    /// Checks an identifier within a batch, whose path has none. It travels in parts, yet one that
    /// could not stand on a path names an object that no other operation reaches.
    pub(crate) fn nested(&self, id: Option<&[String]>) -> Result<(), Error> {
        let id = id.ok_or_else(|| self.refuse("`id` is not set within the batch"))?;
        id::join(id, &self.client.delimiter)
            .map(drop)
            .map_err(|reason| self.refuse(reason))
    }

    /// Another path segment.
    pub(crate) fn segment<'s>(&self, name: &str, value: Option<&'s str>) -> Result<&'s str, Error> {
        let value = self.required(name, value)?;
        id::check_segment(&format!("`{name}`"), value).map_err(|reason| self.refuse(reason))?;
        Ok(value)
    }

    /// A value that the route needs although the model lets it be absent.
    pub(crate) fn required<T>(&self, name: &str, value: Option<T>) -> Result<T, Error> {
        value.ok_or_else(|| self.refuse(format!("`{name}` is not set, and the request needs it")))
    }

    /// A value that travels as JSON within a query parameter.
    pub(crate) fn json_text<T: Serialize>(
        &self,
        name: &str,
        value: Option<&T>,
    ) -> Result<Option<String>, Error> {
        value
            .map(serde_json::to_string)
            .transpose()
            .map_err(|error| {
                self.refuse(format!("`{name}` is not JSON"))
                    .caused_by(error)
            })
    }

    fn refuse(&self, reason: impl Into<String>) -> Error {
        Error::request(reason).of(self.operation)
    }
}

/// A body that is streamed.
impl Exchange<'_> {
    /// Keeps the body for the attempts.
    pub(crate) fn hold(&self, body: ArrowBody) {
        self.held().body = Some(body);
    }

    /// The body of one attempt: bytes are kept for a next one, a stream can be sent only once.
    pub(crate) fn upload(&self) -> reqwest::Body {
        let mut held = self.held();
        let body = held.body.take().unwrap_or_else(|| ArrowBody::from(""));
        held.body = body.again();
        let sent = Arc::new(Sent::default());
        held.sent = Some(sent.clone());
        reqwest::Body::wrap(Upload::new(body, sent))
    }

    /// What becomes of the body of the present attempt; none where it has none.
    pub(crate) fn uploading(&self) -> Option<Arc<Sent>> {
        self.held().sent.clone()
    }

    /// Whether the request can be written once more.
    pub(crate) fn repeatable(&self) -> bool {
        let held = self.held();
        held.sent.is_none() || held.body.is_some()
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Held> {
        self.upload.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What becomes of the answer.
impl Exchange<'_> {
    /// Calls, and reads the answer as a response model.
    pub(crate) async fn json<T>(&self, write: Write<'_>) -> Result<T, Error>
    where
        T: DeserializeOwned + CarriesContext,
    {
        self.decode(write, |bytes| match bytes.trim_ascii_start() {
            // An answer without a body, such as a 204, is a model in which nothing is set.
            [] => serde_json::from_str("{}"),
            // Text is checked once as a whole, and not string by string.
            [b'{', ..] => match str::from_utf8(bytes) {
                Ok(text) => serde_json::from_str(text),
                Err(_) => serde_json::from_slice(bytes),
            },
            // Models can be read from lists too, which is not lenience but luck.
            _ => Err(serde::de::Error::custom("expected an object")),
        })
        .await
    }

    /// Calls, and reads the answer as one property of a response model.
    pub(crate) async fn property<T>(&self, property: &str, write: Write<'_>) -> Result<T, Error>
    where
        T: DeserializeOwned + CarriesContext,
    {
        self.decode(write, |bytes| {
            let value: serde_json::Value = serde_json::from_slice(bytes)?;
            serde_json::from_value(serde_json::json!({ property: value }))
        })
        .await
    }

    /// Calls, and gives the body of the answer as it comes.
    pub(crate) async fn arrow(&self, write: Write<'_>) -> Result<ArrowStream, Error> {
        let received = self.send(write, Want::Head).await?;
        Ok(ArrowStream::new(self.operation, received.answer))
    }

    async fn decode<T: CarriesContext>(
        &self,
        write: Write<'_>,
        read: impl FnOnce(&[u8]) -> serde_json::Result<T>,
    ) -> Result<T, Error> {
        let Received {
            answer,
            body,
            tried,
        } = self.send(write, Want::Whole).await?;
        match read(body.bytes()) {
            Ok(mut model) => {
                let context = model.context_mut().get_or_insert_default();
                context::receive(&answer.headers, context);
                Ok(model)
            }
            Err(error) => {
                let message = format!("the answer is not what the protocol promises: {error}");
                let error = Error::new(ErrorKind::Decode, message)
                    .received(answer.status, answer.headers)
                    .caused_by(error);
                Err(self.ended(error, tried))
            }
        }
    }
}
