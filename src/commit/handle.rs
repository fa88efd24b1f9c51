//! Where a result is found.

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// The place of one addition to a commit, and so of its result, a `T`.
pub struct Handle<T> {
    commit: u64,
    pub(super) index: usize,
    result: PhantomData<fn() -> T>,
}

impl<T> Handle<T> {
    /// The place of the addition within its commit, from 0.
    pub fn index(self) -> usize {
        self.index
    }
}

impl<T> Clone for Handle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("index", &self.index)
            .finish_non_exhaustive()
    }
}

/// Tells commits apart, so that a handle finds nothing in another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark(u64);

impl Mark {
    pub(super) fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn handle<T>(self, index: usize) -> Handle<T> {
        Handle {
            commit: self.0,
            index,
            result: PhantomData,
        }
    }

    /// The place that a handle of this commit stands for.
    pub(super) fn index<T>(self, handle: Handle<T>) -> Option<usize> {
        (handle.commit == self.0).then_some(handle.index)
    }
}
