//! One request through the proxy.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::answer::Answer;
use super::fault::Fault;
use super::request::Request;
use super::upstream::{Connection, Upstream};

/// How long a half-sent request stays before the connection ends, so that the server has read it.
const LINGER: Duration = Duration::from_millis(2);

/// What the client hears in place of the server's answer.
const UNAVAILABLE: &str =
    r#"{"error":"the conformance suite's proxy keeps the server's answer back","code":17}"#;

/// Forwards one request, as a fault says, and closes the connection.
pub(super) async fn one(mut client: TcpStream, server: &Upstream, every: Fault) -> io::Result<()> {
    client.set_nodelay(true)?;
    let request = Request::read(&mut client, &server.authority).await?;
    match request.fault.unwrap_or(every) {
        Fault::Refuse => {}
        Fault::Delay(time) => {
            sleep(time).await;
            let answer = whole(server, &request).await?;
            pass(answer, &mut client).await?;
        }
        Fault::CutBeforeRequest => {
            server.greet().await?;
        }
        Fault::CutAfterHead => part(server, &request, 0).await?,
        Fault::CutInBody => part(server, &request, request.body.len() / 2).await?,
        Fault::CutAfterRequest(time) => {
            let connection = whole(server, &request).await?;
            sleep(time).await;
            drop(connection);
        }
        Fault::CutInAnswer => {
            let answer = Answer::read(&mut whole(server, &request).await?).await?;
            client.write_all(answer.half()).await?;
        }
        Fault::Unavailable => {
            Answer::read(&mut whole(server, &request).await?).await?;
            let length = UNAVAILABLE.len();
            let head = format!(
                "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\n\
                 content-length: {length}\r\nconnection: close\r\n\r\n"
            );
            client.write_all(head.as_bytes()).await?;
            client.write_all(UNAVAILABLE.as_bytes()).await?;
        }
        Fault::SendTwice => {
            Answer::read(&mut whole(server, &request).await?).await?;
            let answer = whole(server, &request).await?;
            pass(answer, &mut client).await?;
        }
    }
    client.shutdown().await
}

/// Sends the whole request on a new connection.
async fn whole(server: &Upstream, request: &Request) -> io::Result<Box<dyn Connection>> {
    let mut connection = server.connect().await?;
    let message = [request.head.as_slice(), &request.body].concat();
    connection.write_all(&message).await?;
    connection.flush().await?;
    Ok(connection)
}

/// Sends the head and so many bytes of the body, and cuts the connection. A request that has no more
/// than that loses the end of its head, so that it is never whole.
async fn part(server: &Upstream, request: &Request, body: usize) -> io::Result<()> {
    let mut connection = server.connect().await?;
    let mut message = request.head.clone();
    if request.body.is_empty() {
        message.truncate(message.len() - 2);
    }
    message.extend_from_slice(&request.body[..body]);
    connection.write_all(&message).await?;
    connection.flush().await?;
    sleep(LINGER).await;
    Ok(())
}

/// Passes the answer on until the server closes, or the client does.
async fn pass(mut server: Box<dyn Connection>, client: &mut TcpStream) -> io::Result<()> {
    let (mut from_client, mut to_client) = client.split();
    let mut nothing = [0];
    tokio::select! {
        passed = copy(&mut server, &mut to_client) => match passed {
            // TLS that ends without saying so ends all the same.
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
            _ => Ok(()),
        },
        // A client that is gone, or has had its answer.
        _ = from_client.read(&mut nothing) => Ok(()),
    }
}
