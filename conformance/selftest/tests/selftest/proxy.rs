//! The proxy does to a request what its fault says, and no more.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lance_namespace_suite::proxy::{Fault, Proxy};
use lance_namespace_suite::target::Target;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What a server heard on each of its connections.
type Heard = Arc<Mutex<Vec<String>>>;

const BODY: &str = r#"{"half":"of","this":"body"}"#;

/// A server that answers each whole request with its number.
async fn server() -> (Target, Heard) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/base", listener.local_addr().unwrap());
    let heard = Heard::default();
    let connections = Arc::clone(&heard);
    tokio::spawn(async move {
        loop {
            let (mut connection, _) = listener.accept().await.unwrap();
            let number = {
                let mut heard = connections.lock().unwrap();
                heard.push(String::new());
                heard.len()
            };
            let connections = Arc::clone(&connections);
            tokio::spawn(async move {
                let mut bytes = [0; 4096];
                while let Ok(read @ 1..) = connection.read(&mut bytes).await {
                    let whole = {
                        let mut heard = connections.lock().unwrap();
                        let heard = &mut heard[number - 1];
                        heard.push_str(str::from_utf8(&bytes[..read]).unwrap());
                        heard.ends_with(&format!("\r\n\r\n{BODY}"))
                    };
                    if whole {
                        let answer =
                            format!("HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\n{number}");
                        connection.write_all(answer.as_bytes()).await.unwrap();
                        return;
                    }
                }
            });
        }
    });
    (Target::new(&url).unwrap(), heard)
}

/// Sends one request through a proxy; answers what came back and what the server heard.
async fn through(fault: Fault) -> (String, Vec<String>) {
    let (target, heard) = server().await;
    let proxy = Proxy::start(&target, fault).await.unwrap();
    let url = proxy.url();
    let address = url.trim_start_matches("http://").trim_end_matches("/base/");
    let mut client = TcpStream::connect(address).await.unwrap();
    let request = format!(
        "POST /base/v1/x HTTP/1.1\r\nhost: proxy\r\ncontent-length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    client.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    // What the proxy has sent may still be on its way into the server.
    tokio::time::sleep(Duration::from_millis(50)).await;
    let heard = heard.lock().unwrap().clone();
    (answer, heard)
}

/// The request as a server must hear it through the proxy, by its end: with the server's own host.
#[track_caller]
fn is_whole(heard: &str) {
    assert!(
        heard.starts_with("POST /base/v1/x HTTP/1.1\r\nhost: 127.0.0.1:"),
        "{heard}"
    );
    assert!(!heard.contains("proxy"), "{heard}");
    assert!(
        heard.ends_with(&format!("connection: close\r\n\r\n{BODY}")),
        "{heard}"
    );
}

#[tokio::test]
async fn a_refused_connection_never_reaches_the_server() {
    let (answer, heard) = through(Fault::Refuse).await;
    assert_eq!((answer.as_str(), heard.len()), ("", 0));
}

#[tokio::test]
async fn a_delayed_request_is_answered_as_ever() {
    let begun = Instant::now();
    let (answer, heard) = through(Fault::Delay(Duration::from_millis(100))).await;
    assert!(begun.elapsed() >= Duration::from_millis(100));
    assert!(
        answer.starts_with("HTTP/1.1 200 OK") && answer.ends_with('1'),
        "{answer}"
    );
    assert_eq!(heard.len(), 1);
    is_whole(&heard[0]);
}

#[tokio::test]
async fn a_connection_that_is_cut_before_the_request_is_silent() {
    let (answer, heard) = through(Fault::CutBeforeRequest).await;
    assert_eq!((answer.as_str(), heard), ("", vec![String::new()]));
}

#[tokio::test]
async fn a_request_that_is_cut_is_heard_so_far() {
    let (answer, heard) = through(Fault::CutAfterHead).await;
    assert_eq!((answer.as_str(), heard.len()), ("", 1));
    assert!(
        heard[0].ends_with("connection: close\r\n\r\n"),
        "{}",
        heard[0]
    );

    let (answer, heard) = through(Fault::CutInBody).await;
    assert_eq!((answer.as_str(), heard.len()), ("", 1));
    let half = &BODY[..BODY.len() / 2];
    assert!(
        heard[0].ends_with(&format!("\r\n\r\n{half}")),
        "{}",
        heard[0]
    );
}

#[tokio::test]
async fn where_only_the_answer_is_lost_the_server_has_heard_all() {
    for fault in [
        Fault::CutAfterRequest(Duration::ZERO),
        Fault::CutAfterRequest(Duration::from_millis(5)),
        Fault::CutInAnswer,
        Fault::Unavailable,
    ] {
        let (answer, heard) = through(fault).await;
        assert_eq!(heard.len(), 1, "{fault}");
        is_whole(&heard[0]);
        match fault {
            Fault::CutInAnswer => {
                assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
                assert!(!answer.ends_with('1'), "{answer}");
            }
            Fault::Unavailable => assert!(answer.starts_with("HTTP/1.1 503"), "{answer}"),
            _ => assert_eq!(answer, "", "{fault}"),
        }
    }
}

#[tokio::test]
async fn a_request_that_is_sent_twice_is_answered_the_second_time() {
    let (answer, heard) = through(Fault::SendTwice).await;
    assert!(answer.ends_with('2'), "{answer}");
    assert_eq!(heard.len(), 2);
    heard.iter().for_each(|heard| is_whole(heard));
}
