//! Reads of one answer, on a disk so slow that each waits until all of them have begun.

use std::path::PathBuf;
use std::sync::{Condvar, PoisonError};

use signoff_core::disk::workspace::attributes::Attributes;
use signoff_core::disk::workspace::disk::DiskWorkspace;
use signoff_core::disk::workspace::{
    AccessError, DirEntry, Draft, FileImage, Reader, Swap, Workspace, WorkspacePath,
};
use signoff_core::text::{Fingerprint, Source};

use super::*;

/// How many reads must have begun before the first one ends.
const READS: usize = 5;
/// Only a test that fails waits so long.
const AT_MOST: Duration = Duration::from_secs(60);

/// How many wait, and how often that was not enough.
type Door = Arc<(Mutex<(usize, usize)>, Condvar)>;

/// A disk whose reads end together.
struct Slow {
    disk: DiskWorkspace,
    door: Door,
}

struct SlowReader(DiskWorkspace, Door);

impl Reader for SlowReader {
    fn image(&self, path: &WorkspacePath) -> Result<Option<FileImage>, AccessError> {
        let (count, came) = &*self.1;
        let mut count = count.lock().unwrap_or_else(PoisonError::into_inner);
        count.0 += 1;
        came.notify_all();
        let (mut count, late) = came
            .wait_timeout_while(count, AT_MOST, |count| count.0 < READS)
            .unwrap_or_else(PoisonError::into_inner);
        count.1 += usize::from(late.timed_out());
        self.0.read(path)
    }
}

impl Workspace for Slow {
    fn root(&self) -> PathBuf {
        self.disk.root()
    }
    fn reader(&self) -> Option<Box<dyn Reader>> {
        let (disk, door) = (self.disk.clone(), Arc::clone(&self.door));
        Some(Box::new(SlowReader(disk, door)))
    }
    fn canonical(&self, path: &WorkspacePath) -> Result<WorkspacePath, AccessError> {
        self.disk.canonical(path)
    }
    fn entry(&self, path: &WorkspacePath) -> Result<WorkspacePath, AccessError> {
        self.disk.entry(path)
    }

    fn read(&self, path: &WorkspacePath) -> Result<Option<FileImage>, AccessError> {
        self.disk.read(path)
    }
    fn link_target(&self, path: &WorkspacePath) -> Result<Option<Vec<u8>>, AccessError> {
        self.disk.link_target(path)
    }

    fn has_other_names(&self, path: &WorkspacePath) -> Result<bool, AccessError> {
        self.disk.has_other_names(path)
    }
    fn list(&self, path: &WorkspacePath) -> Result<Vec<DirEntry>, AccessError> {
        self.disk.list(path)
    }
    fn check_writable(&self, path: &WorkspacePath) -> Result<(), AccessError> {
        self.disk.check_writable(path)
    }
    fn attributes(&self, path: &WorkspacePath) -> Result<Option<Attributes>, AccessError> {
        self.disk.attributes(path)
    }
    fn draft(
        &mut self,
        draft: &Draft,
        text: &Source,
        attributes: Option<&Attributes>,
    ) -> Result<Vec<String>, AccessError> {
        self.disk.draft(draft, text, attributes)
    }
    fn drafted(&self, draft: &Draft) -> Result<Option<Source>, AccessError> {
        self.disk.drafted(draft)
    }
    fn publish(&mut self, draft: &Draft, was: Option<Fingerprint>) -> Result<Swap, AccessError> {
        self.disk.publish(draft, was)
    }
    fn withdraw(&mut self, draft: &Draft, was: Fingerprint) -> Result<Swap, AccessError> {
        self.disk.withdraw(draft, was)
    }
    fn redraft(&mut self, draft: &Draft, to: &Draft) -> Result<(), AccessError> {
        self.disk.redraft(draft, to)
    }
    fn discard(&mut self, draft: &Draft) -> Result<(), AccessError> {
        self.disk.discard(draft)
    }
    fn missing_folders(&self, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, AccessError> {
        self.disk.missing_folders(path)
    }
    fn remove_folder(&mut self, folder: &WorkspacePath) -> Result<(), AccessError> {
        self.disk.remove_folder(folder)
    }
    fn sync_folder(&mut self, path: &WorkspacePath) -> Result<(), AccessError> {
        self.disk.sync_folder(path)
    }
}

#[tokio::test]
async fn five_reads_take_as_long_as_the_slowest() {
    let door = Door::default();
    let names = ["a", "b", "c", "d", "e"];
    let files = names.map(|name| (name, "text\n"));
    let folder = Folder::over(&files, |disk| -> Box<dyn Workspace> {
        let door = Arc::clone(&door);
        Box::new(Slow { disk, door })
    });
    let reads = names.map(|name| ("read", json!({ "path": name })));
    let script = Script::default();
    let calls = Answer::Whole(called(&reads));
    script.answers.lock().unwrap().push_back(calls);
    let driver = Driver::new(Arc::new(script), Arc::clone(&folder.engine));
    let mut read = 0;
    assert_eq!(
        exec(driver, "look".to_owned(), |event| {
            read += usize::from(matches!(
                event,
                Event::Call(CallEvent::Done { ok: true, .. })
            ));
        })
        .await,
        TurnEnd::Done
    );
    assert_eq!((read, *door.0.lock().unwrap()), (READS, (READS, 0)));
}
