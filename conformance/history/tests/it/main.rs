//! The checker against an oracle, a simulated server, and histories written by hand.

#[path = "../../simulate/large.rs"]
mod large;
#[path = "../../oracle/mod.rs"]
mod oracle;
#[path = "../../simulate/mod.rs"]
mod simulate;
#[path = "../../simulate/small.rs"]
mod small;

mod agreement;
mod findings;
mod lines;
mod long;
mod meaning;
mod register;
mod replay;
