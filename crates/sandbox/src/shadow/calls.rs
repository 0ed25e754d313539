//! The filter of system calls: what no build, test or editor needs, and what attacks on a kernel begin with.
//!
//! Three answers, each a filter of its own: "not permitted" for what changes the machine, mounts, namespaces, keys and
//! other processes; "no such call" where programs then take an older way; "no such family" for sockets. The namespaces
//! hold `ptrace` and sockets in the file system; they stay, for debuggers and servers under test.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, TargetArch, sock_filter,
};

/// Calls that change the machine, its mounts, namespaces, keys and clocks, or look into other processes.
const NOT_PERMITTED: [i64; 47] = [
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_setns,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    libc::SYS_open_by_handle_at,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    KEXEC_FILE_LOAD,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_vhangup,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
];
/// The same, of calls that one architecture alone has.
#[cfg(target_arch = "x86_64")]
const OF_ARCHITECTURE: [i64; 7] = [
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS_ustat,
    libc::SYS_sysfs,
    libc::SYS__sysctl,
];
#[cfg(not(target_arch = "x86_64"))]
const OF_ARCHITECTURE: [i64; 0] = [];
/// `kexec_file_load`, which `libc` has not for every system: not for musl on ARM.
#[cfg(target_arch = "x86_64")]
const KEXEC_FILE_LOAD: i64 = 320;
#[cfg(not(target_arch = "x86_64"))]
const KEXEC_FILE_LOAD: i64 = 294;
/// `open_tree_attr`, since Linux 6.15; the same number everywhere.
const OPEN_TREE_ATTR: i64 = 467;
/// Calls with arguments behind a pointer, which no filter sees, and files in memory that no limit counts; programs take
/// `clone`, `read` and files in `/dev/shm` instead.
const NO_SUCH_CALL: [i64; 6] = [
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_clone3,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];
/// Flags of `clone` and `unshare` that make namespaces.
const NAMESPACES: [libc::c_int; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];
/// `CLONE_NEWTIME`: for `unshare`; to `clone` the same bit is part of a signal's number.
const NEW_TIME: libc::c_int = 0x80;
/// Requests to a terminal that type into it or change its line discipline: `TIOCSTI`, `TIOCLINUX`, `TIOCSETD`. They are
/// the same on x86-64, ARM and RISC-V; their type in `libc` is not the same with glibc and with musl.
const TERMINAL_REQUESTS: [u64; 3] = [0x5412, 0x541c, 0x5423];
/// Socket families that programs have: of others, some reach the host of a virtual machine.
const FAMILIES: [libc::c_int; 4] = [
    libc::AF_UNIX,
    libc::AF_INET,
    libc::AF_INET6,
    libc::AF_NETLINK,
];

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Applies the filters to this process and all that it starts.
pub(super) fn filter() -> Result<(), seccompiler::Error> {
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else {
        // The program is not for an architecture that has none.
        return Err(BackendError::InvalidTargetArch(std::env::consts::ARCH.to_owned()).into());
    };
    let errors = [
        (not_permitted()?, libc::EPERM),
        (whole(&NO_SUCH_CALL), libc::ENOSYS),
        (sockets()?, libc::EAFNOSUPPORT),
    ];
    for (rules, error) in errors {
        let answer = SeccompAction::Errno(error.cast_unsigned());
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, answer, arch)?;
        let mut program = without_x32();
        program.extend(BpfProgram::try_from(filter)?);
        seccompiler::apply_filter(&program)?;
    }
    Ok(())
}

/// Returns what refuses the calls of x32 programs, whose numbers the filters do not know.
fn without_x32() -> BpfProgram {
    if cfg!(not(target_arch = "x86_64")) {
        return Vec::new();
    }
    let refused = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();
    vec![
        // The number of the call is the first field that a filter sees.
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, 1 << 30),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, refused),
    ]
}

fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter {
        code: u16::try_from(code).unwrap_or_default(),
        jt,
        jf,
        k,
    }
}

fn whole(calls: &[i64]) -> Rules {
    calls.iter().map(|call| (*call, Vec::new())).collect()
}

fn condition(argument: u8, op: SeccompCmpOp, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, value)
}

fn not_permitted() -> Result<Rules, BackendError> {
    let mut rules = whole(&NOT_PERMITTED);
    rules.extend(whole(&OF_ARCHITECTURE));
    let requests = TERMINAL_REQUESTS
        .map(|request| SeccompRule::new(vec![condition(1, SeccompCmpOp::Eq, request)?]));
    rules.insert(
        libc::SYS_ioctl,
        requests.into_iter().collect::<Result<_, _>>()?,
    );
    rules.insert(libc::SYS_clone, any_of(&NAMESPACES)?);
    let mut unshared = any_of(&NAMESPACES)?;
    unshared.extend(any_of(&[NEW_TIME])?);
    rules.insert(libc::SYS_unshare, unshared);
    Ok(rules)
}

fn any_of(flags: &[libc::c_int]) -> Result<Vec<SeccompRule>, BackendError> {
    let each = flags.iter().map(|flag| u64::from(flag.cast_unsigned()));
    each.map(|flag| SeccompRule::new(vec![condition(0, SeccompCmpOp::MaskedEq(flag), flag)?]))
        .collect()
}

fn sockets() -> Result<Rules, BackendError> {
    let others =
        FAMILIES.map(|family| condition(0, SeccompCmpOp::Ne, u64::from(family.cast_unsigned())));
    let others = SeccompRule::new(others.into_iter().collect::<Result<_, _>>()?)?;
    // Of netlink, what lists interfaces; not what configures firewalls or listens to the kernel.
    let netlink = SeccompRule::new(vec![
        condition(
            0,
            SeccompCmpOp::Eq,
            u64::from(libc::AF_NETLINK.cast_unsigned()),
        )?,
        condition(2, SeccompCmpOp::Ne, 0)?,
    ])?;
    let rules = vec![others, netlink];
    let calls = [libc::SYS_socket, libc::SYS_socketpair];
    Ok(calls.map(|call| (call, rules.clone())).into())
}

#[cfg(all(test, target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_written_out_are_those_of_the_system() {
        assert_eq!(KEXEC_FILE_LOAD, libc::SYS_kexec_file_load);
        let requests = [libc::TIOCSTI, libc::TIOCLINUX, libc::TIOCSETD];
        assert_eq!(TERMINAL_REQUESTS, requests);
    }
}
