//! A small honest Lance Namespace server on SQLite.
