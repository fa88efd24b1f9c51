//! Requests that are answered in pages.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;

use crate::operation::Operation;
use crate::{Client, Error};

/// A request that is answered in pages: it has a `page_token` and a `limit`.
///
/// It is implemented for the request of every paged operation, and for nothing else. See
/// [`Client::pages`] and [`Client::items`].
pub trait Paged: Listing + Clone + Send + Sync + Unpin + 'static {
    /// The response model: one page.
    type Page: Send + Unpin + 'static;

    /// One item of a page. Where the page is a map, it is the pair of a name and what it stands
    /// for.
    type Item: Send + Unpin + 'static;
}

/// A call that needs nothing but itself.
pub(crate) type Call<P> = Pin<Box<dyn Future<Output = Result<P, Error>> + Send>>;

/// What the streams need to know of a request. The implementations are generated.
pub trait Listing {
    /// The operation that it is a request of.
    const OPERATION: &'static Operation;

    /// Where the page begins.
    fn page_token(&mut self) -> &mut Option<String>;

    /// How many items the page may hold.
    fn limit(&mut self) -> &mut Option<i64>;

    /// Asks for one page.
    fn ask(self, client: Client) -> Call<<Self as Paged>::Page>
    where
        Self: Paged;

    /// The token of the page that follows.
    fn next(page: &<Self as Paged>::Page) -> Option<&str>
    where
        Self: Paged;

    /// What is on a page.
    fn items(page: <Self as Paged>::Page) -> Vec<<Self as Paged>::Item>
    where
        Self: Paged;
}

/// The entries of a map in an order that does not change from run to run.
pub(crate) fn by_name<V>(map: HashMap<String, V>) -> Vec<(String, V)> {
    let mut entries: Vec<_> = map.into_iter().collect();
    entries.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    entries
}
