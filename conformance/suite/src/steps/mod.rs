//! Steps that many scenarios share.

mod faults;
mod paging;
mod reading;
mod rounds;
mod versions;
mod watch;

pub use faults::Faults;
pub use paging::{End, Listing, Paging, Walk, descending};
pub use rounds::Rounds;
pub use watch::{Look, Watch};
