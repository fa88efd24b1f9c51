//! Steps that many scenarios share.

mod all_or_nothing;
mod change;
mod contest;
mod effect;
mod faults;
mod growth;
mod listing;
mod order;
mod paging;
mod reading;
mod rounds;
mod survival;
mod versions;
mod watch;

pub use change::Change;
pub use contest::{Contest, NextVersions};
pub use effect::{Effect, Look};
pub use faults::Faults;
pub use growth::{Growth, LookForLatest};
pub use listing::{End, Listing, Walk};
pub use order::descending;
pub use paging::Paging;
pub use rounds::Rounds;
pub use survival::Survival;
pub use watch::{Views, Watch};
