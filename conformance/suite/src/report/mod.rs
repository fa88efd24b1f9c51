//! What a person reads.

pub mod certificate;
pub mod explain;
pub mod html;
pub mod terminal;
