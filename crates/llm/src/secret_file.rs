//! Secret-looking files, told by their names: `.env`, `id_rsa`.
//!
//! In: a path. Out: whether a key, a token or a password is likely in the file. Such files are given to a model only
//! if the user names them, whatever their rank. This is a guess by spelling: other files may hold secrets too.

use signoff_core::word::{is_listed, listed};

/// Whole names, in lower case.
const NAMES: &[&str] = &[
    ".env .envrc .npmrc .pypirc .netrc _netrc .pgpass .htpasswd .git-credentials .dockercfg",
    ".my.cnf .s3cfg .boto .secrets .secret .vault-token .vault_pass .vault-pass .vault_password",
    ".vault-password vault_pass.txt vault_password.txt vault_pass kubeconfig kubeconfig.yaml",
    "kubeconfig.yml kubeconfig.json kubeconfig.conf talosconfig .terraformrc terraform.rc",
    "credentials.tfrc.json application_default_credentials.json msal_token_cache.json",
    ".databrickscfg .rclone.conf rclone.conf .msmtprc .fetchmailrc .mylogin.cnf .smbcredentials",
    ".passwd-s3fs krb5.keytab master.key keystore.properties secring.gpg wp-config.php",
    ".dockerconfigjson .dev.vars .sentryclirc wallet.dat logins.json",
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
    // State of Terraform and OpenTofu has all passwords in clear text, and so have its copies:
    // `terraform.tfstate.1699999999.backup`.
    "terraform.tfstate",
    ".dev.vars.",
];
/// What names end with.
const ENDS: &[&str] = &[
    ".pem .key .kdbx .kdb .p12 .pfx .jks .keystore .ppk .env .tfstate .tfvars .tfvars.json",
    ".tfbackend .kubeconfig -kubeconfig.yaml .age .agekey .ovpn .nmconnection .publishsettings",
    ".p8 .pk8 .jceks .bks .keytab .secret .secrets .secret.yaml .secret.yml .secrets.yaml",
    ".secrets.yml .secrets.json .secrets.toml -secrets.yaml -secrets.yml .credentials",
    "-credentials.json _credentials.json .vault.yml .vault.yaml .psafe3 .1pux",
];
/// The beginnings and the ends of names with a part of their own in between: `wg0.conf`.
const BETWEEN: &[(&str, &str)] = &[
    ("wg", ".conf"),
    ("kubeconfig", ".yaml"),
    ("kubeconfig", ".yml"),
    ("service-account", ".json"),
    ("service_account", ".json"),
    ("serviceaccount", ".json"),
    ("vault", ".yml"),
    ("vault", ".yaml"),
];
/// The ends of paths: files with keys under names that say so only in their folder.
const PATHS: &[&str] = &[
    ".docker/config.json",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    "gh/hosts.yml",
    "glab-cli/config.yml",
    "doctl/config.yaml",
    "hcloud/cli.toml",
    "sops/age/keys.txt",
    "containers/auth.json",
    ".composer/auth.json",
    "composer/auth.json",
    "pypoetry/auth.toml",
    "configstore/firebase-tools.json",
    "stripe/config.toml",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".pulumi/credentials.json",
    ".fly/config.yml",
    ".circleci/cli.yml",
    ".streamlit/secrets.toml",
    ".vscode/sftp.json",
    ".codex/auth.json",
    ".claude/.credentials.json",
    ".gemini/oauth_creds.json",
    "kubernetes/admin.conf",
];
/// Folders that hold keys.
const FOLDERS: &[&str] = &[
    ".ssh .gnupg .aws .kube .azure .oci .password-store .secrets gcloud keyrings wireguard",
    ".minikube",
];
/// What a copy of a file adds to its name.
const COPIES: &[&str] = &["~", ".bak", ".backup", ".old", ".orig", ".save", ".swp"];
/// The ends of files with the names of settings and no values, and of public keys.
const OPEN: &[&str] = &[".example", ".sample", ".template", ".tmpl", ".dist", ".pub"];

/// Returns whether a file of this name likely holds secrets.
pub fn is_secret_name(path: &str) -> bool {
    let path = path.to_lowercase();
    let (folders, whole) = path.rsplit_once('/').unwrap_or(("", &path));
    let mut name = whole;
    while let Some(own) = COPIES.iter().find_map(|copy| name.strip_suffix(copy)) {
        name = own;
    }
    let without_copy = path
        .get(..path.len() - (whole.len() - name.len()))
        .unwrap_or(&path);
    if OPEN.iter().any(|end| name.ends_with(end)) {
        return false;
    }
    is_listed(name, NAMES)
        || BEGINNINGS.iter().any(|start| name.starts_with(start))
        || listed(ENDS).any(|end| name.ends_with(end))
        || BETWEEN.iter().any(|(start, end)| {
            let rest = name.strip_prefix(start);
            rest.is_some_and(|rest| rest.ends_with(end))
        })
        || PATHS.iter().any(|end| {
            let before = without_copy.strip_suffix(end);
            before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
        || folders.split('/').any(|folder| is_listed(folder, FOLDERS))
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
            "terraform.tfstate",
            "env/prod/terraform.tfstate.backup",
            "terraform.tfstate.1699999999.backup",
            "prod.tfstate",
            "prod.tfvars",
            "prod.auto.tfvars.json",
            ".terraformrc",
            "credentials.tfrc.json",
            "kubeconfig",
            "kubeconfig.yaml",
            "staging.kubeconfig",
            ".kube/config",
            ".docker/config.json",
            ".docker/config.json.bak",
            ".config/gcloud/application_default_credentials.json",
            "service-account.json",
            "service-account-prod.json",
            ".cargo/credentials.toml",
            ".gem/credentials",
            ".config/gh/hosts.yml",
            "key.age",
            "wg0.conf",
            "etc/wireguard/home.conf",
            ".vault_pass",
            "group_vars/all/vault.yml",
            "AuthKey.p8",
            ".dev.vars",
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
            "prod.tfvars.example",
            "main.tf",
            "docker/config.json",
            "src/kube.rs",
            "docs/kubeconfig.md.txt",
            "src/image.rs",
            "pkg/kubeconfig.go",
            "src/service-account.ts",
            "package.json",
            "wget.conf.md",
            "Makefile",
        ] {
            assert!(!is_secret_name(path), "{path}");
        }
    }
}
