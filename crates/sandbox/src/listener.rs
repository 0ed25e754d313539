//! Listeners: whose process listens at a port of this machine.
//!
//! In: a port. Out: the process, if it is the user's own and nothing that signoff started. Any user of a machine can listen
//! on 11434 and answer as Ollama does, and so can a program in the shadow that has the network; what is sent there is read
//! by it.
//!
//! ```text
//! /proc/net/tcp      00000000:2CAA 00000000:0000 0A ... 1000 0 34567   port 11434, uid 1000, socket 34567
//! /proc/812/fd/3 ->  socket:[34567]                                     process 812
//! /proc/812/ns/*     as those of this process: in no shadow, in no container
//! /proc/812/stat     its parents: none is signoff
//! ```

use std::path::PathBuf;

/// A process of the user's that listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnListener {
    /// The program that it runs.
    pub program: PathBuf,
    /// What it was started for, as far as that is no option: `serve`, or the script of an interpreter.
    pub word: Option<String>,
}

/// Why what listens is not to be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotOwn {
    /// Nothing listens.
    #[error("nothing listens there")]
    Nothing,
    /// It belongs to somebody else.
    #[error("its process belongs to another user (uid {0})")]
    OtherUser(u32),
    /// A program that signoff runs, or one in a container.
    #[error("its process was started by signoff, or runs in a container")]
    Confined,
    /// Nobody can tell.
    #[error("whose process it is cannot be told: {0}")]
    Unknown(String),
}

#[cfg(target_os = "linux")]
pub use linux::at;

/// Returns the process that listens at a port.
///
/// # Errors
///
/// Fails everywhere but on Linux, where the kernel tells.
#[cfg(not(target_os = "linux"))]
pub fn at(_port: u16) -> Result<OwnListener, NotOwn> {
    Err(NotOwn::Unknown("this system does not say".to_owned()))
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::io;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::{Path, PathBuf};

    use rustix::process::getuid;

    use super::{NotOwn, OwnListener};

    /// Bytes of a table of sockets that are read: a machine with 20,000 connections has 3 MB.
    const MOST_TABLE: u64 = 32 << 20;
    /// Bytes of a file about a process.
    const MOST_TOLD: u64 = 64 << 10;
    /// Parents that are asked for; a loop of them would be a race with a reused number.
    const MOST_PARENTS: usize = 64;
    /// Bytes of a word that is shown: that of an interpreter is the path of a script.
    const MOST_WORD: usize = 200;

    /// A socket that listens.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    struct ListeningSocket {
        uid: u32,
        inode: u64,
    }

    /// Returns the process that listens at a port of 127.0.0.1.
    ///
    /// # Errors
    ///
    /// Says why it is not to be used.
    pub fn at(port: u16) -> Result<OwnListener, NotOwn> {
        let mut sockets = Vec::new();
        for table in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
            match crate::regular::text(Path::new(table), MOST_TABLE) {
                Ok(text) => sockets.extend(listening(&text, port)),
                // Without IPv6 there is no table of it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(NotOwn::Unknown(error.to_string())),
            }
        }
        if sockets.is_empty() {
            return Err(NotOwn::Nothing);
        }
        let user = getuid().as_raw();
        if let Some(other) = sockets.iter().find(|socket| socket.uid != user) {
            return Err(NotOwn::OtherUser(other.uid));
        }
        let mut own = Vec::new();
        for socket in sockets {
            // Any of the processes that share it may answer.
            let holders = holders(socket.inode).map_err(unknown)?;
            if holders.is_empty() {
                return Err(NotOwn::Unknown("no process shows the socket".to_owned()));
            }
            for holder in holders {
                own.push(described(&holder)?);
            }
        }
        own.into_iter()
            .next()
            .ok_or_else(|| NotOwn::Unknown("it has just ended".to_owned()))
    }

    fn unknown(error: io::Error) -> NotOwn {
        NotOwn::Unknown(error.to_string())
    }

    /// Returns the sockets of a table that listen at a port and that a connection to 127.0.0.1 can reach.
    fn listening(table: &str, port: u16) -> Vec<ListeningSocket> {
        table
            .lines()
            .filter_map(|line| listening_socket(line, port))
            .collect()
    }

    fn listening_socket(line: &str, port: u16) -> Option<ListeningSocket> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (address, local_port) = fields.get(1)?.split_once(':')?;
        let is_it = *fields.get(3)? == "0A"
            && u16::from_str_radix(local_port, 16).ok()? == port
            && reaches_loopback(address);
        let socket = ListeningSocket {
            uid: fields.get(7)?.parse().ok()?,
            inode: fields.get(9)?.parse().ok()?,
        };
        is_it.then_some(socket)
    }

    /// Tells of an address in the kernel's words of four bytes, the last byte first.
    fn reaches_loopback(address: &str) -> bool {
        let (mapped, v4) = match address.len() {
            8 => (true, address),
            _ => match address.split_at_checked(24) {
                Some(("0000000000000000FFFF0000", v4)) => (true, v4),
                Some(("000000000000000000000000", "00000000")) => (true, "00000000"),
                _ => (false, ""),
            },
        };
        // 127.0.0.0/8: another address of it is another listener, but nobody has to know which.
        mapped && (v4 == "00000000" || v4.ends_with("7F"))
    }

    /// Returns the folders of the processes of this user that have a socket open.
    fn holders(inode: u64) -> io::Result<Vec<PathBuf>> {
        let name = format!("socket:[{inode}]");
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc")? {
            let folder = entry?.path();
            let is_process = folder
                .file_name()
                .and_then(|name| name.to_str())
                .is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()));
            // A process of another user, or one that has ended.
            let Some(open) = is_process
                .then(|| fs::read_dir(folder.join("fd")).ok())
                .flatten()
            else {
                continue;
            };
            let mut links = open.filter_map(|fd| fs::read_link(fd.ok()?.path()).ok());
            if links.any(|link| link.as_os_str() == name.as_str()) {
                found.push(folder);
            }
        }
        Ok(found)
    }

    /// Returns what a process is, if it is no program of signoff's.
    fn described(folder: &Path) -> Result<OwnListener, NotOwn> {
        for kind in ["user", "mnt", "pid"] {
            if namespace(folder, kind)? != namespace(Path::new("/proc/self"), kind)? {
                return Err(NotOwn::Confined);
            }
        }
        if is_below_signoff(folder).map_err(unknown)? {
            return Err(NotOwn::Confined);
        }
        let program = fs::read_link(folder.join("exe")).map_err(unknown)?;
        let words = told(&folder.join("cmdline")).map_err(unknown)?;
        let word = words.split('\0').nth(1).filter(|word| is_word(word));
        Ok(OwnListener {
            program,
            word: word.map(str::to_owned),
        })
    }

    fn namespace(process: &Path, kind: &str) -> Result<PathBuf, NotOwn> {
        fs::read_link(process.join("ns").join(kind)).map_err(unknown)
    }

    /// Tells whether a word of a command line can be shown: options may hold keys.
    fn is_word(word: &str) -> bool {
        !word.is_empty()
            && word.len() <= MOST_WORD
            && !word.starts_with('-')
            && word
                .chars()
                .all(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ' '))
    }

    /// Tells whether a parent of a process is signoff, by its file or, since signoff's own memory and file are closed to
    /// other processes, by its name.
    fn is_below_signoff(folder: &Path) -> io::Result<bool> {
        let own = fs::metadata("/proc/self/exe").map(|file| (file.dev(), file.ino()))?;
        let own_name = told(Path::new("/proc/self/comm"))?;
        let mut folder = folder.to_owned();
        for _ in 0..MOST_PARENTS {
            let file = fs::metadata(folder.join("exe")).map(|file| (file.dev(), file.ino()));
            let name = told(&folder.join("comm"))?;
            let is_named = name.trim() == "signoff" || name == own_name;
            if is_named || file.is_ok_and(|file| file == own) {
                return Ok(true);
            }
            match parent(&told(&folder.join("stat"))?) {
                None | Some(0) => return Ok(false),
                Some(number) => folder = Path::new("/proc").join(number.to_string()),
            }
        }
        Err(io::Error::other("it has too many parents"))
    }

    /// Reads the number of the parent from `812 (a program) S 1 ...`.
    fn parent(stat: &str) -> Option<u32> {
        let (_, behind) = stat.rsplit_once(')')?;
        behind.split_whitespace().nth(1)?.parse().ok()
    }

    fn told(file: &Path) -> io::Result<String> {
        let bytes = crate::regular::read(file, MOST_TOLD)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    #[cfg(test)]
    mod tests {
        use std::net::TcpListener;
        use std::process::{Command, Stdio};

        use super::*;

        const HEAD: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

        #[test]
        fn sockets_that_listen_are_found_by_port_and_address() {
            let row = |address: &str, state: &str| {
                format!(
                    "{HEAD}   0: {address} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000  1000        0 34567 1 0\n"
                )
            };
            let any = "0".repeat(32);
            for (address, state, is_it) in [
                ("0100007F:2CAA", "0A", true),
                ("00000000:2CAA", "0A", true),
                ("0200007F:2CAA", "0A", true),
                ("0100007F:2CAB", "0A", false),
                ("0100007F:2CAA", "01", false),
                ("0101A8C0:2CAA", "0A", false),
                (&format!("{any}:2CAA"), "0A", true),
                ("0000000000000000FFFF00000100007F:2CAA", "0A", true),
                ("0000000000000000FFFF00000101A8C0:2CAA", "0A", false),
                ("00000000000000000000000001000000:2CAA", "0A", false),
            ] {
                let found = listening(&row(address, state), 11434);
                let expected = ListeningSocket {
                    uid: 1000,
                    inode: 34567,
                };
                let expected = is_it.then_some(expected);
                assert_eq!(found.first().copied(), expected, "{address} {state}");
            }
            assert_eq!(listening("", 1), []);
            assert_eq!(listening("1: x 0A", 1), []);
        }

        #[test]
        fn a_parent_is_read_behind_any_name() {
            assert_eq!(parent("812 (a) S 7 x) S 99 1 1"), Some(99));
            assert_eq!(parent("812 (ollama) S 1 812"), Some(1));
            assert_eq!(parent(""), None);
        }

        #[test]
        fn words_that_may_be_keys_are_not_shown() {
            for (word, is) in [
                ("/opt/my server.py", true),
                ("key=x", false),
                ("serve", true),
                ("--key=x", false),
                ("-m", false),
                ("", false),
            ] {
                assert_eq!(is_word(word), is, "{word}");
            }
            assert!(!is_word(&"x".repeat(201)));
        }

        #[test]
        fn what_this_program_or_a_child_of_it_listens_at_is_signoffs_own() {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            assert_eq!(at(port), Err(NotOwn::Confined));
            // The socket is the child's alone then.
            let child = Command::new("sleep")
                .arg("1000")
                .stdin(Stdio::from(std::os::fd::OwnedFd::from(listener)))
                .spawn();
            let mut child = child.unwrap();
            let found = at(port);
            child.kill().unwrap();
            child.wait().unwrap();
            assert_eq!(found, Err(NotOwn::Confined));
            assert_eq!(at(port), Err(NotOwn::Nothing));
        }
    }
}
