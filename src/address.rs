//! Where a request goes, written for speed: what is the same for all requests is not read anew.

use reqwest::{RequestBuilder, Url};
use serde::Serialize;

/// The address at a path, which is percent-encoded, of the server at `base`.
pub(crate) fn at(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(path);
    url
}

/// Adds a query parameter, if it is there.
pub(crate) fn with(
    request: RequestBuilder,
    there: bool,
    parameter: &(impl Serialize + ?Sized),
) -> RequestBuilder {
    match there {
        true => request.query(parameter),
        false => request,
    }
}
