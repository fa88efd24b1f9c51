//! Workloads: many clients that do many things at once, drawn from a seed, and judged by the history
//! of all they asked and were told.
//!
//! A scenario of the other families sets up one situation and looks at it closely; it finds what its
//! author thought of. A workload finds what comes of situations that nobody set up: it says how many
//! [clients](Workload::clients) there are, on how few tables they meet, and how often each does what
//! ([`Action`]), and a pure generator draws a [`Plan`] of it. Afterwards the history checker decides
//! whether any order explains every answer. So a fault that shows once in hundreds of requests is found
//! wherever it does, and no check has to foresee it.
//!
//! The plan is the same for the same seed. How the clients' steps fall between one another is not: that
//! is up to the machine. The plan names versions by what a client has seen ("the next", "three below the
//! latest"), since a server may refuse versions that do not follow the latest (VER-6). What a
//! server refuses is no finding, whatever the reason; that an answer contradicts the others is.
//!
//! # What each kind is good for
//!
//! | scenario | faults that it is after |
//! |---|---|
//! | `histories/races-for-versions` | two winners of one version, a winner whose entry is lost or replaced |
//! | `histories/readers-of-every-kind` | a stale copy behind one way to read: describe, list or pages; a page that goes back |
//! | `histories/versions-come-and-go` | a delete that takes more than it was told, is undone, or is seen in parts |
//! | `histories/siblings-around-a-table` | what happens to one table and shows at its neighbour, by name or by key |
//! | `histories/batches-in-opposite-order` | batches that lock table by table, stop half-way, or leave out an entry |
//! | `histories/batches-against-single-operations` | a batch and a single create, delete or deregister that both go through |
//! | `histories/drop-of-a-namespace-races-declares` | a namespace that is found empty and dropped later, with a table in it by then |
//! | `histories/everything-at-once` | what shows only on a hot table, or only between operations of different kinds |
//!
//! In a certification each is played once, at a size that takes a fraction of a second on a fast
//! server. `--duration` plays them over and over with other seeds (see [`crate::soak`]).

mod action;
mod plan;
mod player;
mod spread;
mod tables;

pub use action::{Action, Phase, Role, Workload};
pub use plan::{Doomed, Plan, Step, Version};
pub use player::play;
pub use spread::Spread;
