//! openapi.yml as the generation sees it: pure code on parsed values, shared with the tests.

mod bodies;
pub(crate) mod document;
pub(crate) mod fault;
pub(crate) mod listing;
mod node;
pub(crate) mod operations;
mod parameters;
mod schema;
