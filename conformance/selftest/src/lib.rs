//! How the Lance Namespace conformance suite is itself tested.
