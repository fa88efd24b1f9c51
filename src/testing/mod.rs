//! A fake server within the process, to test programs that use the client: without a socket, so that
//! tokio's clock can be paused, and with the failures that a network has. With the feature `testing`.
//!
//! ```
//! use lance_namespace_client::ErrorKind;
//! use lance_namespace_client::models::{CreateTableVersionRequest, DescribeTableResponse};
//! use lance_namespace_client::testing::{FakeServer, Reply};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let server = FakeServer::new();
//! server.on("DescribeTable", |_| Reply::ok(&DescribeTableResponse::new().with_version(3)));
//! server.queue("CreateTableVersion", [Reply::error(429, 21, "slow down"), Reply::lost()]);
//! let table = server.client().table(["prod", "users"]);
//!
//! assert_eq!(table.describe(Default::default()).await.unwrap().version, Some(3));
//!
//! let request = CreateTableVersionRequest::new(4, "_versions/4.manifest-1f3a");
//! let error = table.create_version(request).await.unwrap_err();
//! assert_eq!(error.kind(), ErrorKind::Unknown);
//! assert_eq!(server.calls("CreateTableVersion").len(), 2);
//! # }
//! ```

mod call;
mod reply;
mod server;

pub use call::Call;
pub use reply::Reply;
pub use server::FakeServer;
