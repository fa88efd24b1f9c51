//! Steps that many scenarios share.

mod all_or_nothing;
mod change;
mod contest;
mod effect;
mod faults;
mod growth;
mod paging;
mod reading;
mod rounds;
mod versions;
mod watch;

pub use change::Change;
pub use contest::{Contest, NextVersions};
pub use effect::{Effect, Look};
pub use faults::Faults;
pub use growth::{Growth, LookForLatest};
pub use paging::{End, Listing, Paging, Walk, descending};
pub use rounds::Rounds;
pub use watch::{Views, Watch};
