//! Arrow data that is received, as record batches.

use std::collections::HashMap;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use futures_core::Stream;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use super::decode::{Decoder, Fault, Read};
use crate::{ArrowStream, Error, ErrorKind};

/// The record batches of an answer, as they come. No more is held in memory than one batch and the
/// dictionaries, and no time limit of the client applies.
///
/// Arrow IPC files and Arrow IPC streams are read, of format 0.15 and later, told apart by what
/// they begin with. Batches are given once they are complete, also those before an error, which
/// ends the stream:
///
/// - of kind [`Truncated`](ErrorKind::Truncated) when the connection breaks, or when the answer
///   ends before the data does: a stream needs its end-of-stream mark, a file its footer;
/// - of kind [`Decode`](ErrorKind::Decode) when the answer is not Arrow data, or data that the crate
///   `arrow-ipc` cannot read. Its source is then an [`ArrowError`](arrow_schema::ArrowError).
///
/// Batches compressed with lz4 or zstd are among those that cannot be read, unless your program
/// depends on `arrow-ipc` with its feature `lz4` or `zstd`.
pub struct RecordBatches {
    stream: ArrowStream,
    decoder: Decoder,
    /// What has come and has not been read.
    piece: Bytes,
    ended: bool,
}

impl RecordBatches {
    pub(super) fn new(stream: ArrowStream) -> Self {
        Self {
            stream,
            decoder: Decoder::new(),
            piece: Bytes::new(),
            ended: false,
        }
    }

    /// The schema of the batches, once it has come; it does so before the first of them. No batch
    /// is passed over, and asking again costs nothing.
    ///
    /// # Errors
    ///
    /// Those of the stream, when it ends before the schema comes. It is then at its end.
    pub async fn schema(&mut self) -> Result<SchemaRef, Error> {
        loop {
            if let Some(schema) = self.decoder.schema() {
                return Ok(schema.clone());
            }
            match poll_fn(|cx| self.poll(cx)).await {
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error),
                None => return Err(self.fault(Fault::Cut("the schema"))),
            }
        }
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        self.stream.status()
    }

    /// The headers of the answer.
    pub fn headers(&self) -> &HeaderMap {
        self.stream.headers()
    }

    /// The headers of the answer as a context, each as `header.<name>`.
    pub fn context(&self) -> HashMap<String, String> {
        self.stream.context()
    }

    /// Reads on to the schema, or to the next batch.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Read, Error>>> {
        while !self.ended {
            match self.decoder.decode(&mut self.piece) {
                Ok(Some(read)) => return Poll::Ready(Some(Ok(read))),
                Ok(None) => {}
                Err(fault) => return Poll::Ready(Some(Err(self.end(fault)))),
            }
            match ready!(Pin::new(&mut self.stream).poll_next(cx)) {
                Some(Ok(piece)) => self.piece = piece,
                Some(Err(error)) => {
                    self.ended = true;
                    return Poll::Ready(Some(Err(error)));
                }
                None => {
                    self.ended = true;
                    if let Err(fault) = self.decoder.finish() {
                        return Poll::Ready(Some(Err(self.end(fault))));
                    }
                }
            }
        }
        Poll::Ready(None)
    }

    fn end(&mut self, fault: Fault) -> Error {
        self.ended = true;
        self.fault(fault)
    }

    fn fault(&self, fault: Fault) -> Error {
        match fault {
            Fault::Cut(place) => {
                let message = format!("the Arrow data of the answer ends before {place}");
                self.stream.fault(ErrorKind::Truncated, message)
            }
            Fault::Rubbish(what) => {
                let message = format!("the answer is not the Arrow data that it must be: {what}");
                self.stream.fault(ErrorKind::Decode, message)
            }
            Fault::Arrow(error) => {
                let message = format!("the Arrow data of the answer cannot be read: {error}");
                self.stream
                    .fault(ErrorKind::Decode, message)
                    .caused_by(error)
            }
        }
    }
}

impl Stream for RecordBatches {
    type Item = Result<RecordBatch, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            match ready!(self.poll(cx)) {
                Some(Ok(Read::Batch(batch))) => return Poll::Ready(Some(Ok(batch))),
                Some(Ok(Read::Schema)) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

impl fmt::Debug for RecordBatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordBatches")
            .field("stream", &self.stream)
            .field("schema", &self.decoder.schema())
            .finish_non_exhaustive()
    }
}
