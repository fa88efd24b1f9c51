//! No TLS: only `http` can be used.

use std::error::Error as StdError;

use super::{Tls, unusable};
use crate::Error;

/// Refuses.
pub(super) fn secure(_: reqwest::ClientBuilder, _: &Tls) -> Result<reqwest::ClientBuilder, Error> {
    Err(unusable(
        "neither https nor certificates can: this build has it switched off; switch the feature \
         `rustls`, `aws-lc` or `native-tls` on",
    ))
}

/// Leaves `http` as it is.
pub(super) fn plain(http: reqwest::ClientBuilder) -> Result<reqwest::ClientBuilder, Error> {
    Ok(http)
}

/// Nobody refuses what is not there.
pub(super) fn refusal(_: &(dyn StdError + Send + Sync + 'static)) -> Option<String> {
    None
}
