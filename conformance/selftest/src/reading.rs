//! What a reading is.

use axum::Router;

/// An honest server that does otherwise than the reference server where the specification leaves the
/// choice, or can be read in two ways.
#[derive(Clone, Copy)]
pub struct Reading {
    /// What the server does, in kebab case.
    pub name: &'static str,
    /// What the server does, in one sentence.
    pub does: &'static str,
    /// The requirements that leave the choice, in their statement or in how they are read.
    pub of: &'static [&'static str],
    /// The scenarios that cannot be judged with it, as patterns; any other must pass.
    pub unjudged: &'static [&'static str],
    /// Puts the choice before an honest router.
    pub wrap: fn(Router) -> Router,
}

impl std::fmt::Debug for Reading {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reading")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// A server that takes this choice, and with which every scenario is judged.
pub(crate) const fn reading(
    name: &'static str,
    does: &'static str,
    of: &'static [&'static str],
    wrap: fn(Router) -> Router,
) -> Reading {
    Reading {
        name,
        does,
        of,
        unjudged: &[],
        wrap,
    }
}
