//! Certifies Lance Namespace servers.

fn main() {}
