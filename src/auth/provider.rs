//! Who gives credentials.

use std::error::Error as StdError;
use std::future::Future;
use std::sync::Arc;

use futures_core::future::BoxFuture;

use crate::Credential;

/// An error of any type, as a [`CredentialProvider`] or the stream of an
/// [`ArrowBody`](crate::ArrowBody) may have.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// Gives the credential of each request, so that it can change while a client lives: it comes from a
/// file that is written anew, a vault, or another service.
///
/// An asynchronous closure without arguments is one, and so is an `Arc` of one. See
/// [`ClientBuilder::credentials`](crate::ClientBuilder::credentials) for when it is asked.
///
/// ```
/// use lance_namespace_client::{BoxError, BoxFuture, Credential, CredentialProvider};
///
/// /// A token in a file that somebody else keeps fresh.
/// struct TokenFile(std::path::PathBuf);
///
/// impl CredentialProvider for TokenFile {
///     fn credential(&self) -> BoxFuture<'_, Result<Credential, BoxError>> {
///         Box::pin(async {
///             let token = std::fs::read_to_string(&self.0)?;
///             Ok(Credential::bearer(token.trim())?)
///         })
///     }
/// }
/// ```
///
/// What its errors say is shown as it is: leave secrets out of them.
pub trait CredentialProvider: Send + Sync + 'static {
    /// The credential of a request. It is asked before each attempt that is sent, so one that is costly
    /// to get is kept by the provider.
    ///
    /// # Errors
    ///
    /// Any: the request is not sent, and the error becomes the source of an
    /// [`Error`](crate::Error) of kind [`Credentials`](crate::ErrorKind::Credentials).
    fn credential(&self) -> BoxFuture<'_, Result<Credential, BoxError>>;

    /// Another credential than `rejected`, which the server answered with 401, for one more attempt;
    /// `None`, as unless implemented, if there is none to be had: then the 401 stands.
    ///
    /// Requests that run at a time may be rejected with one credential, and each of them asks.
    ///
    /// # Errors
    ///
    /// Any: the 401 stands, and the error becomes its source.
    fn renew<'a>(
        &'a self,
        rejected: &'a Credential,
    ) -> BoxFuture<'a, Result<Option<Credential>, BoxError>> {
        let _ = rejected;
        Box::pin(async { Ok(None) })
    }
}

impl<F, Fut, E> CredentialProvider for F
where
    F: Fn() -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Credential, E>> + Send + 'static,
    E: Into<BoxError>,
{
    fn credential(&self) -> BoxFuture<'_, Result<Credential, BoxError>> {
        let asked = self();
        Box::pin(async { asked.await.map_err(Into::into) })
    }
}

impl<P: CredentialProvider + ?Sized> CredentialProvider for Arc<P> {
    fn credential(&self) -> BoxFuture<'_, Result<Credential, BoxError>> {
        (**self).credential()
    }

    fn renew<'a>(
        &'a self,
        rejected: &'a Credential,
    ) -> BoxFuture<'a, Result<Option<Credential>, BoxError>> {
        (**self).renew(rejected)
    }
}
