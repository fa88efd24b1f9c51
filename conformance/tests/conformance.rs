//! Every scenario as one test.

fn main() {}
