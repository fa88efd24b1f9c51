//! What a person reads.

pub mod explain;
pub mod terminal;
