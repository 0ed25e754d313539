//! Presets: the hosts of an ecosystem under one word, for rules and for `signoff run --net`.
//!
//! A host is on a list if its package manager needs it with its usual settings. None where anybody can put anything under an
//! address of their own and nothing else is served, as the buckets of a cloud.

/// Hosts under one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// The word.
    pub name: &'static str,
    /// The hosts, as patterns.
    pub hosts: &'static [&'static str],
    /// What they are needed for.
    pub purpose: &'static str,
}

/// All of them.
pub const PRESETS: [Preset; 7] = [
    Preset {
        name: "cargo",
        hosts: &[
            "crates.io",
            "index.crates.io",
            "static.crates.io",
            "static.rust-lang.org",
        ],
        purpose: "crates and toolchains of Rust",
    },
    Preset {
        name: "npm",
        hosts: &["registry.npmjs.org", "registry.yarnpkg.com", "nodejs.org"],
        purpose: "packages and headers of Node",
    },
    Preset {
        name: "pypi",
        hosts: &["pypi.org", "files.pythonhosted.org"],
        purpose: "packages of Python",
    },
    Preset {
        name: "go",
        hosts: &["proxy.golang.org", "sum.golang.org"],
        purpose: "modules of Go",
    },
    Preset {
        name: "maven",
        hosts: &[
            "repo.maven.apache.org",
            "repo1.maven.org",
            "plugins.gradle.org",
            "plugins-artifacts.gradle.org",
            "services.gradle.org",
            "dl.google.com",
            "maven.google.com",
        ],
        purpose: "packages of Java, Gradle and Android",
    },
    Preset {
        name: "debian",
        hosts: &[
            "deb.debian.org",
            "security.debian.org",
            "archive.ubuntu.com",
            "security.ubuntu.com",
        ],
        purpose: "packages of Debian and Ubuntu",
    },
    Preset {
        name: "forges",
        hosts: &[
            "github.com",
            "github.com:22",
            "codeload.github.com",
            "raw.githubusercontent.com",
            "objects.githubusercontent.com",
            "release-assets.githubusercontent.com",
            "gitlab.com",
            "gitlab.com:22",
            "codeberg.org",
            "codeberg.org:22",
            "bitbucket.org",
            "bitbucket.org:22",
        ],
        purpose: "repositories, to be read: programs have no keys to write with",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_the_configuration_has_the_presets() {
        let mut table = "| preset | hosts | for |\n|---|---|---|\n".to_owned();
        for Preset {
            name,
            hosts,
            purpose,
        } in PRESETS
        {
            let hosts = hosts.join("`, `");
            table += &format!("| `{name}` | `{hosts}` | {purpose} |\n");
        }
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/config.md");
        let page = std::fs::read_to_string(page).expect("the page");
        assert!(
            page.contains(&table),
            "docs/config.md lacks this table:\n{table}"
        );
    }
}
