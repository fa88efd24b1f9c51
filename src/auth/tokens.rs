//! Tokens of OAuth 2: which is in use, and when there is another.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_core::future::BoxFuture;
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};
use tokio::time::Instant;

use super::endpoint::{Endpoint, Grant, OAuth2Error};
use super::provider::{BoxError, CredentialProvider};
use crate::Credential;

/// How long before its end a token is renewed, unless a tenth of its life is less.
const MARGIN: Duration = Duration::from_secs(30);
/// How long a renewal that failed is not tried again while the token still serves.
const PAUSE: Duration = Duration::from_secs(1);

/// Gives the tokens of one token endpoint.
pub(crate) struct Tokens(Arc<Shared>);

struct Shared {
    endpoint: Endpoint,
    http: reqwest::Client,
    state: Mutex<State>,
    /// Held by the only one who asks the endpoint. Whoever vanishes while asking lets go of it.
    turn: Arc<Turn<()>>,
}

#[derive(Default)]
struct State {
    present: Option<Token>,
    /// How many times the endpoint gave none, and why at last.
    failures: u64,
    failure: Option<OAuth2Error>,
}

#[derive(Clone)]
struct Token {
    credential: Credential,
    renewed_from: Option<Instant>,
    expires: Option<Instant>,
}

impl Tokens {
    pub(crate) fn new(endpoint: Endpoint, http: reqwest::Client) -> Self {
        Self(Arc::new(Shared {
            endpoint,
            http,
            state: Mutex::default(),
            turn: Arc::default(),
        }))
    }

    /// Asks for the token after the present one, which goes on serving meanwhile.
    fn renew_in_background(&self) {
        // Whoever has the turn is asking already.
        if let Ok(turn) = self.0.turn.clone().try_lock_owned() {
            let shared = self.0.clone();
            tokio::spawn(async move { shared.renew_early(turn).await });
        }
    }
}

impl CredentialProvider for Tokens {
    fn credential(&self) -> BoxFuture<'_, Result<Credential, BoxError>> {
        Box::pin(async {
            let (present, failures) = self.0.usable();
            let Some(present) = present else {
                return Ok(self.0.wait(failures).await?);
            };
            if present.is_due() {
                self.renew_in_background();
            }
            Ok(present.credential)
        })
    }

    fn renew<'a>(
        &'a self,
        rejected: &'a Credential,
    ) -> BoxFuture<'a, Result<Option<Credential>, BoxError>> {
        Box::pin(async move {
            self.0.discard(rejected);
            let (present, failures) = self.0.usable();
            let another = match present {
                Some(present) => present.credential,
                None => self.0.wait(failures).await?,
            };
            Ok(Some(another).filter(|another| another != rejected))
        })
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing is left half done where a panic could come.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The present token if it serves, and how many failures there were.
    fn usable(&self) -> (Option<Token>, u64) {
        let state = self.state();
        let present = state.present.clone().filter(|token| !token.is_over());
        (present, state.failures)
    }

    /// Forgets a token that the server does not take.
    fn discard(&self, rejected: &Credential) {
        let mut state = self.state();
        if matches!(&state.present, Some(token) if token.credential == *rejected) {
            state.present = None;
        }
    }

    /// The token that somebody else gets meanwhile, else one asked for now. A failure meanwhile, since
    /// there were `failures` of them, is that of all who waited.
    async fn wait(&self, failures: u64) -> Result<Credential, OAuth2Error> {
        let _turn = self.turn.lock().await;
        let (present, _) = self.usable();
        if let Some(present) = present {
            return Ok(present.credential);
        }
        let failed = {
            let state = self.state();
            state.failure.clone().filter(|_| state.failures != failures)
        };
        match failed {
            Some(failure) => Err(failure),
            None => self.ask().await,
        }
    }

    async fn renew_early(&self, _turn: OwnedMutexGuard<()>) {
        let (present, _) = self.usable();
        if present.is_some_and(|token| !token.is_due()) {
            return;
        }
        if self.ask().await.is_err()
            && let Some(present) = &mut self.state().present
        {
            present.renewed_from = Instant::now().checked_add(PAUSE);
        }
    }

    /// Asks for a token and keeps it. Only for who has the turn.
    async fn ask(&self) -> Result<Credential, OAuth2Error> {
        let asked = Instant::now();
        let outcome = self.endpoint.ask(&self.http).await;
        let mut state = self.state();
        match outcome {
            Ok(grant) => {
                let token = Token::new(grant, asked);
                let credential = token.credential.clone();
                state.present = Some(token);
                Ok(credential)
            }
            Err(failure) => {
                state.failures += 1;
                state.failure = Some(failure.clone());
                Err(failure)
            }
        }
    }
}

impl Token {
    /// A token granted to who asked at `asked`: its life is counted from there, since nobody knows when
    /// within the exchange it began.
    fn new(grant: Grant, asked: Instant) -> Self {
        let expires = grant.life.and_then(|life| asked.checked_add(life));
        let margin = grant.life.map(|life| MARGIN.min(life / 10));
        Self {
            credential: grant.credential,
            renewed_from: expires.and_then(|expires| expires.checked_sub(margin?)),
            expires,
        }
    }

    fn is_due(&self) -> bool {
        self.renewed_from.is_some_and(|at| at <= Instant::now())
    }

    fn is_over(&self) -> bool {
        self.expires.is_some_and(|at| at <= Instant::now())
    }
}
