//! The command `doctor`: look at a server before a run, and say what to change.

use std::process::ExitCode;

use lance_namespace_suite::doctor::{State, examine};
use lance_namespace_suite::exit;

use crate::Done;
use crate::connection::Connection;

pub(crate) async fn doctor(connection: &Connection) -> Done {
    let declared = connection.declared()?;
    let connected = declared.connection.connect(None).await?;
    let found = examine(&connected.target).await;
    let mut code = exit::CONFORMANT;
    for check in &found {
        let word = match check.state {
            State::Good => "ok",
            State::Odd => "look",
            State::Bad => {
                code = exit::INCONCLUSIVE;
                "change"
            }
        };
        println!("{word:<7} {:<12} {}", check.subject, check.says);
    }
    connected
        .server
        .stop()
        .await
        .map_err(crate::Failure::inconclusive)?;
    Ok(ExitCode::from(code))
}
