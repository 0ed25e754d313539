//! Secret-looking files, told by their names: `.env`, `id_rsa`.
//!
//! In: a path. Out: whether a key, a token or a password is likely in the file. Such files are given to a model only
//! if the user names them, whatever their rank. This is a guess by spelling: other files may hold secrets too.

/// Whole names, in lower case.
const NAMES: &[&str] = &[
    ".env",
    ".envrc",
    ".npmrc",
    ".pypirc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    ".my.cnf",
    ".s3cfg",
    ".boto",
    ".secrets",
    ".secret",
    ".vault-token",
];
/// What names begin with.
const BEGINNINGS: &[&str] = &[
    ".env.",
    "credentials",
    ".credentials",
    "secrets.",
    "secret.",
    "client_secret",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
];
/// What names end with.
const ENDS: &[&str] = &[
    ".pem",
    ".key",
    ".kdbx",
    ".kdb",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".ppk",
    ".env",
];
/// Folders that hold keys.
const FOLDERS: &[&str] = &[".ssh", ".gnupg", ".aws", ".kube"];
/// What a copy of a file adds to its name.
const COPIES: &[&str] = &["~", ".bak", ".old", ".orig", ".save", ".swp"];
/// The ends of files with the names of settings and no values, and of public keys.
const OPEN: &[&str] = &[".example", ".sample", ".template", ".pub"];

/// Returns whether a file of this name likely holds secrets.
pub fn is_secret_name(path: &str) -> bool {
    let path = path.to_lowercase();
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let mut name = name;
    while let Some(own) = COPIES.iter().find_map(|copy| name.strip_suffix(copy)) {
        name = own;
    }
    if OPEN.iter().any(|end| name.ends_with(end)) {
        return false;
    }
    NAMES.contains(&name)
        || BEGINNINGS.iter().any(|start| name.starts_with(start))
        || ENDS.iter().any(|end| name.ends_with(end))
        || folders.split('/').any(|folder| FOLDERS.contains(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_names_are_known() {
        for path in [
            ".env",
            "a/.env",
            ".ENV",
            ".env.local",
            ".env.production.bak",
            "prod.env",
            ".envrc",
            "server.pem",
            "tls/server.KEY",
            "id_rsa",
            "id_ed25519",
            "id_rsa.old",
            ".ssh/config",
            ".npmrc",
            ".pypirc",
            ".netrc",
            ".pgpass",
            "credentials",
            "credentials.json",
            ".aws/credentials",
            "x.kdbx",
            "x.p12",
            "x.pfx",
            "x.jks",
            ".htpasswd",
            "secrets.yaml",
            "config/secrets.yml~",
            "client_secret_1.json",
        ] {
            assert!(is_secret_name(path), "{path}");
        }
        for path in [
            ".env.example",
            ".env.sample",
            ".env.template",
            ".env.local.example",
            "id_rsa.pub",
            "environment.ts",
            "src/keys.rs",
            "monkey.rs",
            "secretary.txt",
            "docs/credential.md",
            "Makefile",
        ] {
            assert!(!is_secret_name(path), "{path}");
        }
    }
}
