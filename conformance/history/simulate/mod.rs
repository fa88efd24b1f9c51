//! Histories of a server that is simulated: honest ones, and ones with a fault.

pub(crate) mod server;
pub(crate) mod workload;
