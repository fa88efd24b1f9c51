//! How the suite is itself tested: servers that are broken in one way each, and the suite run
//! against them.
//!
//! A [`Mutant`](mutant::Mutant) stands before the router of the reference server and changes what
//! goes through. The reference server has no fault in it and no switch for one. It has no rows
//! either: a [`data_plane`] that stands before it does.

pub mod broken;
pub mod data_plane;
pub mod interpose;
pub mod judgement;
pub mod kept;
pub mod matrix;
pub mod mutant;
pub mod mutants;
pub mod naming;
pub mod piecemeal;
pub mod reading;
pub mod readings;
pub mod relist;
pub mod settings;
pub mod trial;
pub mod watch;
