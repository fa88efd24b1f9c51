//! Steps that many scenarios share.

mod all_or_nothing;
mod change;
mod contest;
mod effect;
mod faults;
mod growth;
mod interrupted;
mod listing;
mod name_race;
mod object;
mod order;
mod paging;
mod properties;
mod reading;
mod registering;
mod repeated;
mod rounds;
mod versions;
mod watch;

pub use change::Change;
pub use contest::{Contest, NextVersions};
pub use effect::{Effect, Look};
pub use faults::Faults;
pub use growth::{Growth, LookForLatest};
pub use interrupted::Interrupted;
pub use listing::{End, Listing, Walk};
pub use name_race::NameRace;
pub use object::Object;
pub use order::descending;
pub use paging::Paging;
pub use registering::same_place;
pub use rounds::Rounds;
pub use watch::{Views, Watch};
