//! Memory stays flat while Arrow data is streamed, both ways. A process of its own, since what is
//! looked at is the process.

#![cfg_attr(
    target_os = "linux",
    expect(clippy::unwrap_used, reason = "a test fails by panicking")
)]

/// Elsewhere the peak of a process cannot be read without a crate for it.
#[cfg(not(target_os = "linux"))]
#[test]
#[ignore = "reads /proc, which Linux alone has"]
fn memory_stays_flat() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::sync::Arc;

    use bytes::Bytes;
    use futures::TryStreamExt;
    use lance_namespace_client::arrow_array::{ArrayRef, Int64Array, RecordBatch};
    use lance_namespace_client::models::{InsertIntoTableRequest, QueryTableRequest};
    use lance_namespace_client::{ArrowBody, Client, Table};
    use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
    use tokio::net::TcpListener;

    const MIB: usize = 1 << 20;
    const BODY: usize = 256 * MIB;
    const LIMIT: usize = 32 * MIB;
    const BATCHES: usize = BODY / MIB;

    /// One MiB of values.
    fn batch() -> RecordBatch {
        let ids = Int64Array::from_iter_values(0..MIB as i64 / 8);
        RecordBatch::try_from_iter([("id", Arc::new(ids) as ArrayRef)]).unwrap()
    }

    /// The schema, one batch and the end of a stream.
    fn stream() -> [Bytes; 3] {
        let mut encoder = arrow_ipc::writer::StreamEncoder::try_new(&batch().schema()).unwrap();
        let mut encode = || {
            let buffers = encoder.encode(&batch()).unwrap();
            Bytes::from(
                buffers
                    .iter()
                    .flat_map(|buffer| buffer.to_vec())
                    .collect::<Vec<u8>>(),
            )
        };
        let (both, one) = (encode(), encode());
        let end = Bytes::from_static(&[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);
        [both.slice(..both.len() - one.len()), one, end]
    }

    /// A table of a server that answers a query with 256 MiB, and an insert with the length of its
    /// body. Neither is held in memory.
    async fn table() -> Table {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = Client::new(format!("http://{}", listener.local_addr().unwrap())).unwrap();
        tokio::spawn(async move {
            let (mut socket, _) = listener.accept().await.unwrap();
            let (read, mut write) = socket.split();
            let mut read = BufReader::new(read);
            let mut line = String::new();
            read.read_line(&mut line).await.unwrap();
            let query = line.contains("/query ");
            while line != "\r\n" {
                line.clear();
                read.read_line(&mut line).await.unwrap();
            }
            if query {
                let head = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
                write.write_all(head.as_bytes()).await.unwrap();
                let [schema, batch, end] = stream();
                write.write_all(&schema).await.unwrap();
                for _ in 0..BATCHES {
                    write.write_all(&batch).await.unwrap();
                }
                write.write_all(&end).await.unwrap();
                return;
            }
            let mut total = 0;
            loop {
                line.clear();
                read.read_line(&mut line).await.unwrap();
                let length = usize::from_str_radix(line.trim(), 16).unwrap();
                // The line feed after a chunk, too.
                let mut chunk = (&mut read).take(length as u64 + 2);
                tokio::io::copy(&mut chunk, &mut tokio::io::sink())
                    .await
                    .unwrap();
                total += length;
                if length == 0 {
                    break;
                }
            }
            let body = format!("{{\"version\":{total}}}");
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
            write.write_all((head + &body).as_bytes()).await.unwrap();
        });
        client.table(["t"])
    }

    /// A line of /proc/self/status, in bytes.
    fn status(name: &str) -> usize {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        let kib = line.split_whitespace().nth(1).unwrap();
        kib.parse::<usize>().unwrap() * 1024
    }

    /// The most memory that is held during `work`, above what was held before any.
    async fn peak(idle: usize, work: impl Future<Output = ()>) -> usize {
        // From here on the peak counts. Where that is refused, an earlier peak counts as well.
        let _ = fs::write("/proc/self/clear_refs", "5");
        work.await;
        status("VmHWM:").saturating_sub(idle)
    }

    #[tokio::test]
    async fn memory_stays_flat() {
        let idle = status("VmRSS:");
        let queried = table().await;
        let peak_of_query = peak(idle, async {
            let answer = queried.query(QueryTableRequest::new(1)).await.unwrap();
            let add = |rows, batch: RecordBatch| async move { Ok(rows + batch.num_rows()) };
            let rows = answer.batches().try_fold(0, add).await.unwrap();
            assert_eq!(rows, BODY / 8);
        })
        .await;

        let inserted = table().await;
        let peak_of_insert = peak(idle, async {
            let schema = batch().schema();
            let batches = (0..BATCHES).map(|_| batch());
            let body = ArrowBody::batches(schema, batches);
            let answer = inserted
                .insert(InsertIntoTableRequest::new(), body)
                .await
                .unwrap();
            assert!(answer.version.unwrap() as usize > BODY);
        })
        .await;

        println!(
            "query: {} KiB, insert: {} KiB",
            peak_of_query >> 10,
            peak_of_insert >> 10
        );
        assert!(
            peak_of_query < LIMIT,
            "a query of 256 MiB holds {peak_of_query} bytes"
        );
        assert!(
            peak_of_insert < LIMIT,
            "an insert of 256 MiB holds {peak_of_insert} bytes"
        );
    }
}
