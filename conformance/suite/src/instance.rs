//! A server of a scenario's own, which it may kill and start again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::exchange::Exchange;
use crate::outcome::Outcome;
use crate::race::race;
use crate::scenario::{Flow, Stop};
use crate::server::StartedServer;
use crate::session::Session;
use crate::stage::Stage;

/// The most requests that are carried out before the kill.
const ANSWERS: usize = 48;
/// The most time between the last of them and the kill, in microseconds.
const PAUSE: usize = 8_000;
/// How long it is between two looks at what has been carried out.
const LOOK: Duration = Duration::from_micros(200);
/// How long the kill waits for requests to be carried out.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server of a scenario's own: nobody else asks it, so that it may be killed.
pub struct Instance {
    server: StartedServer,
    stage: Stage,
}

/// What clients of a server that is to be killed tell of their answers.
#[derive(Clone, Debug, Default)]
pub struct Progress(Arc<AtomicUsize>);

impl Progress {
    /// Whether the client goes on after this answer: it does while its requests are carried out.
    #[must_use]
    pub fn goes_on(&self, exchange: &Exchange) -> bool {
        let done = Outcome::of(exchange) == Outcome::Ok;
        if done {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        done
    }
}

impl Stage {
    /// Starts a server for this scenario alone, by the command that the run was given.
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if there is no such command, the server does not start, or the
    /// scenario's namespace cannot be made there.
    pub async fn start_server(&self) -> Flow<Instance> {
        let target = self.session().target();
        let command = target
            .command()
            .ok_or_else(|| Stop::Inconclusive("no command starts the server".to_owned()))?;
        let server = StartedServer::start(command, target)
            .await
            .map_err(|error| Stop::Inconclusive(error.to_string()))?;
        let session = beside(self, &server)?;
        session.settle().await.map_err(|reason| {
            Stop::Inconclusive(format!(
                "a namespace cannot be made on a server that was just started: {reason}"
            ))
        })?;
        let stage = self.on_new(session);
        Ok(Instance { server, stage })
    }

    /// How often a scenario is to kill its server.
    #[must_use]
    pub fn kills(&self) -> usize {
        let command = self.session().target().command();
        command.map_or(1, |command| command.kills().max(1))
    }
}

impl Instance {
    /// The scenario's stage with requests going to this server, where it is now.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.stage.clone()
    }

    /// Runs `clients` clients at once, kills the server (SIGKILL) at a random moment while they are
    /// at it, and starts it again on the same data. Answers what each client got, in order; the
    /// stage for what comes after is [`stage`](Self::stage).
    ///
    /// # Errors
    ///
    /// [`Stop::Inconclusive`] if the server does not start again.
    pub async fn kill_amid<T, F>(
        &mut self,
        clients: usize,
        client: impl Fn(usize, Stage, Progress) -> F,
    ) -> Flow<Vec<T>>
    where
        F: Future<Output = T> + Send + 'static,
        T: Send + 'static,
    {
        let answers = 1 + self.stage.random_below(ANSWERS);
        let pause = Duration::from_micros(self.stage.random_below(PAUSE) as u64);
        let progress = Progress::default();
        let ended = Arc::new(AtomicBool::new(false));
        // On a thread of its own: on a machine that is busy, a task would have its turn when the clients
        // have theirs, and the server none.
        let kill = {
            let (kill, ended) = (self.server.killer(), Arc::clone(&ended));
            let done = Arc::clone(&progress.0);
            tokio::task::spawn_blocking(move || {
                let begun = Instant::now();
                while done.load(Ordering::Relaxed) < answers
                    && !ended.load(Ordering::Relaxed)
                    && begun.elapsed() < PATIENCE
                {
                    std::thread::sleep(LOOK);
                }
                std::thread::sleep(pause);
                kill();
            })
        };
        let work = race(clients, |number| {
            client(number, self.stage.clone(), progress.clone())
        });
        let results = work.await;
        ended.store(true, Ordering::Relaxed);
        kill.await
            .map_err(|error| Stop::Inconclusive(format!("the kill failed: {error}")))?;
        self.server.restart().await.map_err(|error| {
            Stop::Inconclusive(format!(
                "the server was killed and does not start again on its data: {error}"
            ))
        })?;
        self.stage = self.stage.on(beside(&self.stage, &self.server)?);
        Ok(results)
    }
}

fn beside(stage: &Stage, server: &StartedServer) -> Flow<Arc<Session>> {
    let session = stage.session().beside(server.target().clone());
    let session = session.map_err(|error| Stop::Inconclusive(error.to_string()))?;
    Ok(Arc::new(session))
}
