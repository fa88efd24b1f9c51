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
mod rows;
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
pub(crate) use rows::{compared, listed, shortened};
pub use watch::{Views, Watch};
