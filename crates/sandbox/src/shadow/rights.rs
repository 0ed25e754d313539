//! What a process gives up before it runs a program: capabilities, and every way to get them back.

use std::io;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, clear_ambient_capability_set,
    remove_capability_from_bounding_set, set_capabilities, set_capabilities_secure_bits,
    set_no_new_privs,
};

/// Processes and threads of a program: a build with two hundred compilers of ten threads each runs, a fork bomb does
/// not take the machine. Counted for each namespace since Linux 5.14, and not for root.
const MAX_PROCESSES: u64 = 4096;
/// Maximum size of one file that a program writes, in bytes: `yes > file` ends there, and a disk image is still made.
const MAX_FILE: u64 = 4 << 30;

/// Empties every set of capabilities. No program that is executed later, and no change of the user, brings any back.
pub(super) fn give_up() -> io::Result<()> {
    let locked = CapabilitiesSecureBits::NO_ROOT
        | CapabilitiesSecureBits::NO_ROOT_LOCKED
        | CapabilitiesSecureBits::NO_SETUID_FIXUP
        | CapabilitiesSecureBits::NO_SETUID_FIXUP_LOCKED
        | CapabilitiesSecureBits::KEEP_CAPS_LOCKED
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE
        | CapabilitiesSecureBits::NO_CAP_AMBIENT_RAISE_LOCKED;
    set_capabilities_secure_bits(locked)?;
    for one in CapabilitySet::all().iter() {
        // Refused for those that this kernel does not know.
        let _unknown = remove_capability_from_bounding_set(one);
    }
    clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    let sets = CapabilitySets {
        effective: none,
        permitted: none,
        inheritable: none,
    };
    set_capabilities(None, sets)?;
    Ok(set_no_new_privs(true)?)
}

/// Bounds what this process and all that it starts may take.
pub(super) fn limit() -> io::Result<()> {
    for (resource, most) in [
        (Resource::Nproc, MAX_PROCESSES),
        (Resource::Fsize, MAX_FILE),
        (Resource::Core, 0),
        (Resource::Msgqueue, 0),
    ] {
        let own = getrlimit(resource);
        let new = Rlimit {
            current: least(most, own.current),
            maximum: least(most, own.maximum),
        };
        setrlimit(resource, new)?;
    }
    Ok(())
}

fn least(most: u64, own: Option<u64>) -> Option<u64> {
    Some(own.map_or(most, |own| own.min(most)))
}
