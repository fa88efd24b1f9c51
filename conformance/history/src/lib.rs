//! Histories of what clients of a Lance Namespace server asked and were told, and a checker: is
//! there an order, consistent with real time, in which every operation takes effect at one point and
//! every answer is explained?
//!
//! ```
//! use lance_namespace_history::{Verdict, check, format};
//!
//! let lines = r#"{"format":"lance-namespace-history","schema":1}
//! {"client":1,"start":10,"end":20,"call":"create_version","table":"t","version":7,"entry":"a","outcome":"ok"}
//! {"client":2,"start":30,"end":40,"call":"describe_version","table":"t","version":7,"outcome":"missing"}
//! "#;
//! let history = format::read(lines.as_bytes())?;
//! let Verdict::Violation(violation) = check(&history) else {
//!     panic!("a version that was created is gone");
//! };
//! assert_eq!(violation.places, [0, 1]);
//! # Ok::<(), format::ReadError>(())
//! ```
//!
//! # The model
//!
//! A server holds *cells*: whether each table is there, and for each version of each branch of each
//! table an entry or none. Each operation is a condition on cells and a change of them, at one point
//! between its start and its end:
//!
//! | operation | answered | needs | changes |
//! |---|---|---|---|
//! | create version, batch create | ok | its tables are there; each version absent, or this very entry already (VER-5) | puts the entries, all at one point |
//! | | exists | the version is there; of a batch, one of them | nothing |
//! | | missing | the table is not there; of a batch, one of them | nothing |
//! | describe version | ok, missing | the version is this entry; is absent | nothing |
//! | describe the latest | ok, missing | the version is this entry and no higher one is there; none is there | nothing |
//! | list versions | ok | see below | nothing |
//! | delete versions | ok | its table is there; so many were there, if it says so | removes the ranges |
//! | declare table | ok, exists | the table is not there; is there | the table is there |
//! | table exists, describe table | ok, missing | the table is there; is not there | nothing |
//! | drop, deregister table | ok, missing | the table is there; is not there | neither it nor its versions are |
//! | batch commit | ok | what its operations need, each after those before it | all of it at one point |
//! | | exists, missing | one cause, as for a batch; nothing if its operations depend on one another | nothing |
//!
//! What is *refused* otherwise says nothing and does nothing. What is *unknown* may take effect at any
//! time after its start, if what it needs is there, or never.
//!
//! A list that is whole, or a page of a descending one, says that in its range exactly these versions
//! are there. A page of a list whose order is open (ORD-4) only says that those on it are. A server may
//! answer later pages from what it saw at the first: a page's point lies between the start of the first
//! page ([`operation::Page::since`]) and its own end.
//!
//! Left open, since the protocol leaves it open: whether the versions of a table survive if it is
//! deregistered and declared anew. If a history may hold that, the versions of that table are not judged.
//! A table that is neither declared in the history nor named as there from the beginning may have been
//! there or not.
//!
//! # What the verdicts are worth
//!
//! - [`Verdict::Consistent`] comes with the order. It is right because each operation of it was
//!   carried out on the cells, with its condition true.
//! - [`Verdict::Violation`] comes with a part of the history of which a complete search has shown that no
//!   order explains it. **An honest history is never accused**: what explains the whole explains each
//!   part, where a part is made by two things only. *Fewer cells*: an order of the whole stays one if each
//!   operation keeps only what it says and does of some of the cells; a claim that spans kept cells and
//!   others (one of several, a count) is dropped. *Fewer answers*: an operation whose answer is forgotten
//!   becomes one of unknown outcome, which may take effect where it did, or never; one whose start is
//!   forgotten too, at any time.
//! - [`Verdict::Inconclusive`] is neither. Deciding is NP-hard as soon as batches may have happened or not,
//!   so there is a bound. Every search counts its steps and gives up at a number that depends on the
//!   history's size, not on the clock: no history hangs, and the verdict on it is always the same.
//!
//! # How it works
//!
//! Starts and ends are gone through in the order of time. What only reads is done as soon as its answer is
//! true. A change is put off until an operation ends that is not done. Then what must go before it does:
//! what makes its condition true, and before any of that those reads that are waiting and that it
//! would make wrong.
//!
//! Without deletes, drops and batches of unknown or refused outcome this never errs. Each version then
//! becomes present at most once, by a known operation `w`, so that each answer says on which side of `w`
//! it lies: the answers and real time together are a graph of what goes before what. An order exists
//! exactly if the graph has no cycle, and what is done here is to visit, for each operation that ends,
//! what the graph puts before it. Each operation and each answer about a cell is looked at once for each
//! change of the cell while it waits, which is bounded by the number of clients: time is that of sorting,
//! *n* log *n*.
//!
//! With deletes, an absent version may be one that is not there yet or no longer, and which it is can
//! depend on what comes much later. The likeliest is then tried first, by what the rest of the history
//! shows of each version; and where the search gets stuck it goes back to a change that was to blame, and
//! lets another go before it. If that does not lead to an order, parts around the point where it got stuck
//! are searched completely, from single cells to all of them; a part that is impossible is then made
//! smaller, answer by answer and cell by cell, as long as it stays impossible.
//!
//! Sound, but not complete, is therefore: long histories in which many deletes, drops or batches of unknown
//! outcome run at the same time as creates of the same versions. A violation that spans more of them than can
//! be searched is inconclusive; and so may an honest history be.

mod bag;
mod check;
mod compile;
mod core;
mod foresight;
pub mod format;
mod hash;
mod hints;
mod names;
pub mod operation;
mod plan;
mod problem;
mod search;
mod state;
mod timeline;
mod violation;
mod words;

pub use check::{Verdict, check};
pub use timeline::timeline;
pub use violation::{Subject, Violation};
