//! From pieces of an Arrow IPC file or stream to record batches.

use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::{Message, MessageHeader, reader, root_as_message};
use arrow_schema::{ArrowError, SchemaRef};
use bytes::{Buf, Bytes};

/// What a file begins with and ends in.
const MAGIC: [u8; 6] = *b"ARROW1";
/// What a message begins with; the length of its metadata follows.
const CONTINUATION: [u8; 4] = [0xff; 4];
/// After the footer of a file: its length, and the magic.
const TRAILER: usize = 4 + MAGIC.len();
/// The longest metadata of a message that is believed: a schema of some hundred thousand columns.
const METADATA_LIMIT: usize = 64 << 20;
/// The most that is set aside for a message because it says that it is as long.
const ADVANCE: usize = 8 << 20;

/// What stands in the way of reading on.
#[derive(Debug)]
pub(super) enum Fault {
    /// The end came too early.
    Cut(&'static str),
    /// Other bytes than Arrow promises.
    Rubbish(String),
    /// A message that Arrow cannot read.
    Arrow(ArrowError),
}

/// What has been read.
#[derive(Debug)]
pub(super) enum Read {
    /// The schema, which is now at hand.
    Schema,
    /// The next batch.
    Batch(RecordBatch),
}

impl From<ArrowError> for Fault {
    fn from(error: ArrowError) -> Self {
        Self::Arrow(error)
    }
}

/// Reads record batches from pieces cut anywhere, of a file or of a stream: a file is a stream
/// between a magic and a footer, and the footer is not needed to read from start to end.
#[derive(Debug)]
pub(super) struct Decoder {
    place: Place,
    /// Whether it is a file.
    file: bool,
    /// What has come of the magic, the prefix or the metadata that is being read.
    held: Vec<u8>,
    schema: Option<SchemaRef>,
    dictionaries: HashMap<i64, ArrayRef>,
}

/// What is read next.
#[derive(Debug)]
enum Place {
    /// The beginning, which tells a file from a stream.
    Start,
    /// Zeros after the magic of a file.
    Padding,
    /// Continuation and length of a message.
    Prefix,
    /// The metadata of a message, with its length.
    Metadata(usize),
    /// The body of a message, with its length. The metadata is held.
    Body(usize, MutableBuffer),
    /// After the last message of a file: how much of the footer has come, and its end.
    Footer(usize, Vec<u8>),
    /// After the last message of a stream.
    End,
}

impl Decoder {
    pub(super) fn new() -> Self {
        Self {
            place: Place::Start,
            file: false,
            held: Vec::new(),
            schema: None,
            dictionaries: HashMap::new(),
        }
    }

    /// The schema, once it has come.
    pub(super) fn schema(&self) -> Option<&SchemaRef> {
        self.schema.as_ref()
    }

    /// Reads on to the end of the schema or of a batch, and takes what it reads from the piece. None
    /// when the piece is used up before.
    pub(super) fn decode(&mut self, piece: &mut Bytes) -> Result<Option<Read>, Fault> {
        loop {
            // A message without a body is complete before the next byte comes.
            if piece.is_empty() && !matches!(self.place, Place::Body(0, _)) {
                return Ok(None);
            }
            match &mut self.place {
                Place::Start => self.start(piece)?,
                Place::Padding => {
                    let zeros = piece.iter().take_while(|byte| **byte == 0).count();
                    piece.advance(zeros);
                    if !piece.is_empty() {
                        self.place = Place::Prefix;
                    }
                }
                Place::Prefix => self.prefix(piece)?,
                Place::Metadata(length) => {
                    let length = *length;
                    if self.hold(piece, length) {
                        let body = message(&self.held)?.bodyLength();
                        let body = usize::try_from(body)
                            .map_err(|_| rubbish(format_args!("a message of length {body}")))?;
                        self.place = Place::Body(body, MutableBuffer::new(0));
                    }
                }
                Place::Body(length, come) => {
                    let Some(body) = collect(piece, *length, come)? else {
                        return Ok(None);
                    };
                    self.place = Place::Prefix;
                    // Arrow's reader takes some things for granted, and panics where a server is wrong.
                    let read = catch_unwind(AssertUnwindSafe(|| self.message(&body)));
                    let read =
                        read.unwrap_or_else(|_| Err(rubbish("a message that makes no sense")))?;
                    self.held.clear();
                    if read.is_some() {
                        return Ok(read);
                    }
                }
                Place::Footer(seen, end) => {
                    *seen += piece.len();
                    end.extend_from_slice(&piece[piece.len().saturating_sub(TRAILER)..]);
                    end.drain(..end.len().saturating_sub(TRAILER));
                    piece.clear();
                }
                Place::End => return Err(rubbish("more bytes after the end of the stream")),
            }
        }
    }

    /// Whether what has come is complete.
    pub(super) fn finish(&self) -> Result<(), Fault> {
        match &self.place {
            Place::End => Ok(()),
            Place::Footer(seen, end) => match end.split_first_chunk() {
                Some((length, magic)) if *magic == MAGIC => {
                    let length = u32::from_le_bytes(*length) as usize;
                    match length > 0 && length <= seen - TRAILER {
                        true => Ok(()),
                        false => Err(rubbish(format_args!("a footer of length {length}"))),
                    }
                }
                _ => Err(Fault::Cut("the footer of the file")),
            },
            _ if self.schema.is_none() => Err(Fault::Cut("the schema")),
            Place::Body(..) | Place::Metadata(_) => Err(Fault::Cut("the end of a message")),
            _ => Err(Fault::Cut("the mark that there are no more batches")),
        }
    }

    fn start(&mut self, piece: &mut Bytes) -> Result<(), Fault> {
        let complete = self.hold(piece, MAGIC.len());
        if MAGIC.starts_with(&self.held) {
            if complete {
                self.file = true;
                self.held.clear();
                self.place = Place::Padding;
            }
        } else if self
            .held
            .iter()
            .zip(CONTINUATION)
            .all(|(is, must)| *is == must)
        {
            // Enough came for a stream, whose first message has begun.
            if self.held.len() >= CONTINUATION.len() {
                self.place = Place::Prefix;
            }
        } else {
            return Err(rubbish(format_args!(
                "neither an Arrow file nor an Arrow stream begins with \"{}\"",
                self.held.escape_ascii()
            )));
        }
        Ok(())
    }

    fn prefix(&mut self, piece: &mut Bytes) -> Result<(), Fault> {
        if !self.hold(piece, CONTINUATION.len() + 4) {
            return Ok(());
        }
        let (mark, length) = self.held.split_at(CONTINUATION.len());
        if mark != CONTINUATION {
            return Err(rubbish(format_args!(
                "no message begins with \"{}\"",
                self.held.escape_ascii()
            )));
        }
        let length = length
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        if length > METADATA_LIMIT {
            return Err(rubbish(format_args!("metadata of {length} bytes")));
        }
        self.held.clear();
        self.place = match (length, self.file) {
            (0, _) if self.schema.is_none() => return Err(rubbish("an end before the schema")),
            (0, true) => Place::Footer(0, Vec::new()),
            (0, false) => Place::End,
            _ => Place::Metadata(length),
        };
        Ok(())
    }

    /// Takes from the piece until `length` bytes are held.
    fn hold(&mut self, piece: &mut Bytes, length: usize) -> bool {
        let more = length.saturating_sub(self.held.len()).min(piece.len());
        self.held.extend_from_slice(&piece.split_to(more));
        self.held.len() >= length
    }

    /// Reads the message whose metadata is held.
    fn message(&mut self, body: &Buffer) -> Result<Option<Read>, Fault> {
        let message = message(&self.held)?;
        let version = message.version();
        if message.header_type() == MessageHeader::Schema {
            let (Some(header), None) = (message.header_as_schema(), &self.schema) else {
                return Err(rubbish("a second schema"));
            };
            self.schema = Some(arrow_ipc::convert::try_fb_to_schema(header)?.into());
            return Ok(Some(Read::Schema));
        }
        let Some(schema) = &self.schema else {
            return Err(rubbish("a message before the schema"));
        };
        if let Some(header) = message.header_as_record_batch() {
            within(&header, body)?;
            let schema = schema.clone();
            let dictionaries = &self.dictionaries;
            let batch =
                reader::read_record_batch(body, header, schema, dictionaries, None, &version);
            return Ok(Some(Read::Batch(batch?)));
        }
        if let Some(header) = message.header_as_dictionary_batch() {
            if let Some(values) = header.data() {
                within(&values, body)?;
            }
            reader::read_dictionary(body, header, schema, &mut self.dictionaries, &version)?;
            return Ok(None);
        }
        Err(rubbish(format_args!(
            "a message of type {:?}",
            message.header_type()
        )))
    }
}

/// Takes from the piece until the body of a message is complete. One that lies within one piece is
/// not copied.
fn collect(
    piece: &mut Bytes,
    length: usize,
    come: &mut MutableBuffer,
) -> Result<Option<Buffer>, Fault> {
    if come.is_empty() && piece.len() >= length {
        return Ok(Some(Buffer::from(piece.split_to(length))));
    }
    if come.is_empty() {
        come.reserve(length.min(ADVANCE));
    }
    let more = (length - come.len()).min(piece.len());
    come.extend_from_slice(&piece.split_to(more));
    match come.len() == length {
        true => Ok(Some(std::mem::replace(come, MutableBuffer::new(0)).into())),
        false => Ok(None),
    }
}

fn message(metadata: &[u8]) -> Result<Message<'_>, Fault> {
    root_as_message(metadata)
        .map_err(|error| rubbish(format_args!("metadata that is none: {error}")))
}

/// Checks what Arrow's reader takes for granted, that buffers lie within the body.
fn within(batch: &arrow_ipc::RecordBatch<'_>, body: &Buffer) -> Result<(), Fault> {
    let buffers = batch.buffers().into_iter().flatten();
    let ends = buffers.map(|buffer| {
        let offset = usize::try_from(buffer.offset()).ok()?;
        offset.checked_add(usize::try_from(buffer.length()).ok()?)
    });
    let nodes = batch.nodes().into_iter().flatten();
    let counts = nodes.flat_map(|node| [node.length(), node.null_count()]);
    let sound = ends
        .into_iter()
        .all(|end| end.is_some_and(|end| end <= body.len()))
        && counts.chain([batch.length()]).all(|count| count >= 0);
    match sound {
        true => Ok(()),
        false => Err(rubbish("a batch that reaches beyond its message")),
    }
}

fn rubbish(what: impl fmt::Display) -> Fault {
    Fault::Rubbish(what.to_string())
}
