//! Arrow data, streamed both ways.

#[cfg(feature = "arrow")]
mod batches;
mod body;
#[cfg(feature = "arrow")]
mod decode;
#[cfg(feature = "arrow")]
mod encode;
mod stream;
#[cfg(all(test, feature = "arrow"))]
mod tests;

#[cfg(feature = "arrow")]
pub use batches::RecordBatches;
pub use body::ArrowBody;
pub use stream::ArrowStream;
