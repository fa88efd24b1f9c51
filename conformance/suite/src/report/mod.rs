//! What a person reads, and what other tools do.

pub mod badge;
mod broken;
pub mod certificate;
pub mod comparison;
pub mod explain;
#[cfg(test)]
pub(crate) mod fixture;
pub mod github;
pub mod html;
pub mod junit;
pub mod summary;
pub mod terminal;
pub mod verified;
