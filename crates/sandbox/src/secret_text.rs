//! Secret texts: private keys and tokens, told by how they begin.
//!
//! In: a text. Out: whether `-----BEGIN PRIVATE KEY-----`, `ghp_...` or the like is in it. This is a guess by
//! spelling: other texts may hold secrets too.

/// How tokens begin, and how many characters follow at least.
const TOKENS: &[(&str, usize)] = &[
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxe-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xapp-", 10),
    ("npm_", 36),
    ("pypi-", 40),
    ("hf_", 30),
    ("sk_live_", 10),
    ("rk_live_", 10),
    ("AGE-SECRET-KEY-1", 20),
];
/// Words that stand together in files of keys and passwords, and hardly elsewhere.
const MARKS: &[&[&str]] = &[
    // State of Terraform and OpenTofu.
    &["\"terraform_version\":", "\"lineage\":"],
    // Kubernetes.
    &["client-key-data:"],
    &["current-context:", "token:"],
    // Docker and npm, with credentials of registries.
    &["\"auths\":", "\"auth\":"],
    &[":_authToken="],
    &["npmAuthToken:"],
    // Google and AWS.
    &["\"type\": \"service_account\"", "\"private_key_id\""],
    &["\"refresh_token\":", "\"client_secret\":"],
    &["aws_secret_access_key"],
    // WireGuard and Ansible.
    &["[Interface]", "PrivateKey"],
    &["$ANSIBLE_VAULT;"],
];
/// The beginning of tokens that also names of styles have: `sk-fading-circle`.
const SHORT: (&str, usize) = ("sk-", 20);

/// Returns whether a private key or a token is in a text.
pub fn holds_secret(text: &str) -> bool {
    let mut keys = text.split("-----BEGIN ").skip(1);
    let is_key = keys.any(|key| {
        let head = key.split("-----").next().unwrap_or_default();
        head.len() < 60 && head.contains("PRIVATE KEY")
    });
    is_key
        || MARKS
            .iter()
            .any(|words| words.iter().all(|word| text.contains(word)))
        || TOKENS
            .iter()
            .any(|(start, least)| has(text, start, *least, |_| true))
        || {
            let (start, least) = SHORT;
            has(text, start, least, |tail| {
                let longest = tail.split(['-', '_']).map(str::len).max();
                tail.contains(|c: char| c.is_ascii_digit()) || longest >= Some(least)
            })
        }
}

/// Returns whether a text has a word that begins so and goes on long enough, in a way that `is_like` takes.
fn has(text: &str, start: &str, least: usize, is_like: impl Fn(&str) -> bool) -> bool {
    text.match_indices(start).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let tail = text.get(at + start.len()..).unwrap_or_default();
        let end = tail
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
            .unwrap_or(tail.len());
        let tail = tail.get(..end).unwrap_or_default();
        let is_whole = !before.is_some_and(|c| c.is_ascii_alphanumeric());
        is_whole && tail.len() >= least && is_like(tail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_tokens_are_known() {
        let texts = [
            "-----BEGIN PRIVATE KEY-----\nMII".to_owned(),
            "a\n-----BEGIN RSA PRIVATE KEY-----\n".to_owned(),
            "-----BEGIN OPENSSH PRIVATE KEY-----".to_owned(),
            "-----BEGIN PGP PRIVATE KEY BLOCK-----".to_owned(),
            "id: AKIAIOSFODNN7EXAMPLE".to_owned(),
            "{\"version\": 4, \"terraform_version\": \"1.9\", \"lineage\": \"x\", \"password\": \"hunter2\"}".to_owned(),
            "users:\n- name: x\n  user:\n    client-key-data: LS0t\n".to_owned(),
            "{\"auths\": {\"ghcr.io\": {\"auth\": \"eDp5\"}}}".to_owned(),
            "//registry.example/:_authToken=x".to_owned(),
            "[Interface]\nPrivateKey = x=\n".to_owned(),
            "$ANSIBLE_VAULT;1.1;AES256\n6162\n".to_owned(),
            token("ghp_", 5),
            token("github_pat_", 5),
            token("glpat-", 3),
            token("xoxb-", 3),
            token("sk-", 6),
            token("sk-ant-api03-", 6),
            token("AIza", 5),
            format!("key=sk-{}", "abcdefgh".repeat(4)),
        ];
        for text in texts {
            assert!(holds_secret(&text), "{text}");
        }
        for text in [
            "-----BEGIN CERTIFICATE-----\nMII",
            "-----BEGIN PUBLIC KEY-----",
            "ghp_short",
            "class=\"sk-fading-circle-with-a-name\"",
            "task-0123456789012345678901234",
            "starts with ghp_ or sk-...",
            "terraform_version and lineage are fields of the state",
            "export interface Interface { PrivateKey: string }",
            "",
        ] {
            assert!(!holds_secret(text), "{text}");
        }
    }

    fn token(start: &str, count: usize) -> String {
        format!("x = \"{start}{}\"", "a1B2c3D4".repeat(count))
    }
}
