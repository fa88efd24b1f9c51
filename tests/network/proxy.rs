//! A proxy below HTTP that cuts connections.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::{TcpListener, TcpStream};

use crate::http::Message;

/// Where the connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The server gets nothing of the request.
    BeforeRequest,
    /// The server gets half of it.
    InRequest,
    /// The server has answered, and the client gets nothing of it.
    BeforeAnswer,
    /// The client gets half of it.
    InAnswer,
}

impl Cut {
    pub(crate) const ALL: [Self; 4] = [
        Self::BeforeRequest,
        Self::InRequest,
        Self::BeforeAnswer,
        Self::InAnswer,
    ];
}

/// What becomes of a request.
pub(crate) type Decide = Arc<dyn Fn(&[u8]) -> Option<Cut> + Send + Sync>;

/// Starts a proxy of the server at `to`, and gives its URL. It ends with the runtime.
pub(crate) async fn start(to: SocketAddr, decide: Decide) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (client, _) = listener.accept().await.unwrap();
            client.set_nodelay(true).unwrap();
            // A connection that breaks is what this is about.
            tokio::spawn(carry(client, to, decide.clone()));
        }
    });
    format!("http://{address}")
}

/// Carries one connection until it ends or is cut.
async fn carry(mut client: TcpStream, to: SocketAddr, decide: Decide) -> std::io::Result<()> {
    let mut server = TcpStream::connect(to).await?;
    server.set_nodelay(true)?;
    while let Some(request) = Message::read(&mut client).await? {
        let cut = decide(&request.bytes);
        match cut {
            Some(Cut::BeforeRequest) => return Ok(()),
            Some(Cut::InRequest) => return request.write_half(&mut server).await,
            _ => request.write(&mut server).await?,
        }
        let Some(answer) = Message::read(&mut server).await? else {
            return Ok(());
        };
        match cut {
            Some(Cut::BeforeAnswer) => return Ok(()),
            Some(Cut::InAnswer) => return answer.write_half(&mut client).await,
            _ => answer.write(&mut client).await?,
        }
    }
    Ok(())
}
