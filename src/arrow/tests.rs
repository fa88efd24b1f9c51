//! What is read of Arrow data that comes in any pieces, and of what is none.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails by panicking; clippy allows it in test functions only, not in helpers"
)]

use std::sync::Arc;

use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Int64Array, ListArray, RecordBatch,
    RecordBatchOptions, StringArray, StringViewArray, StructArray, record_batch,
};
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{Field, Schema};
use bytes::Bytes;
use futures::{FutureExt, Stream, StreamExt, TryStreamExt, stream};
use proptest::prelude::*;
use reqwest::StatusCode;

use super::{ArrowStream, RecordBatches};
use crate::answer::Answer;
use crate::{Error, ErrorKind, Operation};

#[derive(Debug, Clone, Copy)]
enum Format {
    File,
    Stream,
}

const FORMATS: [Format; 2] = [Format::File, Format::Stream];

/// Tables of all kinds: flat, nested, with a dictionary, with batches without rows, without batches
/// and without columns.
fn tables() -> Vec<Vec<RecordBatch>> {
    let flat = |ids: Vec<i64>| {
        let ids = Int64Array::from(ids);
        let even = BooleanArray::from_iter(ids.values().iter().map(|id| Some(id % 2 == 0)));
        batch(vec![("id", Arc::new(ids)), ("even", Arc::new(even))])
    };
    let names: StringViewArray = [Some("short"), None, Some("one that is not inlined")]
        .into_iter()
        .collect();
    let lists = [Some(vec![Some(1), None]), None, Some(vec![])];
    let lists = ListArray::from_iter_primitive::<Int32Type, _, _>(lists);
    let texts = StringArray::from(vec![Some("a"), None, Some("")]);
    let pair = StructArray::from(vec![
        (
            Arc::new(Field::new("text", texts.data_type().clone(), true)),
            Arc::new(texts) as ArrayRef,
        ),
        (
            Arc::new(Field::new("list", lists.data_type().clone(), true)),
            Arc::new(lists) as ArrayRef,
        ),
    ]);
    let nested = batch(vec![("pair", Arc::new(pair)), ("name", Arc::new(names))]);
    let words: DictionaryArray<Int8Type> = ["x", "y", "x", "z"].into_iter().collect();
    let dictionary = batch(vec![("word", Arc::new(words))]);
    let rows = RecordBatchOptions::new().with_row_count(Some(5));
    let bare = RecordBatch::try_new_with_options(Schema::empty().into(), vec![], &rows).unwrap();
    vec![
        vec![flat(vec![1, 2, 3]), flat((0..100).collect()), flat(vec![4])],
        vec![flat(vec![]), flat(vec![1]), flat(vec![])],
        vec![nested.clone(), nested.slice(1, 2), nested.slice(0, 0)],
        vec![dictionary.clone(), dictionary.slice(2, 2)],
        vec![bare],
    ]
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, column)| {
        let nullable = true;
        (name, column, nullable)
    }))
    .unwrap()
}

fn written(format: Format, schema: &Schema, batches: &[RecordBatch]) -> Vec<u8> {
    let mut bytes = Vec::new();
    match format {
        Format::File => {
            let mut writer = FileWriter::try_new(&mut bytes, schema).unwrap();
            batches
                .iter()
                .for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        }
        Format::Stream => {
            let mut writer = StreamWriter::try_new(&mut bytes, schema).unwrap();
            batches
                .iter()
                .for_each(|batch| writer.write(batch).unwrap());
            writer.finish().unwrap();
        }
    }
    bytes
}

/// The batches of an answer that comes in these pieces.
fn reading(pieces: impl Stream<Item = Bytes> + Send + Sync + 'static) -> RecordBatches {
    let body = reqwest::Body::wrap_stream(pieces.map(Ok::<_, std::io::Error>));
    let answer = Answer::new(http::Response::new(body).into());
    ArrowStream::new(&Operation::all()[0], answer).batches()
}

/// What comes of an answer, and the error that ends it.
fn read(pieces: Vec<Bytes>) -> (Vec<RecordBatch>, Option<Error>) {
    let mut batches = reading(stream::iter(pieces));
    let mut read = Vec::new();
    while let Some(item) = batches.next().now_or_never().unwrap() {
        match item {
            Ok(batch) => read.push(batch),
            Err(error) => {
                assert!(batches.next().now_or_never().unwrap().is_none());
                return (read, Some(error));
            }
        }
    }
    (read, None)
}

fn whole(bytes: impl Into<Bytes>) -> (Vec<RecordBatch>, Option<Error>) {
    read(vec![bytes.into()])
}

fn pieces(mut bytes: Bytes, mut cuts: Vec<prop::sample::Index>) -> Vec<Bytes> {
    let length = bytes.len();
    let mut pieces = Vec::new();
    cuts.sort_by_key(|cut| std::cmp::Reverse(cut.index(length)));
    for cut in cuts {
        pieces.push(bytes.split_off(cut.index(length).min(bytes.len())));
    }
    pieces.push(bytes);
    pieces.reverse();
    pieces
}

proptest! {
    #[test]
    fn the_pieces_do_not_matter(
        table in prop::sample::select(tables()),
        format in prop::sample::select(&FORMATS[..]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let bytes = Bytes::from(written(format, &table[0].schema(), &table));
        let (batches, error) = read(pieces(bytes, cuts));
        prop_assert!(error.is_none(), "{error:?}");
        prop_assert_eq!(batches, table);
    }

    #[test]
    fn rubbish_within_does_not_panic(
        table in prop::sample::select(tables()),
        format in prop::sample::select(&FORMATS[..]),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = written(format, &table[0].schema(), &table);
        for (place, byte) in flips {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let (_, Some(error)) = whole(bytes) {
            prop_assert!([ErrorKind::Decode, ErrorKind::Truncated].contains(&error.kind()));
        }
    }
}

#[test]
fn bytes_may_come_one_by_one() {
    for table in tables() {
        for format in FORMATS {
            let bytes = written(format, &table[0].schema(), &table);
            let (batches, error) = read(bytes.iter().map(|byte| vec![*byte].into()).collect());
            assert!(error.is_none(), "{error:?}");
            assert_eq!(batches, table);
        }
    }
}

#[test]
fn what_is_cut_anywhere_is_an_error_after_the_batches_that_came() {
    for table in tables() {
        for format in FORMATS {
            let bytes = Bytes::from(written(format, &table[0].schema(), &table));
            for length in 0..bytes.len() {
                let (batches, error) = whole(bytes.slice(..length));
                let error = error.unwrap_or_else(|| panic!("{format:?} cut at {length}"));
                assert_eq!(error.kind(), ErrorKind::Truncated, "{error}");
                assert_eq!(error.status(), Some(StatusCode::OK));
                assert_eq!(batches, table[..batches.len()]);
            }
        }
    }
}

#[test]
fn a_table_without_batches_has_a_schema() {
    let schema = tables()[2][0].schema();
    for format in FORMATS {
        let bytes = Bytes::from(written(format, &schema, &[]));
        let mut batches = reading(stream::iter([bytes]));
        let told = batches.schema().now_or_never().unwrap().unwrap();
        assert_eq!(told, schema);
        assert!(batches.next().now_or_never().unwrap().is_none());
    }
}

#[test]
fn schema_and_batches_are_given_before_the_next_byte_comes() {
    let table = &tables()[1];
    for format in FORMATS {
        let schema = table[0].schema();
        let closed = written(format, &schema, &[]);
        let end = closed.windows(8).position(|place| place == END).unwrap();
        let bytes = Bytes::from(written(format, &schema, table));
        let open = bytes.windows(8).position(|place| place == END).unwrap();
        let (first, second) = (bytes.slice(..end), bytes.slice(end..open));

        let silent = stream::iter([first.clone()]).chain(stream::pending());
        let mut batches = reading(silent);
        assert_eq!(batches.schema().now_or_never().unwrap().unwrap(), schema);
        assert!(batches.next().now_or_never().is_none());

        let silent = stream::iter([first, second]).chain(stream::pending());
        let read = reading(silent).take(table.len()).try_collect::<Vec<_>>();
        assert_eq!(&read.now_or_never().unwrap().unwrap(), table);
    }
}

/// The mark that a stream ends.
const END: [u8; 8] = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

#[test]
fn asking_for_the_schema_passes_over_no_batch() {
    let table = &tables()[0];
    let bytes = Bytes::from(written(Format::File, &table[0].schema(), table));
    let mut batches = reading(stream::iter([bytes]));
    assert_eq!(
        &batches.next().now_or_never().unwrap().unwrap().unwrap(),
        &table[0]
    );
    assert_eq!(
        batches.schema().now_or_never().unwrap().unwrap(),
        table[0].schema()
    );
    let rest = batches.try_collect::<Vec<_>>().now_or_never().unwrap();
    assert_eq!(rest.unwrap(), table[1..]);
}

#[test]
fn a_schema_that_does_not_come_is_an_error_each_time() {
    let mut batches = reading(stream::iter([Bytes::from_static(b"ARROW1\0\0")]));
    for _ in 0..2 {
        let error = batches.schema().now_or_never().unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Truncated);
    }
    assert!(batches.next().now_or_never().unwrap().is_none());
}

#[test]
fn what_is_not_arrow_is_told_by_its_first_bytes() {
    for text in [
        "<html>",
        "{}",
        "{\"error\":\"no\"}",
        "A",
        "ARROW2\0\0",
        "\0\0\0\0",
        "\u{1}",
    ] {
        let (batches, error) = whole(text);
        assert!(batches.is_empty());
        let kind = error.unwrap().kind();
        // What could still become an Arrow file has been cut.
        match text {
            "A" => assert_eq!(kind, ErrorKind::Truncated),
            _ => assert_eq!(kind, ErrorKind::Decode, "{text:?}"),
        }
    }
    let (_, error) = whole("<html><body>busy");
    assert_eq!(
        error.unwrap().to_string(),
        "CreateNamespace: 200 OK: the answer is not the Arrow data that it must be: neither an Arrow \
         file nor an Arrow stream begins with \"<html>\""
    );
}

#[test]
fn an_error_text_in_place_of_the_next_batch_is_told() {
    let table = &tables()[0];
    let mut bytes = written(Format::Stream, &table[0].schema(), table);
    bytes.truncate(bytes.len() - END.len());
    bytes.extend_from_slice(b"{\"error\":\"disk\"}");
    let (batches, error) = whole(bytes);
    assert_eq!(&batches, table);
    assert_eq!(error.unwrap().kind(), ErrorKind::Decode);
}

#[test]
fn bytes_after_the_end_of_a_stream_are_told() {
    let table = &tables()[0];
    let twice = written(Format::Stream, &table[0].schema(), table).repeat(2);
    let (batches, error) = whole(twice);
    assert_eq!(&batches, table);
    assert_eq!(error.unwrap().kind(), ErrorKind::Decode);
}

#[test]
fn a_length_that_is_not_kept_costs_no_memory() {
    let huge = [&[0xff; 4], &i32::MAX.to_le_bytes()[..]].concat();
    assert_eq!(whole(huge).1.unwrap().kind(), ErrorKind::Decode);
    let negative = [0xff; 8].to_vec();
    assert_eq!(whole(negative).1.unwrap().kind(), ErrorKind::Decode);
}

#[test]
fn a_changed_dictionary_holds_from_there_on() {
    let word = |words: [&'static str; 2]| {
        let words: DictionaryArray<Int8Type> = words.into_iter().collect();
        batch(vec![("word", Arc::new(words))])
    };
    let table = vec![word(["a", "b"]), word(["c", "d"])];
    let (batches, error) = whole(written(Format::Stream, &table[0].schema(), &table));
    assert!(error.is_none(), "{error:?}");
    assert_eq!(batches, table);
}

#[test]
fn batches_can_be_sent_between_tasks() {
    fn is<T: Send + Sync + Unpin + 'static>(_: &T) {}
    is(&reading(stream::empty()));
    is(&super::ArrowBody::stream(stream::empty::<
        Result<Bytes, Error>,
    >()));
    let batch = record_batch!(("id", Int64, [1])).unwrap();
    is(&super::ArrowBody::batches(batch.schema(), [batch]));
}
