//! What an answer amounts to, and the refusals that requirements name.

use std::fmt;

use crate::exchange::Exchange;

/// What an answer amounts to: its class, whatever its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// Carried out: a 2xx.
    Ok,
    /// Refused, with this status and, where the answer carries one, this code.
    Refused(u16, Option<i64>),
    /// Neither carried out nor refused for sure: a 5xx.
    Failed(u16),
    /// No answer came.
    Lost,
}

impl Outcome {
    /// What this exchange amounts to.
    #[must_use]
    pub fn of(exchange: &Exchange) -> Self {
        match exchange.status() {
            None => Self::Lost,
            Some(200..=299) => Self::Ok,
            Some(status @ 500..) => Self::Failed(status),
            Some(status) => Self::Refused(status, exchange.code()),
        }
    }

    /// Whether the request may have been carried out or not (requirement REST-13).
    #[must_use]
    pub fn is_unknown(self) -> bool {
        matches!(self, Self::Lost | Self::Failed(502..=504))
    }

    /// Whether the server was too busy: the request was not carried out, and that says nothing of
    /// it (requirement REST-13).
    #[must_use]
    pub fn is_throttled(self) -> bool {
        matches!(self, Self::Refused(429, _))
    }

    /// Whether this is a refusal by a 409.
    #[must_use]
    pub fn is_conflict(self) -> bool {
        matches!(self, Self::Refused(409, _))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ok => f.write_str("ok"),
            Self::Refused(404, code) => match code.and_then(kind_of_missing) {
                Some(kind) => write!(f, "not found: {kind}"),
                None => f.write_str("not found"),
            },
            Self::Refused(409, _) => f.write_str("conflict"),
            Self::Refused(400, _) => f.write_str("invalid"),
            Self::Refused(401 | 403, _) => f.write_str("denied"),
            Self::Refused(406, _) => f.write_str("unsupported"),
            Self::Refused(429, _) => f.write_str("throttled"),
            Self::Refused(status, _) => write!(f, "refused with {status}"),
            Self::Failed(status) => write!(f, "server error {status}"),
            Self::Lost => f.write_str("no answer"),
        }
    }
}

fn kind_of_missing(code: i64) -> Option<&'static str> {
    Some(match code {
        1 => "namespace",
        4 => "table",
        6 => "index",
        8 => "tag",
        10 => "transaction",
        11 => "version",
        12 => "column",
        22 => "branch",
        _ => return None,
    })
}

/// A refusal that a requirement names: the status, and the codes that go with it.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    pub(crate) status: u16,
    pub(crate) codes: &'static [i64],
    pub(crate) label: &'static str,
}

impl Refusal {
    /// Something else stands there already: 409, code 14.
    pub const CONFLICT: Self = Self {
        status: 409,
        codes: &[14],
        label: "conflict",
    };
    /// The request itself is wrong: 400, code 13.
    pub const INVALID: Self = Self {
        status: 400,
        codes: &[13],
        label: "invalid",
    };
    /// No such namespace: 404, code 1.
    pub const NO_NAMESPACE: Self = Self {
        status: 404,
        codes: &[1],
        label: "not found: namespace",
    };
    /// No such table: 404, code 4.
    pub const NO_TABLE: Self = Self {
        status: 404,
        codes: &[4],
        label: "not found: table",
    };
    /// No such table, in a namespace that does not exist either: 404, code 1 or 4.
    pub const NO_TABLE_OR_NAMESPACE: Self = Self {
        status: 404,
        codes: &[1, 4],
        label: "not found: table or its namespace",
    };
    /// No such version: 404, code 11.
    pub const NO_VERSION: Self = Self {
        status: 404,
        codes: &[11],
        label: "not found: version",
    };
    /// No such branch: 404, code 22.
    pub const NO_BRANCH: Self = Self {
        status: 404,
        codes: &[22],
        label: "not found: branch",
    };
    /// No such index: 404, code 6.
    pub const NO_INDEX: Self = Self {
        status: 404,
        codes: &[6],
        label: "not found: index",
    };
    /// No such column: 404, code 12.
    pub const NO_COLUMN: Self = Self {
        status: 404,
        codes: &[12],
        label: "not found: column",
    };
    /// The rows do not fit the table: 400, code 13 or 20.
    pub const MISFIT: Self = Self {
        status: 400,
        codes: &[13, 20],
        label: "invalid",
    };
    /// An index of this name exists: 409, code 7.
    pub const INDEX_EXISTS: Self = Self {
        status: 409,
        codes: &[7],
        label: "conflict: index",
    };
    /// The server lacks this: 406, code 0.
    pub const UNSUPPORTED: Self = Self {
        status: 406,
        codes: &[0],
        label: "unsupported",
    };
    /// A namespace of this name exists: 409, code 2.
    pub const NAMESPACE_EXISTS: Self = Self {
        status: 409,
        codes: &[2],
        label: "conflict: namespace",
    };
    /// The namespace holds something: 409, code 3.
    pub const NOT_EMPTY: Self = Self {
        status: 409,
        codes: &[3],
        label: "conflict: not empty",
    };
    /// A table of this name exists: 409, code 5.
    pub const TABLE_EXISTS: Self = Self {
        status: 409,
        codes: &[5],
        label: "conflict: table",
    };

    /// No such tag: 404, code 8.
    pub const NO_TAG: Self = Self {
        status: 404,
        codes: &[8],
        label: "not found: tag",
    };
    /// A tag of this name exists: 409, code 9.
    pub const TAG_EXISTS: Self = Self {
        status: 409,
        codes: &[9],
        label: "conflict: tag",
    };
    /// A branch of this name exists: 409, code 23.
    pub const BRANCH_EXISTS: Self = Self {
        status: 409,
        codes: &[23],
        label: "conflict: branch",
    };
    /// The caller is unknown: 401, code 16.
    pub const UNAUTHENTICATED: Self = Self {
        status: 401,
        codes: &[16],
        label: "denied",
    };
    /// The caller may not do this: 403, code 15.
    pub const DENIED: Self = Self {
        status: 403,
        codes: &[15],
        label: "denied",
    };
    /// No such transaction: 404, code 10.
    pub const NO_TRANSACTION: Self = Self {
        status: 404,
        codes: &[10],
        label: "not found: transaction",
    };

    /// What is asked for, in words.
    pub(crate) fn expected(&self) -> String {
        let codes: Vec<String> = self.codes.iter().map(ToString::to_string).collect();
        format!("{} with code {}", self.status, codes.join(" or "))
    }

    /// Whether status and code are the ones asked for.
    pub(crate) fn fits(&self, outcome: Outcome) -> Fit {
        match outcome {
            Outcome::Refused(status, code) if status == self.status => match code {
                Some(code) if self.codes.contains(&code) => Fit::Whole,
                _ => Fit::StatusOnly,
            },
            _ => Fit::None,
        }
    }
}

/// How far an answer is the refusal that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    Whole,
    StatusOnly,
    None,
}
