//! The project in the workspace: what checks it, what tests it, and whether that may run.

pub(crate) mod checks;
pub(crate) mod consent;
pub(crate) mod language_servers;
pub(crate) mod syntax;
pub(crate) mod test_files;
