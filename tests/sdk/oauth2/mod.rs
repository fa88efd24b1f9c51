//! OAuth 2 client credentials.

mod answers;
mod asking;
mod example;
mod issuer;
mod rejected;
mod renewing;
