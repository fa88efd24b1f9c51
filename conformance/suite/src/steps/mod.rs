//! Steps that many scenarios share.

mod faults;
mod paging;
mod reading;
mod rounds;
mod watch;

pub use faults::Faults;
pub use paging::{End, Listing, Paging, Walk, descending};
pub use reading::same_entry;
pub use rounds::Rounds;
pub use watch::{Look, Watch};
