//! From record batches to the pieces of an Arrow IPC stream.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::writer::StreamEncoder;
use arrow_schema::{ArrowError, Fields, SchemaRef};
use bytes::{Bytes, BytesMut};
use futures_core::Stream;

use super::ArrowBody;
use crate::BoxError;

/// Buffers shorter than this are copied into one piece with their neighbours, since each piece has
/// a price; longer ones are sent as they are.
const SHORT: usize = 8 << 10;

/// Record batches, encoded as they are sent (feature `arrow`).
impl ArrowBody {
    /// Record batches, encoded one at a time. Without any the body is an empty table of the schema.
    ///
    /// The next batch is asked for when the one before has been taken over by HTTP, on the task that
    /// sends: an iterator that waits for long belongs into [`batch_stream`](Self::batch_stream).
    ///
    /// A batch whose columns do not fit the schema breaks the body off, as does one that the crate
    /// `arrow-ipc` cannot encode.
    ///
    /// ```
    /// use lance_namespace_client::ArrowBody;
    /// use lance_namespace_client::arrow_array::record_batch;
    ///
    /// # fn main() -> Result<(), lance_namespace_client::arrow_schema::ArrowError> {
    /// let batch = record_batch!(("id", Int64, [1, 2, 3]))?;
    /// let body = ArrowBody::batches(batch.schema(), [batch]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn batches<I>(schema: SchemaRef, batches: I) -> Self
    where
        I: IntoIterator<Item = RecordBatch>,
        I::IntoIter: Send + 'static,
    {
        Self::batch_stream(schema, Iterated(batches.into_iter()))
    }

    /// Record batches as they come, encoded one at a time. Without any the body is an empty table
    /// of the schema.
    ///
    /// An error of the stream breaks the body off, and is the source of the call's error. So does a
    /// batch whose columns do not fit the schema, and one that the crate `arrow-ipc` cannot encode.
    pub fn batch_stream<E>(
        schema: SchemaRef,
        batches: impl Stream<Item = Result<RecordBatch, E>> + Send + 'static,
    ) -> Self
    where
        E: Into<BoxError>,
    {
        Self::stream(Encoded {
            batches: Box::pin(batches),
            schema,
            encoder: None,
            pieces: VecDeque::new(),
            count: 0,
            ended: false,
        })
    }
}

/// An iterator as a stream that cannot fail.
struct Iterated<I>(I);

impl<I: Iterator<Item = RecordBatch>> Stream for Iterated<I> {
    type Item = Result<RecordBatch, ArrowError>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.get_mut().0.next().map(Ok))
    }
}

impl<I> Unpin for Iterated<I> {}

/// A stream of batches as one of bytes.
struct Encoded<S> {
    batches: Pin<Box<S>>,
    schema: SchemaRef,
    /// None before the first batch.
    encoder: Option<StreamEncoder>,
    /// What has been encoded and is not on its way yet.
    pieces: VecDeque<Bytes>,
    /// How many batches came.
    count: usize,
    ended: bool,
}

impl<S, E> Encoded<S>
where
    S: Stream<Item = Result<RecordBatch, E>>,
    E: Into<BoxError>,
{
    /// Encodes the next batch, or the end.
    fn poll_encode(&mut self, cx: &mut Context<'_>) -> Poll<Result<Vec<Buffer>, BoxError>> {
        let batch = ready!(self.batches.as_mut().poll_next(cx));
        let mut encoder = match self.encoder.take() {
            Some(encoder) => encoder,
            None => StreamEncoder::try_new(&self.schema)?,
        };
        let Some(batch) = batch else {
            self.ended = true;
            return Poll::Ready(Ok(encoder.finish()?));
        };
        let batch = batch.map_err(Into::into)?;
        self.count += 1;
        if let Some(misfit) = misfit(self.schema.fields(), batch.schema_ref().fields()) {
            let message = format!("batch {} does not fit the schema: {misfit}", self.count);
            return Poll::Ready(Err(message.into()));
        }
        let buffers = encoder.encode(&batch)?;
        self.encoder = Some(encoder);
        Poll::Ready(Ok(buffers))
    }
}

impl<S, E> Stream for Encoded<S>
where
    S: Stream<Item = Result<RecordBatch, E>>,
    E: Into<BoxError>,
{
    type Item = Result<Bytes, BoxError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(piece) = self.pieces.pop_front() {
                return Poll::Ready(Some(Ok(piece)));
            }
            if self.ended {
                return Poll::Ready(None);
            }
            match ready!(self.poll_encode(cx)) {
                Ok(buffers) => self.pieces = join(buffers),
                Err(fault) => {
                    self.ended = true;
                    return Poll::Ready(Some(Err(fault)));
                }
            }
        }
    }
}

/// Where a batch does not fit the schema. The encoder does not look, and what it made could not be
/// read.
fn misfit(wanted: &Fields, given: &Fields) -> Option<String> {
    if wanted.len() != given.len() {
        let (given, wanted) = (given.len(), wanted.len());
        return Some(format!("it has {given} columns and the schema {wanted}"));
    }
    let mut pairs = wanted.iter().zip(given);
    let (wanted, given) = pairs.find(|(wanted, given)| !wanted.contains(given))?;
    Some(format!("its column is {given} and the schema's {wanted}"))
}

/// The buffers as pieces worth sending.
fn join(buffers: Vec<Buffer>) -> VecDeque<Bytes> {
    let mut pieces = VecDeque::new();
    let mut short = BytesMut::new();
    for buffer in buffers {
        if buffer.len() < SHORT {
            short.extend_from_slice(&buffer);
            continue;
        }
        if !short.is_empty() {
            pieces.push_back(short.split().freeze());
        }
        pieces.push_back(Bytes::from_owner(buffer));
    }
    if !short.is_empty() {
        pieces.push_back(short.freeze());
    }
    pieces
}
