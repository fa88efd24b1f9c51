//! Listings: from the first page to the last, as streams.

mod items;
mod pages;
pub(crate) mod sealed;

pub use items::Items;
pub use pages::Pages;
pub use sealed::Paged;
