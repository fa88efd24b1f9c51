//! Credentials: what they are, and who gives them.

mod credential;
mod provider;

pub use credential::Credential;
pub(crate) use credential::{brings_its_own, identify};
pub use provider::{BoxError, CredentialProvider};
