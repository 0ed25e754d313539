//! What the project's compilers, linters, test runners and language servers say of its files.
//!
//! The rooms in order; each uses only rooms above it.
//!
//! | room | is |
//! |---|---|
//! | `project_folders` | Project folders: where the programs of a project's own packages are |
//! | `check` | Checks: compilers and linters of the project, and what they say |
//! | `suite` | Test suites: how test files are run, and what came of their tests |
//! | `necessity` | Necessity: which hunks of a change no test and no check needs |
//! | `language_server` | Language servers: their protocol, and what is made of their answers |

mod project_folders;
pub mod check;
pub mod suite;
pub mod necessity;
#[cfg(target_os = "linux")]
pub mod language_server;
