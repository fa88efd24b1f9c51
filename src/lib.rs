//! A client for the Lance Namespace REST protocol.

/// The protocol document.
pub const OPENAPI: &str = include_str!("../openapi.yml");
