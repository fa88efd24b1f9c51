//! A listing, page by page.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use futures_core::stream::FusedStream;

use super::sealed::{Call, Paged};
use crate::{Client, Error, ErrorKind};

impl Client {
    /// The pages of a listing, from the request's `page_token` on; without one, from the first. The
    /// request's `limit` is the size of a page. Nothing is sent before the stream is polled.
    ///
    /// ```no_run
    /// use futures::TryStreamExt;
    /// use lance_namespace_client::models::ListTablesRequest;
    ///
    /// # async fn example(client: lance_namespace_client::Client) -> Result<(), lance_namespace_client::Error> {
    /// let request = ListTablesRequest::new().with_id(["prod"]).with_limit(100);
    /// let mut pages = client.pages(request);
    /// while let Some(page) = pages.try_next().await? {
    ///     println!("{} tables; the next page is at {:?}", page.tables.len(), pages.token());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn pages<R: Paged>(&self, request: R) -> Pages<R> {
        Pages::new(self.clone(), request)
    }
}

/// A stream of the pages of a listing.
///
/// A page is asked for when the stream is polled, never ahead. Pages may be empty in the middle:
/// the listing ends with the page whose token is absent, null or empty. Tokens are the server's and
/// are sent back as they came.
///
/// # Errors
///
/// An error ends the stream. What was given before stays good, and [`token`](Self::token) says where
/// to begin again. It is an error of the operation, or an [`Error`] of one of these kinds:
///
/// - [`Request`](ErrorKind::Request): the `limit` is 0 or negative; nothing was sent.
/// - [`Decode`](ErrorKind::Decode): the server answered with a token that this listing already had,
///   and would never end. The page that came with it is not given.
#[must_use = "nothing is sent unless the stream is polled"]
pub struct Pages<R: Paged> {
    client: Client,
    /// Its `page_token` stays unset until a page is asked for.
    request: R,
    /// Of the next page, or of the one that failed.
    token: Option<String>,
    /// Of the page given last.
    given: Option<String>,
    seen: Seen,
    step: Step<R::Page>,
}

enum Step<P> {
    Begin,
    Between,
    Asking(Call<P>),
    Ended,
}

impl<R: Paged> Pages<R> {
    pub(super) fn new(client: Client, mut request: R) -> Self {
        let token = request
            .page_token()
            .take()
            .filter(|token| !token.is_empty());
        Self {
            client,
            request,
            token,
            given: None,
            seen: Seen::default(),
            step: Step::Begin,
        }
    }

    /// The token with which the next page will be asked for. As the `page_token` of another request
    /// it continues the listing from there, today or later.
    ///
    /// None stands for the first page as long as no page was given, and for the end after that.
    /// After an error it is the page that failed.
    pub fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The token of the page given last.
    pub(super) fn given(&self) -> Option<&str> {
        self.given.as_deref()
    }

    /// Whether no page of the listing was asked for, by this stream or by one that it continues.
    pub(super) fn is_untouched(&self) -> bool {
        matches!(self.step, Step::Begin) && self.token.is_none()
    }

    /// Changes the request.
    pub(super) fn change(self, change: impl FnOnce(R) -> R) -> Self {
        let mut request = self.request;
        *request.page_token() = self.token;
        Self::new(self.client, change(request))
    }

    pub(super) fn limit(&mut self) -> &mut Option<i64> {
        self.request.limit()
    }

    fn ask(&mut self) -> Result<Call<R::Page>, Error> {
        if let Some(limit) = self.request.limit().filter(|limit| *limit < 1) {
            return Err(Error::request(format!(
                "`limit` is {limit}, and a page holds at least one item; leave it unset to let \
                 the server choose"
            ))
            .of(R::OPERATION));
        }
        if let Some(token) = &self.token {
            self.seen.insert(token);
        }
        let mut request = self.request.clone();
        request.page_token().clone_from(&self.token);
        Ok(request.ask(self.client.clone()))
    }

    /// Looks where the next page is. Gives the step after this one.
    fn turn(&mut self, page: &R::Page) -> Result<Step<R::Page>, Error> {
        let next = R::next(page).filter(|token| !token.is_empty());
        if let Some(token) = next
            && self.seen.contains(token)
        {
            return Err(Error::new(
                ErrorKind::Decode,
                format!(
                    "the server answered with the page token {token:?} for the second time, and \
                     the listing would never end"
                ),
            )
            .of(R::OPERATION));
        }
        let next = next.map(str::to_owned);
        let step = match next {
            Some(_) => Step::Between,
            None => Step::Ended,
        };
        self.given = std::mem::replace(&mut self.token, next);
        Ok(step)
    }
}

impl<R: Paged> Stream for Pages<R> {
    type Item = Result<R::Page, Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        // Whatever goes wrong from here on is the end.
        let mut call = match std::mem::replace(&mut this.step, Step::Ended) {
            Step::Ended => return Poll::Ready(None),
            Step::Asking(call) => call,
            Step::Begin | Step::Between => match this.ask() {
                Ok(call) => call,
                Err(error) => return Poll::Ready(Some(Err(error))),
            },
        };
        let Poll::Ready(answer) = call.as_mut().poll(cx) else {
            this.step = Step::Asking(call);
            return Poll::Pending;
        };
        let page = answer.and_then(|page| {
            this.step = this.turn(&page)?;
            Ok(page)
        });
        Poll::Ready(Some(page))
    }
}

impl<R: Paged> FusedStream for Pages<R> {
    fn is_terminated(&self) -> bool {
        matches!(self.step, Step::Ended)
    }
}

impl<R: Paged> fmt::Debug for Pages<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("operation", &R::OPERATION.id())
            .field("token", &self.token)
            .field("ended", &self.is_terminated())
            .finish_non_exhaustive()
    }
}

/// The tokens of a listing. Only their hashes are kept, since there may be many and long ones.
#[derive(Default)]
struct Seen {
    hasher: RandomState,
    hashes: HashSet<u64>,
}

impl Seen {
    fn insert(&mut self, token: &str) {
        self.hashes.insert(self.hasher.hash_one(token));
    }

    fn contains(&self, token: &str) -> bool {
        self.hashes.contains(&self.hasher.hash_one(token))
    }
}
