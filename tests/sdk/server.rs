//! Servers that tests talk to.

use std::future::Future;

use lance_namespace_client::Client;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

/// A server that gives every request the same answer.
pub(crate) async fn answering(response: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(response)
        .mount(&server)
        .await;
    server
}

/// A client of a server, with the usual settings.
pub(crate) fn client(server: &MockServer) -> Client {
    Client::new(server.uri()).unwrap()
}

/// The only request that a server got.
pub(crate) async fn only_request(server: &MockServer) -> Request {
    let mut requests = server.received_requests().await.unwrap();
    assert_eq!(requests.len(), 1, "one request is sent");
    requests.remove(0)
}

/// A server below HTTP: reads one request's head, then does what the test says. Gives its URL.
pub(crate) async fn raw<F, Fut>(serve: F) -> String
where
    F: FnOnce(TcpStream) -> Fut + Send + 'static,
    Fut: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        serve(stream).await;
    });
    format!("http://{address}")
}

/// A raw server that writes `answer` and closes the connection.
pub(crate) async fn raw_answer(answer: &'static str) -> String {
    raw(move |mut stream| async move {
        stream.write_all(answer.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
    })
    .await
}
