//! Credentials: what they are, who gives them, and OAuth 2.

mod credential;
mod endpoint;
mod oauth2;
mod provider;
mod tokens;

pub use credential::Credential;
pub(crate) use credential::{brings_its_own, identify};
pub(crate) use endpoint::Endpoint;
pub use endpoint::OAuth2Error;
pub use oauth2::OAuth2ClientCredentials;
pub use provider::{BoxError, CredentialProvider};
pub(crate) use tokens::Tokens;
