//! What a person reads.

pub mod explain;
pub mod html;
pub mod terminal;
