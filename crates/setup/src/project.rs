//! The project in the workspace: what checks it, what tests it, and whether that may run.

pub mod checks;
pub mod consent;
pub mod language_servers;
pub mod necessity;
pub mod syntax;
pub mod test_files;
