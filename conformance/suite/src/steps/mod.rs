//! Steps that many scenarios share.

mod reading;
mod rounds;

pub use reading::same_entry;
pub use rounds::Rounds;
