//! The fake server.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::{Bytes, BytesMut};
use http_body::Body;

use super::{Call, Reply};
use crate::{Client, ClientBuilder, Error, ErrorKind, Operation};

/// A server within the process that answers as it is told. Cloning it is cheap, and all clones are
/// one server.
///
/// An operation is answered from its [queue](Self::queue) as long as there is something in it, then by
/// its [function](Self::on). One that was told neither is answered as a server answers that lacks
/// it: 406, code 0.
#[derive(Clone, Default)]
pub struct FakeServer(Arc<Mutex<State>>);

type Answering = Arc<dyn Fn(&Call) -> Reply + Send + Sync>;

#[derive(Default)]
struct State {
    functions: HashMap<&'static str, Answering>,
    queues: HashMap<&'static str, VecDeque<Reply>>,
    calls: Vec<Call>,
}

impl FakeServer {
    /// A server that answers nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers an operation, by its id such as `DescribeTable`, by a function of the request.
    ///
    /// # Panics
    ///
    /// When the protocol has no such operation.
    pub fn on(&self, operation: &str, answer: impl Fn(&Call) -> Reply + Send + Sync + 'static) {
        let id = known(operation);
        self.state().functions.insert(id, Arc::new(answer));
    }

    /// Answers the next calls of an operation with these, in order.
    ///
    /// # Panics
    ///
    /// When the protocol has no such operation.
    pub fn queue(&self, operation: &str, replies: impl IntoIterator<Item = Reply>) {
        let id = known(operation);
        let mut state = self.state();
        state.queues.entry(id).or_default().extend(replies);
    }

    /// What an operation was asked so far, each attempt by itself.
    ///
    /// # Panics
    ///
    /// When the protocol has no such operation.
    pub fn calls(&self, operation: &str) -> Vec<Call> {
        let id = known(operation);
        let mut calls = self.all_calls();
        calls.retain(|call| call.operation.id() == id);
        calls
    }

    /// What the server was asked so far, each attempt by itself.
    pub fn all_calls(&self) -> Vec<Call> {
        self.state().calls.clone()
    }

    /// A client of this server with the usual settings.
    ///
    /// # Panics
    ///
    /// Never: the usual settings can be used.
    pub fn client(&self) -> Client {
        match self.client_builder().build() {
            Ok(client) => client,
            Err(error) => panic!("{error}"),
        }
    }

    /// Begins a client of this server with settings of your own. Those of HTTP and TLS have no
    /// effect.
    pub fn client_builder(&self) -> ClientBuilder {
        Client::builder("http://fake.invalid").fake(self.clone())
    }

    /// Answers a request.
    pub(crate) async fn answer(
        &self,
        operation: &'static Operation,
        mut request: reqwest::Request,
    ) -> Result<reqwest::Response, Error> {
        let body = match request.body_mut().take() {
            Some(body) => whole(body).await?,
            None => Bytes::new(),
        };
        let call = Call {
            operation,
            url: request.url().clone(),
            headers: request.headers().clone(),
            body,
        };
        self.reply(call).give().await
    }

    fn reply(&self, call: Call) -> Reply {
        let mut state = self.state();
        let id = call.operation.id();
        state.calls.push(call.clone());
        if let Some(reply) = state.queues.get_mut(id).and_then(VecDeque::pop_front) {
            return reply;
        }
        let function = state.functions.get(id).cloned();
        // Not while it is held: the function may ask the server what it was asked.
        drop(state);
        match function {
            Some(function) => function(&call),
            None => Reply::error(406, 0, &format!("the fake server was told nothing of {id}")),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for FakeServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("FakeServer")
            .field("calls", &state.calls.len())
            .finish_non_exhaustive()
    }
}

/// The id of an operation that the protocol has.
fn known(operation: &str) -> &'static str {
    match Operation::all()
        .iter()
        .find(|known| known.id() == operation)
    {
        Some(known) => known.id(),
        None => panic!(
            "the protocol has no operation {operation:?}; ids are written as `DescribeTable`"
        ),
    }
}

/// A body to its end. One that breaks off breaks the connection.
async fn whole(mut body: reqwest::Body) -> Result<Bytes, Error> {
    let mut bytes = BytesMut::new();
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        let frame = frame.map_err(|error| {
            let message = "the connection broke before an answer came";
            Error::new(ErrorKind::Transport, message).caused_by(error)
        })?;
        if let Ok(data) = frame.into_data() {
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes.freeze())
}
