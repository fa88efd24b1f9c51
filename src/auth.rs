//! Credentials, as headers.

use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName};

use crate::context::secret;
use crate::models::Identity;

/// The header of an API key.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Adds the headers of an identity, in place of those that are there.
pub(crate) fn identify(identity: &Identity, headers: &mut HeaderMap) -> Result<(), String> {
    if let Some(key) = &identity.api_key {
        let value =
            secret(key).map_err(|reason| format!("the API key cannot be sent: {reason}"))?;
        headers.insert(API_KEY, value);
    }
    if let Some(token) = &identity.auth_token {
        let value = secret(&format!("Bearer {token}"))
            .map_err(|reason| format!("the bearer token cannot be sent: {reason}"))?;
        headers.insert(AUTHORIZATION, value);
    }
    Ok(())
}
