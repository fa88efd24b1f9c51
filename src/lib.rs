//! A client for the Lance Namespace REST protocol.
