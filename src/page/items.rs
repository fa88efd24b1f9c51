//! A listing, item by item.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::vec;

use futures_core::Stream;
use futures_core::stream::FusedStream;

use super::pages::Pages;
use super::sealed::Paged;
use crate::models::ListAllTablesRequest;
use crate::{Client, Error};

/// The largest total that also becomes the size of the pages when none is set. A larger one would
/// ask for a page that the server, left to itself, would rather not make.
const SMALL: i64 = 100;

impl Client {
    /// The items of a listing, from the request's `page_token` on; without one, from the first. The
    /// request's `limit` is the size of a page, not their total. Nothing is sent before the stream is
    /// polled.
    ///
    /// ```no_run
    /// use futures::TryStreamExt;
    /// use lance_namespace_client::models::ListTableVersionsRequest;
    ///
    /// # async fn example(client: lance_namespace_client::Client) -> Result<(), lance_namespace_client::Error> {
    /// let request = ListTableVersionsRequest::new()
    ///     .with_id(["prod", "users"])
    ///     .with_descending(true);
    /// let latest: Vec<_> = client.items(request).total(10).try_collect().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn items<R: Paged>(&self, request: R) -> Items<R> {
        Items {
            pages: self.pages(request),
            page: Vec::new().into_iter(),
            left: None,
        }
    }

    /// The tables of all namespaces, each by its whole identifier, whose parts the delimiter joins:
    /// `ListAllTables`.
    pub fn all_tables(&self) -> Items<ListAllTablesRequest> {
        self.items(ListAllTablesRequest::new())
    }
}

/// A stream of the items of a listing, over all its pages.
///
/// A page is asked for when the items of the one before are given, never ahead. Items come in the
/// order of the server; those of a page that is a map, which has no order, by name.
///
/// The settings are for a stream that was not polled yet.
///
/// # Errors
///
/// An error ends the stream. What was given before stays good, and [`token`](Self::token) says where
/// to begin again. The errors are those of [`Pages`].
#[must_use = "nothing is sent unless the stream is polled"]
pub struct Items<R: Paged> {
    pages: Pages<R>,
    /// What is left of the page at hand.
    page: vec::IntoIter<R::Item>,
    /// How many items may still be given.
    left: Option<usize>,
}

impl<R: Paged> Items<R> {
    /// Sets how many items to ask for at once. The server may give fewer; without this, it chooses.
    ///
    /// Less than 1 is refused when the stream is polled.
    pub fn page_size(mut self, size: i64) -> Self {
        *self.pages.limit() = Some(size);
        self
    }

    /// Begins at a token that [`token`](Self::token) or a response gave, instead of the first page.
    /// An empty token is the first page.
    pub fn from_token(self, token: impl Into<String>) -> Self {
        self.with(|mut request| {
            *request.page_token() = Some(token.into());
            request
        })
    }

    /// Gives at most `total` items from here on, and asks for no page once there are enough.
    ///
    /// A listing that begins at the first page asks for pages no larger than the total. Where no
    /// size is set that holds for totals up to 100 only. The size never changes between two pages,
    /// since the tokens of some servers mean something for one size only.
    pub fn total(mut self, total: usize) -> Self {
        self.left = Some(total);
        self
    }

    /// Changes the request, which has more to say than where a page begins and ends.
    ///
    /// ```no_run
    /// # let client = lance_namespace_client::Client::new("http://localhost:2333")?;
    /// let latest_first = client
    ///     .table(["prod", "users"])
    ///     .versions()
    ///     .with(|request| request.with_descending(true));
    /// # Ok::<(), lance_namespace_client::Error>(())
    /// ```
    pub fn with(mut self, change: impl FnOnce(R) -> R) -> Self {
        self.pages = self.pages.change(change);
        self
    }

    /// The pages that were not asked for yet: all of them, unless the stream was polled. A total
    /// does not hold for pages.
    pub fn pages(self) -> Pages<R> {
        self.pages
    }

    /// The token of the page whose items are not all given. Given to [`from_token`](Self::from_token)
    /// it continues the listing there, today or later; items of that page may come again, and
    /// none is lost.
    ///
    /// None stands for the first page, and for the end when all items were given. After an error it
    /// is the page that failed.
    pub fn token(&self) -> Option<&str> {
        match self.page.as_slice() {
            [] => self.pages.token(),
            _ => self.pages.given(),
        }
    }

    /// Lowers the size of the pages to what is wanted in all.
    fn fit(&mut self, total: usize) {
        let total = i64::try_from(total).unwrap_or(i64::MAX);
        let limit = self.pages.limit();
        match limit {
            Some(size) if *size > total => *limit = Some(total),
            None if total <= SMALL => *limit = Some(total),
            _ => {}
        }
    }
}

impl<R: Paged> Stream for Items<R> {
    type Item = Result<R::Item, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if this.left == Some(0) {
            return Poll::Ready(None);
        }
        if let Some(total) = this.left
            && this.pages.is_untouched()
        {
            this.fit(total);
        }
        loop {
            if let Some(item) = this.page.next() {
                this.left = this.left.map(|left| left - 1);
                return Poll::Ready(Some(Ok(item)));
            }
            match ready!(Pin::new(&mut this.pages).poll_next(cx)) {
                Some(Ok(page)) => this.page = R::items(page).into_iter(),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

impl<R: Paged> FusedStream for Items<R> {
    fn is_terminated(&self) -> bool {
        self.left == Some(0) || self.page.as_slice().is_empty() && self.pages.is_terminated()
    }
}

impl<R: Paged> fmt::Debug for Items<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items")
            .field("pages", &self.pages)
            .field("at_hand", &self.page.len())
            .field("left", &self.left)
            .finish()
    }
}
