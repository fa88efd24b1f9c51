//! Lists the namespaces of a server that wants OAuth 2 client credentials.
//!
//! ```sh
//! export LANCE_NAMESPACE_URL=https://namespace.example.com
//! export LANCE_NAMESPACE_CLIENT_ID=reports
//! export LANCE_NAMESPACE_CLIENT_SECRET=...
//! export LANCE_NAMESPACE_TOKEN_URL=https://login.example.com/oauth2/token   # else oauth/token below the URL
//! export LANCE_NAMESPACE_SCOPE=namespace.read                               # else none is asked for
//! cargo run --example oauth2
//! ```

use std::error::Error;
use std::io::{self, Write};

use futures::TryStreamExt;
use lance_namespace_client::{Client, ErrorKind, OAuth2ClientCredentials, OAuth2Error};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let set = |name: &str| std::env::var(name).map_err(|error| format!("{name}: {error}"));
    let mut credentials = OAuth2ClientCredentials::new(
        set("LANCE_NAMESPACE_CLIENT_ID")?,
        set("LANCE_NAMESPACE_CLIENT_SECRET")?,
    );
    if let Ok(url) = set("LANCE_NAMESPACE_TOKEN_URL") {
        credentials = credentials.token_url(url);
    }
    if let Ok(scope) = set("LANCE_NAMESPACE_SCOPE") {
        credentials = credentials.scope(scope);
    }
    // Nothing is sent before the first call, which asks for the token.
    let client = Client::builder(set("LANCE_NAMESPACE_URL")?)
        .oauth2(credentials)
        .build()?;
    list_namespaces(&client, &mut io::stdout()).await
}

/// Writes one line a namespace in the root.
pub(crate) async fn list_namespaces(
    client: &Client,
    out: &mut impl Write,
) -> Result<(), Box<dyn Error>> {
    let mut names = client.root().namespaces();
    while let Some(name) = names.try_next().await.map_err(explain)? {
        writeln!(out, "{name}")?;
    }
    Ok(())
}

/// Tells a wrong secret from a token endpoint that is down.
fn explain(error: lance_namespace_client::Error) -> Box<dyn Error> {
    if error.kind() != ErrorKind::Credentials {
        return error.into();
    }
    let cause = Error::source(&error).and_then(|source| source.downcast_ref::<OAuth2Error>());
    match cause.and_then(OAuth2Error::error) {
        Some("invalid_client") => format!("the client id or its secret is wrong: {error}").into(),
        _ => error.into(),
    }
}
