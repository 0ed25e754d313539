//! What a user can do where no overlay can be made: the setting of the system that is in the way.

use std::fs;
use std::path::{Path, PathBuf};

use landlock::{CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, Scope};

use super::mount_table::MountTable;

/// What the system says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct System {
    /// `kernel.unprivileged_userns_clone`, of Debian's kernels.
    clone: Option<String>,
    /// `user.max_user_namespaces`.
    most: Option<String>,
    /// `kernel.apparmor_restrict_unprivileged_userns`, of Ubuntu's.
    apparmor: Option<String>,
    /// The security modules that are on, as `lockdown,capability,landlock`.
    modules: Option<String>,
    /// Whether this is a container.
    container: bool,
    /// What is mounted below the workspace.
    mounted: Vec<PathBuf>,
    /// This program.
    own: PathBuf,
}

impl System {
    fn read(root: &Path) -> Self {
        let mounts = MountTable::read().ok();
        let mounts = mounts.iter().flat_map(|table| table.below(root));
        Self {
            clone: setting("/proc/sys/kernel/unprivileged_userns_clone"),
            most: setting("/proc/sys/user/max_user_namespaces"),
            apparmor: setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
            modules: setting("/sys/kernel/security/lsm"),
            container: ["/.dockerenv", "/run/.containerenv"]
                .iter()
                .any(|mark| Path::new(mark).exists()),
            mounted: mounts
                .filter(|(point, _)| *point != root)
                .map(|(point, _)| point.to_owned())
                .collect(),
            own: std::env::current_exe().unwrap_or_default(),
        }
    }

    fn advice(&self, error: &str) -> Vec<String> {
        let mut advice = Vec::new();
        if self.clone.as_deref() == Some("0") {
            advice.push(
                "allow user namespaces: `sudo sysctl kernel.unprivileged_userns_clone=1`"
                    .to_owned(),
            );
        }
        if self.most.as_deref() == Some("0") {
            advice.push(
                "allow user namespaces: `sudo sysctl user.max_user_namespaces=15000`".to_owned(),
            );
        }
        if self.apparmor.as_deref() == Some("1") {
            advice.push(format!(
                "AppArmor restricts user namespaces: write `profile signoff {} flags=(unconfined) {{ userns, }}` to \
                 /etc/apparmor.d/signoff and run `sudo apparmor_parser -r /etc/apparmor.d/signoff`; the program has to \
                 be root's",
                self.own.display()
            ));
        }
        let lacks_rules = error.contains("Landlock");
        if let (true, Some(modules)) = (lacks_rules, &self.modules)
            && !modules.split(',').any(|module| module == "landlock")
        {
            advice.push(format!(
                "switch Landlock on: start Linux with `lsm=landlock,{modules}`"
            ));
        }
        if !self.mounted.is_empty() && error.contains("overlay") {
            let mounted: Vec<String> = self
                .mounted
                .iter()
                .map(|own| own.display().to_string())
                .collect();
            advice.push(format!(
                "something is mounted below the workspace ({}); an overlay cannot go over it",
                mounted.join(", ")
            ));
        }
        if self.container && !lacks_rules {
            advice.push(
                "this is a container: start it with `--security-opt seccomp=unconfined --security-opt \
                 apparmor=unconfined --security-opt systempaths=unconfined`, with the state folder on a volume"
                    .to_owned(),
            );
        }
        advice
    }
}

fn setting(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok();
    text.map(|text| text.trim().to_owned())
}

/// Returns what can be done about an overlay that cannot be made for a workspace, for this reason.
pub fn advice(root: &Path, error: &str) -> Vec<String> {
    System::read(root).advice(error)
}

/// Returns what a program with the network reaches although it should not, if there is something: the namespace of the
/// network is that of abstract sockets too, and shared then; Landlock of version 6 (Linux 6.12) closes them.
pub fn open_with_network() -> Option<String> {
    let scoped = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::AbstractUnixSocket);
    scoped.is_err().then(|| {
        "a program with the network reaches abstract sockets, as those of X servers and buses: this kernel has no Landlock \
         of version 6 (Linux 6.12); without the network it does not"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_that_is_in_the_way_is_named() {
        let cases: [(System, &str, &str); 6] = [
            (
                system_with(|own| own.clone = Some("0".into())),
                "cannot map ids",
                "unprivileged_userns_clone=1",
            ),
            (
                system_with(|own| own.most = Some("0".into())),
                "no space",
                "max_user_namespaces=15000",
            ),
            (
                system_with(|own| own.apparmor = Some("1".into())),
                "cannot map ids",
                "apparmor_parser",
            ),
            (
                system_with(|own| own.modules = Some("yama".into())),
                "no Landlock",
                "lsm=landlock,yama",
            ),
            (
                system_with(|own| own.mounted = vec!["/w/m".into()]),
                "cannot mount an overlay",
                "/w/m",
            ),
            (
                system_with(|own| own.container = true),
                "cannot make a user namespace",
                "state folder on a volume",
            ),
        ];
        for (system_with, error, expected) in cases {
            let advice = system_with.advice(error);
            assert_eq!(advice.len(), 1, "{advice:?}");
            assert!(advice[0].contains(expected), "{advice:?}");
        }
        assert!(System::default().advice("anything").is_empty());
    }

    fn system_with(change: fn(&mut System)) -> System {
        let mut system = System::default();
        change(&mut system);
        system
    }
}
