//! The new root: the file tree that a program finds. Nothing of the old one is in it but what is put there.
//!
//! In the maker, before there is a process 1: [`make`] builds the tree on a file system in memory. In process 1:
//! [`enter`] adds `/proc`, and leaves the old root behind.
//!
//! ```text
//! /usr /bin /lib /etc /opt ...   the system's, read-only
//! /tmp /var/tmp /run             in memory, the program's own
//! home                           in memory, with toolchains read-only and caches as overlays
//! the workspace                  an overlay over the staged state
//! /dev /proc /sys                a few devices, terminals and processes of its own, the processors
//! ```

use std::ffi::{CStr, CString};
use std::fs::{self, Permissions};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Component, Path, PathBuf};

use rustix::mount::{
    MountFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive, mount_remount, unmount,
};
use rustix::process::pivot_root;

use super::beneath::Tree;
use super::failed::{failed, failed_on};
use super::mount_table::MountTable;
use super::setup::{PlacedPath, ProgramNetwork, Setup};

/// Folders of the system that programs, libraries and settings are in. Those that are links are links.
const SYSTEM: [&str; 12] = [
    "usr",
    "usr/local",
    "bin",
    "sbin",
    "lib",
    "lib32",
    "lib64",
    "libx32",
    "etc",
    "opt",
    "nix/store",
    "gnu",
];
/// Those in which programs that the system did not bring have their sockets: Watchman's, in `/usr/local/var/run`, runs any command.
const WITH_SOCKETS: [&str; 2] = ["usr/local", "opt"];
/// Folders in memory, and how large they may be; programs keep what they will here.
const IN_MEMORY: [(&str, &CStr); 3] = [
    ("tmp", c"mode=1777,size=2g"),
    ("var/tmp", c"mode=1777,size=2g"),
    ("run", c"mode=755,size=64m"),
];
/// The home folder, in memory too.
const HOME: &CStr = c"mode=700,size=1g";
/// Devices without a state of their own.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
/// Links in `/dev`, as every system has them.
const DEVICE_LINKS: [(&str, &str); 5] = [
    ("ptmx", "pts/ptmx"),
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];
/// Parts of `/proc` through which the super-user of some namespace changes the machine.
const READ_ONLY: [&str; 6] = ["sys", "sysrq-trigger", "irq", "bus", "fs", "driver"];
/// Parts of `/proc` and `/sys` that tell of other users' programs or of the kernel's memory.
const MASKED: [&str; 20] = [
    "proc/kcore",
    "proc/keys",
    "proc/key-users",
    "proc/timer_list",
    "proc/sched_debug",
    "proc/kallsyms",
    "proc/acpi",
    "proc/scsi",
    "proc/interrupts",
    "proc/config.gz",
    "proc/kpagecount",
    "proc/kpageflags",
    "proc/kpagecgroup",
    "proc/iomem",
    "proc/ioports",
    "proc/slabinfo",
    "proc/vmallocinfo",
    "proc/pagetypeinfo",
    "proc/modules",
    "proc/tty/driver",
];
/// What of the system's settings the super-user alone may read, and a program of the super-user's could.
const SECRETS: [&str; 9] = [
    "etc/shadow",
    "etc/shadow-",
    "etc/gshadow",
    "etc/gshadow-",
    "etc/ssl/private",
    "etc/sudoers",
    "etc/sudoers.d",
    "etc/security/opasswd",
    "etc/krb5.keytab",
];
/// What tells of the machine's processors.
const SYSTEM_DEVICES: [&str; 2] = ["sys/devices/system/cpu", "sys/devices/system/node"];
/// How every mount of the user's files is: no program of another user, no devices.
const PLAIN: MountFlags = MountFlags::NOSUID.union(MountFlags::NODEV);
/// How every mount is that is no layer of the program's.
const CLOSED: MountFlags = PLAIN.union(MountFlags::RDONLY);

/// The options of an overlay of which nothing is synced but by [`super::unsynced`].
const UNSYNCED: &str = "userxattr,volatile";
/// What the system leaves in the work folder of such an overlay.
const VOLATILE_MARK: &str = "work/incompat";

/// Where the tree is built, in the layers' folder.
const ROOT: &str = "root";

/// Where folders are made to mount layers on, in the layers' folder.
const MOUNT_POINTS: &str = "shown/points";

/// Builds the tree, and returns it.
pub(super) fn make(setup: &Setup, layers: &Tree) -> io::Result<Tree> {
    let point = layers.make_below(Path::new(ROOT), 0o700)?;
    mount(
        c"tmpfs",
        point.handle(),
        c"tmpfs",
        PLAIN,
        c"mode=755,size=4m",
    )
    .map_err(|error| failed("make a root", error))?;
    let tree = NewRoot::open(layers)?;
    let mounts = MountTable::read()?;
    tree.system(&mounts)?;
    tree.memory(setup)?;
    // Before what is the user's: a workspace may lie in `/dev/shm`.
    tree.devices()?;
    tree.users(setup, &mounts)?;
    tree.texts(setup)?;
    for placed in &setup.placed {
        tree.placed(placed)?;
    }
    Ok(tree.folder)
}

/// Makes `/proc` and becomes a process that finds nothing but the new root. `of_root` is whether the super-user started
/// the program; in this namespace everybody is root.
pub(super) fn enter(setup: &Setup, layers: &Tree, of_root: bool) -> io::Result<()> {
    let tree = NewRoot::open(layers)?;
    tree.processes()?;
    tree.close(setup, of_root)?;
    tree.folder.enter()?;
    pivot_root(".", ".").map_err(|error| failed("take the new root", error))?;
    unmount(".", UnmountFlags::DETACH).map_err(|error| failed("leave the old root", error))?;
    std::env::set_current_dir("/")
}

/// The root of the file system that a program finds, while it is made.
struct NewRoot {
    folder: Tree,
    /// A path to it that no other process changes.
    root: PathBuf,
    layers: Tree,
}

impl NewRoot {
    /// Opens the tree once something is mounted where it is built.
    fn open(layers: &Tree) -> io::Result<Self> {
        let folder = layers.below(Path::new(ROOT))?;
        // What another process put there meanwhile is no file system in memory, and on the disk of the layers.
        if device(&folder)? == device(layers)? {
            return Err(io::Error::other("the new root was moved while it was made"));
        }
        Ok(Self {
            root: folder.handle(),
            folder,
            layers: layers.again()?,
        })
    }

    /// Returns where a path of the program's is now.
    fn at(&self, path: &Path) -> PathBuf {
        let parts = path.components();
        let parts = parts.filter(|part| matches!(part, Component::Normal(_)));
        self.root.join(parts.collect::<PathBuf>())
    }

    fn system(&self, mounts: &MountTable) -> io::Result<()> {
        for name in SYSTEM {
            let own = Path::new("/").join(name);
            let to = self.root.join(name);
            match fs::symlink_metadata(&own) {
                // `/usr/local` is one on some systems, and is in `/usr` as it is.
                Ok(found) if found.is_symlink() && to.symlink_metadata().is_ok() => {}
                Ok(found) if found.is_symlink() => symlink(fs::read_link(&own)?, &to)?,
                Ok(found) if found.is_dir() && WITH_SOCKETS.contains(&name) => {
                    self.view(&own, &[], mounts)?;
                }
                Ok(found) if found.is_dir() => self.show(&own)?,
                _ => {}
            }
        }
        for name in SYSTEM_DEVICES {
            let own = Path::new("/").join(name);
            if own.is_dir() {
                self.show(&own)?;
            }
        }
        Ok(())
    }

    fn memory(&self, setup: &Setup) -> io::Result<()> {
        for (name, options) in IN_MEMORY {
            self.in_memory(Path::new(name), options)?;
        }
        // A home folder that is the root is none.
        if setup.home.parent().is_some() {
            self.in_memory(&setup.home, HOME)?;
        }
        Ok(())
    }

    fn in_memory(&self, folder: &Path, options: &CStr) -> io::Result<()> {
        let at = self.at(folder);
        fs::create_dir_all(&at).map_err(|error| failed_on("make", folder, error))?;
        mount(c"tmpfs", &at, c"tmpfs", PLAIN, options)
            .map_err(|error| failed_on("mount a file system in memory on", folder, error))
    }

    /// Mounts toolchains, caches and the workspace, outer folders first: a mount hides what was mounted below it.
    fn users(&self, setup: &Setup, mounts: &MountTable) -> io::Result<()> {
        let workspace = (&setup.root, Some(PathBuf::from("workspace")));
        let caches = setup.caches.iter();
        let caches = caches.map(|cache| (cache, Some(cache_layer(cache))));
        let shown = setup.shown.iter().map(|shown| (shown, None));
        let mut all: Vec<(&PathBuf, Option<PathBuf>)> = shown.chain(caches).collect();
        all.push(workspace);
        let git = setup.git.iter().map(|git| &git.folders.common);
        all.extend(git.map(|common| (common, Some(PathBuf::from(GIT_LAYER)))));
        all.sort_by_key(|(path, layer)| (path.components().count(), layer.is_some()));
        for (path, layer) in all {
            match layer {
                Some(layer) => {
                    let under = setup.under.as_deref().filter(|_| *path == setup.root);
                    self.overlay(&layer, path, under)?;
                }
                None => {
                    let caches = setup.caches.iter();
                    let inner: Vec<&Path> = caches
                        .filter_map(|cache| cache.strip_prefix(path).ok())
                        .collect();
                    self.view(path, &inner, mounts)?;
                }
            }
        }
        Ok(())
    }

    /// Shows a file or folder of the user's. A folder is seen through an overlay, in which a socket is a file of its own
    /// without a listener: a build server that has its socket beside a toolchain is not reached.
    /// One that no overlay can show is shown as it is: with other file systems mounted in it, or on one that cannot be
    /// below an overlay. Layers are mounted on folders `inner` of it, which need not be there.
    fn view(&self, own: &Path, inner: &[&Path], mounts: &MountTable) -> io::Result<()> {
        let mut mounted = mounts.below(own);
        if !own.is_dir() || mounted.any(|(point, _)| point != own) {
            return self.show(own);
        }
        // An overlay without a layer has to have two folders below it.
        let absent = inner.iter().filter(|inner| !own.join(inner).exists());
        let absent: Vec<PathBuf> = absent
            .map(|inner| Path::new(MOUNT_POINTS).join(inner))
            .collect();
        let empty = match absent.as_slice() {
            [] => self.layers.make_below(Path::new("shown/empty"), 0o700)?,
            points => {
                for point in points {
                    self.layers.make_below(point, 0o700)?;
                }
                self.layers.below(Path::new(MOUNT_POINTS))?
            }
        };
        let at = self.at(own);
        fs::create_dir_all(&at).map_err(|error| failed_on("show", own, error))?;
        let lower = Tree::open(own).map_err(|error| failed_on("show", own, error))?;
        let made = overlay(
            &at,
            PLAIN | MountFlags::RDONLY,
            &[("lowerdir", &[&lower, &empty])],
            "userxattr",
        );
        match made {
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => self.show(own),
            made => made.map_err(|error| failed_on("show", own, error)),
        }
    }

    /// Shows a file or folder under its own path; [`Self::close`] makes it read-only.
    fn show(&self, own: &Path) -> io::Result<()> {
        self.place_at(own, own)
    }

    /// Shows a file or folder elsewhere, unless something else than a folder is on the way: an earlier program may have left
    /// a link in a layer, which would lead out of the new root here.
    fn placed(&self, placed: &PlacedPath) -> io::Result<()> {
        for folder in placed.to.ancestors().skip(1) {
            match fs::symlink_metadata(self.at(folder)) {
                Ok(found) if !found.is_dir() => return Ok(()),
                _ => {}
            }
        }
        let is_free = match fs::symlink_metadata(self.at(&placed.to)) {
            Ok(found) => found.is_dir() == placed.from.is_dir() && !found.is_symlink(),
            Err(_absent) => true,
        };
        if is_free {
            self.place_at(&placed.from, &placed.to)?;
        }
        Ok(())
    }

    /// Shows a file or folder under a path of the new root.
    fn place_at(&self, own: &Path, to: &Path) -> io::Result<()> {
        let at = self.at(to);
        let failed = |error: io::Error| failed_on("show", own, error);
        if own.is_dir() {
            fs::create_dir_all(&at).map_err(failed)?;
        } else {
            place(&at).map_err(failed)?;
        }
        mount_bind_recursive(own, &at).map_err(|error| failed(error.into()))
    }

    /// Mounts a layer over a folder.
    fn overlay(&self, layer: &Path, lower: &Path, under: Option<&Path>) -> io::Result<()> {
        let failed = |error: io::Error| failed_on("mount an overlay on", lower, error);
        let at = self.at(lower);
        fs::create_dir_all(&at).map_err(failed)?;
        let layer = self.layers.make_below(layer, 0o700)?;
        let [upper, work] = ["upper", "work"].map(|name| layer.make_below(Path::new(name), 0o700));
        let (upper, work) = (upper?, work?);
        let lower = match Tree::open(lower) {
            // A build folder that is not there yet begins empty.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.layers.make_below(Path::new("shown/empty"), 0o700)
            }
            opened => opened,
        };
        let lower = lower.map_err(failed)?;
        let under = under.map(Tree::real).transpose().map_err(failed)?;
        let below: Vec<&Tree> = under.iter().chain([&lower]).collect();
        overlay(
            &at,
            PLAIN,
            &[
                ("lowerdir", &below),
                ("upperdir", &[&upper]),
                ("workdir", &[&work]),
            ],
            UNSYNCED,
        )
        .map_err(failed)?;
        // The system refuses layers with its mark; slots have one of their own.
        work.remove(Path::new(VOLATILE_MARK)).map_err(failed)
    }

    fn devices(&self) -> io::Result<()> {
        let dev = self.root.join("dev");
        fs::create_dir_all(&dev)?;
        for name in DEVICES {
            let own = Path::new("/dev").join(name);
            let at = dev.join(name);
            place(&at)?;
            mount_bind(&own, &at).map_err(|error| failed_on("show", &own, error))?;
        }
        for (name, target) in DEVICE_LINKS {
            symlink(target, dev.join(name))?;
        }
        for folder in ["pts", "shm"] {
            fs::create_dir(dev.join(folder))?;
        }
        let terminals = MountFlags::NOSUID | MountFlags::NOEXEC;
        let options = c"newinstance,ptmxmode=0666,mode=620";
        mount(c"devpts", dev.join("pts"), c"devpts", terminals, options)
            .map_err(|error| failed("make terminals", error))?;
        let shared = c"mode=1777,size=512m";
        mount(c"tmpfs", dev.join("shm"), c"tmpfs", PLAIN, shared)
            .map_err(|error| failed("make shared memory", error))
    }

    /// Writes the files that a program finds with texts of ours.
    fn texts(&self, setup: &Setup) -> io::Result<()> {
        let shown = [&setup.root].into_iter().chain(&setup.shown);
        let shown: Vec<&PathBuf> = shown.chain(&setup.caches).collect();
        for (path, text) in &setup.texts {
            let at = self.at(path);
            // Where the folder is shown as it is, so is the file, also where an earlier program removed it.
            let is_shown = shown.iter().any(|folder| path.starts_with(folder));
            if !is_shown && at.symlink_metadata().is_err() {
                place(&at)
                    .and_then(|()| fs::write(&at, text))
                    .map_err(|error| failed_on("write", path, error))?;
            }
        }
        if setup.network == ProgramNetwork::Whole {
            self.names()?;
        }
        Ok(())
    }

    /// Shows the settings of name resolution, where they are a link to a file that a service has written.
    fn names(&self) -> io::Result<()> {
        match Path::new("/etc/resolv.conf").canonicalize() {
            Ok(own) if own.starts_with("/run") => self.show(&own),
            _ => Ok(()),
        }
    }

    fn processes(&self) -> io::Result<()> {
        let at = self.root.join("proc");
        fs::create_dir(&at)?;
        let flags = PLAIN | MountFlags::NOEXEC;
        mount(c"proc", &at, c"proc", flags, None).map_err(|error| failed("mount /proc", error))?;
        // The program's own namespace is one; there is none below it.
        fs::write(at.join("sys/user/max_user_namespaces"), "1")
            .map_err(|error| failed("bound user namespaces", error))?;
        for name in READ_ONLY {
            let part = at.join(name);
            if part.exists() {
                mount_bind_recursive(&part, &part)
                    .map_err(|error| failed_on("close", &part, error))?;
            }
        }
        Ok(())
    }

    /// Hides what must not be read, and makes read-only whatever is not a layer of the program's.
    fn close(&self, setup: &Setup, of_root: bool) -> io::Result<()> {
        // Before what is hidden and replaced in it, which is mounted on it.
        self.close_in_git(setup)?;
        let empty =
            Empty::make(&self.root).map_err(|error| failed("make what is hidden by", error))?;
        let masked = MASKED
            .iter()
            .chain(&SECRETS)
            .map(|name| self.root.join(name));
        // What lies elsewhere is not in the tree, or was put there on purpose.
        let hidden = setup.hidden.iter();
        let hidden = hidden.filter(|hidden| hidden.starts_with(&setup.root));
        let hidden = hidden.map(|hidden| self.at(hidden));
        for path in masked.chain(hidden) {
            empty.mask(&path)?;
        }
        if of_root {
            empty.mask_for_root(&self.root.join("etc"))?;
        }
        for (number, (path, text)) in setup.replaced.iter().enumerate() {
            let at = self.at(path);
            if fs::symlink_metadata(&at).is_ok_and(|own| own.is_dir()) {
                empty.mask(&at)?;
            } else if at.is_file() {
                let name = PathBuf::from(format!("replaced-{number}"));
                let _absent = self.layers.remove_file(&name);
                let mut file = self.layers.create_new(&name, 0o644)?;
                file.write_all(text.as_bytes())?;
                let own = PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()));
                mount_bind(&own, &at).map_err(|error| failed_on("replace", path, error))?;
            }
        }
        let mut writable = vec![self.at(&setup.root), self.at(&setup.home)];
        let git = setup.git.iter().map(|git| &git.folders);
        writable.extend(git.flat_map(|git| [self.at(&git.own), self.at(&git.common)]));
        writable.extend(setup.caches.iter().map(|cache| self.at(cache)));
        writable.extend(
            ["tmp", "var/tmp", "run", "dev/shm", "dev/pts", "proc"]
                .map(|name| self.root.join(name)),
        );
        writable.extend(DEVICES.map(|name| self.root.join("dev").join(name)));
        // Mount points are told by where they are, and this process finds them by its own path.
        let place = self.folder.place()?;
        let mut is_root_closed = false;
        for (point, flags) in MountTable::read()?.below(&place) {
            let below = point.strip_prefix(&place).unwrap_or(point);
            is_root_closed |= below.as_os_str().is_empty();
            let point = self.root.join(below);
            if writable.contains(&point) || flags.contains(CLOSED) {
                continue;
            }
            mount_remount(&point, flags | CLOSED | MountFlags::BIND, c"")
                .map_err(|error| failed_on("make read-only", &point, error))?;
        }
        if !is_root_closed {
            return Err(io::Error::other("the new root was moved while it was made"));
        }
        Ok(())
    }
}

/// Maximum size of a pack that a layer may get a copy of, in bytes: it is copied in a millisecond, as is a mount made.
const MAX_COPIED_PACK: u64 = 1 << 20;

/// Where the layers of caches are, in the layers' folder.
pub(super) const CACHES: &str = "caches";

/// Where the layer of a repository outside of the workspace is, in the layers' folder.
pub(super) const GIT_LAYER: &str = "repository";

/// What of git's folder is the user's alone, or belongs to other work trees than the workspace.
const READ_ONLY_IN_GIT: [&str; 4] = ["hooks", "info", "modules", "worktrees"];

impl NewRoot {
    /// Mounts what git's folder has of hooks, of submodules, of other work trees and of what is ignored or checked out (`info`)
    /// on itself, to be made read-only: what is written there would be dropped, and git says so where it cannot write. So are
    /// large packs.
    fn close_in_git(&self, setup: &Setup) -> io::Result<()> {
        let own_git = self.at(&setup.root.join(".git"));
        let elsewhere = setup.git.as_ref().map(|git| &git.folders);
        let git = elsewhere.map_or(own_git, |folders| self.at(&folders.common));
        if !fs::symlink_metadata(&git).is_ok_and(|own| own.is_dir()) {
            return Ok(());
        }
        let mut closed: Vec<PathBuf> = READ_ONLY_IN_GIT.map(|name| git.join(name)).into();
        if let Some(folders) = elsewhere.filter(|folders| folders.own != folders.common) {
            // Among the other work trees, which are closed, this one is open but for the same.
            let own = self.at(&folders.own);
            closed.extend([own.clone(), own.join("info"), own.join("modules")]);
        }
        for at in closed {
            match fs::symlink_metadata(&at) {
                Ok(own) if own.is_dir() => {}
                // A program put it there, in place of nothing.
                Ok(_) => continue,
                Err(_absent) => fs::create_dir(&at)?,
            }
            mount_bind(&at, &at).map_err(|error| failed_on("close", &at, error))?;
        }
        // An object that is in a pack already is not written again: git sets the time of the pack, and the overlay would copy
        // all of it. Where it cannot set the time, git writes the object.
        for entry in fs::read_dir(git.join("objects/pack")).into_iter().flatten() {
            let at = entry?.path();
            let is_pack = at.extension().is_some_and(|kind| kind == "pack");
            let found = fs::symlink_metadata(&at)?;
            if is_pack && found.is_file() && found.len() > MAX_COPIED_PACK {
                mount_bind(&at, &at).map_err(|error| failed_on("close", &at, error))?;
            }
        }
        Ok(())
    }
}

/// Returns the folder of a cache's layer, the same whatever other caches there are.
fn cache_layer(cache: &Path) -> PathBuf {
    let mut name = DefaultHasher::new();
    cache.hash(&mut name);
    Path::new(CACHES).join(format!("{:016x}", name.finish()))
}

/// Makes an empty file to mount something on, with the folders around it.
fn place(at: &Path) -> io::Result<()> {
    if let Some(folder) = at.parent() {
        fs::create_dir_all(folder)?;
    }
    match fs::File::options().write(true).create_new(true).open(at) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// An empty file and an empty folder, which are mounted in the place of what is hidden.
struct Empty {
    file: PathBuf,
    folder: PathBuf,
}

impl Empty {
    /// Makes both in a tree, and closes them: what is mounted of a read-only mount is read-only.
    fn make(root: &Path) -> io::Result<Self> {
        let both = root.join(".empty");
        let empty = Self {
            file: both.join("file"),
            folder: both.join("folder"),
        };
        fs::create_dir_all(&empty.folder)?;
        fs::write(&empty.file, "")?;
        for (path, mode) in [(&empty.file, 0o444), (&empty.folder, 0o555), (&both, 0o555)] {
            fs::set_permissions(path, Permissions::from_mode(mode))?;
        }
        mount_bind(&both, &both)?;
        mount_remount(&both, CLOSED | MountFlags::BIND, c"")?;
        Ok(empty)
    }

    /// Hides what only the super-user may read below a folder: to a program of the super-user's it is open.
    fn mask_for_root(&self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let Ok(found) = fs::symlink_metadata(&path) else {
                continue;
            };
            if found.is_symlink() {
                continue;
            }
            if found.permissions().mode() & 0o044 == 0 {
                self.mask(&path)?;
            } else if found.is_dir() {
                self.mask_for_root(&path)?;
            }
        }
        Ok(())
    }

    /// Puts something empty in the place of a file or folder, if there is one.
    fn mask(&self, path: &Path) -> io::Result<()> {
        let masked = match fs::metadata(path) {
            Ok(found) if found.is_dir() => mount_bind(&self.folder, path),
            Ok(_) => mount_bind(&self.file, path),
            Err(_absent) => return Ok(()),
        };
        masked.map_err(|error| failed_on("hide", path, error))
    }
}

/// Returns the number of the file system that a folder is on.
fn device(folder: &Tree) -> io::Result<u64> {
    Ok(folder.metadata(Path::new(""))?.dev())
}

/// Mounts an overlay of folders that are open: a name could lead elsewhere by the time that the system looks at it.
fn overlay(
    at: &Path,
    flags: MountFlags,
    folders: &[(&str, &[&Tree])],
    options: &str,
) -> io::Result<()> {
    let folders: String = folders
        .iter()
        .map(|(name, folders)| {
            let folders = folders.iter().map(|folder| folder.handle());
            let folders: Vec<String> = folders.map(|own| own.display().to_string()).collect();
            format!("{name}={},", folders.join(":"))
        })
        .collect();
    let options = CString::new(folders + options)?;
    Ok(mount(
        c"overlay",
        at,
        c"overlay",
        flags,
        options.as_c_str(),
    )?)
}
