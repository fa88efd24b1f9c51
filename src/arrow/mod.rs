//! Arrow data, streamed both ways.

mod body;
mod stream;

pub use body::ArrowBody;
pub use stream::ArrowStream;
