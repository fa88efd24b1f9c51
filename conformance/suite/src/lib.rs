//! The scenarios and engine of the Lance Namespace conformance suite.
