//! The one place where generated code comes in. It is made from openapi.yml by build.rs.

/// The request and response models of the protocol, generated from [`OPENAPI`](crate::OPENAPI).
///
/// A request starts with `new`, which takes what the protocol requires, and goes on with
/// `with_...`; neither breaks when a later release adds an optional field. All models are
/// `#[non_exhaustive]`.
///
/// Reading is lenient: unknown fields are passed over, `null` is absence (of a list or map that is
/// required: emptiness), and what the protocol enumerates is text, so that a new value stays
/// readable. An absent list or map (`None`) is told apart from an empty one.
///
/// The `identity` and `context` of a request travel as headers, see [`Client`](crate::Client).
/// Inside the operations of a batch they are not sent at all.
pub mod models {
    include!(concat!(env!("OUT_DIR"), "/models.rs"));
}

/// progenitor's client, cut down to what writes a request.
#[expect(
    clippy::unnecessary_to_owned,
    clippy::too_many_arguments,
    reason = "progenitor writes it so"
)]
pub(crate) mod wire {
    include!(concat!(env!("OUT_DIR"), "/wire.rs"));
}

/// The public methods of [`Client`](crate::Client).
pub(crate) mod facade {
    include!(concat!(env!("OUT_DIR"), "/facade.rs"));
}

/// What the listings need to know of each paged operation.
mod paging {
    include!(concat!(env!("OUT_DIR"), "/paging.rs"));
}
