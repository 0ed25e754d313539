//! Suite times: how long the tests of each project took last.
//!
//! ```text
//! cargo test in crates/a    3.2 s    runs by itself
//! pytest                     48 s    runs when the user asks
//! ```
//!
//! In: a run. Out: whether the next one may begin by itself. Kept in a file beside the layers; a file that cannot be read is
//! as one that is not there.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_sandbox::private_file::PrivateFile;
use signoff_sandbox::regular;

use super::SuiteCommand;

/// Tests whose last run took longer begin only when the user asks: the result would come after the user has decided.
const QUICK: Duration = Duration::from_secs(20);
/// Bytes of the file; in the place of a longer one it is made anew.
const MAX_BYTES: u64 = 256 * 1024;

/// Milliseconds that the last run took, by framework and folder.
#[derive(Debug)]
pub struct SuiteTimes {
    file: PathBuf,
    took: BTreeMap<String, u64>,
}

impl SuiteTimes {
    /// Reads what is known of a workspace, whose layers are in `layers`.
    pub fn load(layers: &Path) -> Self {
        let file = layers.join("test-times.json");
        let text = regular::text(&file, MAX_BYTES).ok();
        let took = text.and_then(|text| serde_json::from_str(&text).ok());
        Self {
            took: took.unwrap_or_default(),
            file,
        }
    }

    /// Returns how long the last run took, if there was one.
    pub fn last(&self, command: &SuiteCommand) -> Option<Duration> {
        let took = self.took.get(&key(command));
        took.copied().map(Duration::from_millis)
    }

    /// Returns how long the last run took, if that is too long for one that was not asked for.
    pub fn slow(&self, command: &SuiteCommand) -> Option<Duration> {
        self.last(command).filter(|took| *took > QUICK)
    }

    /// Notes how long a run took.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be written.
    pub fn note(&mut self, command: &SuiteCommand, took: Duration) -> io::Result<()> {
        let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.took.insert(key(command), took);
        PrivateFile::new(self.file.clone()).replace(&serde_json::to_vec(&self.took)?)
    }
}

/// All test files of a project take other times than some of them.
fn key(command: &SuiteCommand) -> String {
    let extent = if command.files.is_empty() {
        "all"
    } else {
        "related"
    };
    format!("{} {extent} in {}", command.framework, command.folder)
}

#[cfg(test)]
mod tests {
    use super::super::Framework;
    use super::*;

    #[test]
    fn what_took_long_is_known_the_next_time_for_its_folder_and_extent() {
        let layers = tempfile::tempdir().unwrap();
        let command = |folder: &str, files: &[&str]| SuiteCommand {
            framework: Framework::Pytest,
            program: "pytest".to_owned(),
            arguments: Vec::new(),
            folder: folder.to_owned(),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
        };
        let mut times = SuiteTimes::load(layers.path());
        let (some, all) = (command("a", &["a/test_x.py"]), command("a", &[]));
        assert_eq!(times.last(&some), None);
        times.note(&some, Duration::from_secs(3)).unwrap();
        times.note(&all, Duration::from_secs(48)).unwrap();
        let times = SuiteTimes::load(layers.path());
        assert_eq!(times.last(&some), Some(Duration::from_secs(3)));
        assert_eq!(times.slow(&some), None);
        assert_eq!(times.slow(&all), Some(Duration::from_secs(48)));
        assert_eq!(times.last(&command("", &["a/test_x.py"])), None);
        std::fs::write(layers.path().join("test-times.json"), "{").unwrap();
        assert_eq!(SuiteTimes::load(layers.path()).last(&all), None);
    }
}
