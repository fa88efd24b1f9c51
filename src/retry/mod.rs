//! Trying again: which operation after which failure, how often, and how long after.

mod after;
mod class;
mod policy;

pub(crate) use after::retry_after;
pub use class::RetryClass;
pub use policy::RetryPolicy;
pub(crate) use policy::Tried;
