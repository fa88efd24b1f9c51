//! What carries a request: HTTP, or a fake.

use crate::Error;
use crate::operation::Operation;
#[cfg(feature = "testing")]
use crate::testing::FakeServer;

/// What carries a request.
pub(crate) enum Transport {
    Http(reqwest::Client),
    #[cfg(feature = "testing")]
    Fake(FakeServer),
}

impl Transport {
    /// Sends a request of an operation, and gives the answer once its status and headers are there.
    pub(crate) async fn send(
        &self,
        operation: &'static Operation,
        request: reqwest::Request,
    ) -> Result<reqwest::Response, Error> {
        // HTTP has no need of it.
        let _ = operation;
        match self {
            Self::Http(client) => client.execute(request).await.map_err(Error::transport),
            #[cfg(feature = "testing")]
            Self::Fake(fake) => fake.answer(operation, request).await,
        }
    }
}
