//! What clients asked and were told, as a history that is judged as a whole.
//!
//! Each exchange of a stage is recorded: which client asked ([`as_client`](crate::race::as_client)),
//! when, what, and what it was told. [`Stage::judge_history`](crate::stage::Stage::judge_history)
//! puts all of that into the words of the crate `lance-namespace-history` and asks whether there is
//! one order that explains every answer (requirements ORD-6 and ORD-7).
//!
//! # What is recorded
//!
//! The declares, drops and deregistrations of the tables that the stage itself declared, their
//! versions on the main branch, and what was read of them. What is on its way when the history is
//! judged, or was given up, may have happened. So may what was not answered, or answered by a 5xx.
//!
//! # What is left out
//!
//! Nothing is claimed that a server did not say, and nothing that it may say honestly without its
//! being so:
//!
//! - Branches: what they begin with is the server's choice.
//! - Tables with which something was done that histories have no word for, such as inserting rows.
//! - A create that was refused by a 409 may have lost to any other writer, or to a rule of the server
//!   about gaps: the refusal does not say that its version is there. Of a declare it does, if the code
//!   is 5, nobody else was at that table, and it was never removed.
//! - That a create finds no table says so only once the table has had a version: whether it may get
//!   the first is open (TBL-8).
//! - A delete of several versions need not be done at one point: the protocol does not call it atomic.
//!   Where only that explains a history it is a warning. `check`, which judges a kept history again, holds
//!   deletes to one point.
//! - A list is whole if no page token came and it is shorter than the `limit` that it was asked for: to
//!   cut it without a token breaks PAGE-2, not the order.
//!
//! # What stands for an entry
//!
//! The manifest that was sent for it, by its path. Which one an entry that was read is, tell its
//! path, the metadata or the ETag of the manifest, or the ETag that the answer to the create
//! gave; where all answers about the version give one path, the bytes that lie there. If that tells
//! none of them, or several, nothing is guessed: all manifests sent for the version count as the same
//! one, which accuses of less and of nothing new.

mod entries;
mod judge;
mod loose;
mod names;
mod recorder;
mod refusals;
mod request;
mod scope;
#[cfg(test)]
mod tests;
mod translate;

pub(crate) use entries::Recording;
pub(crate) use recorder::Recorder;
