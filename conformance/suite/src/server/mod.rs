//! Servers that the suite starts itself, so that it can kill them and start them again.

mod command;
mod group;
mod process;
mod started;

pub use command::{CommandError, ServerCommand};
pub use group::end_all;
pub use process::StartError;
pub use started::StartedServer;
