//! Traffic: which hosts a program asked for, how often, and how many bytes went each way.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use signoff_source::plural::{amount, size};

use super::host::Target;

/// Hosts that are kept apart: more than a build has, and a screen has lines. A program that makes up names fills no memory.
const MOST_HOSTS: usize = 500;

/// What came of a host's last request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// It was connected to.
    Allowed {
        /// The rule.
        by: String,
    },
    /// It was not.
    Refused {
        /// Why.
        why: String,
    },
}

/// The traffic with one host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HostTraffic {
    /// Its name or number.
    pub host: String,
    /// The port.
    pub port: u16,
    /// How often it was connected to.
    pub connections: usize,
    /// How often it was not.
    pub refused: usize,
    /// Bytes that it was sent.
    pub sent: u64,
    /// Bytes that it answered.
    pub received: u64,
    /// What came of the last request.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// `a.example:443: 3 connections, 1.2 MB received, 3.4 kB sent, by --net a.example`
impl fmt::Display for HostTraffic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port, .. } = self;
        if host.contains(':') {
            write!(f, "[{host}]:{port}: ")?;
        } else {
            write!(f, "{host}:{port}: ")?;
        }
        if self.connections > 0 {
            let connections = amount(self.connections, "connection", "connections");
            let (received, sent) = (size(self.received), size(self.sent));
            write!(f, "{connections}, {received} received, {sent} sent, ")?;
        }
        match &self.verdict {
            Verdict::Allowed { by } => write!(f, "allowed by {by}"),
            Verdict::Refused { why } => f.write_str(why),
        }
    }
}

/// All traffic of a program.
#[derive(Debug, Default)]
pub struct Traffic {
    hosts: Mutex<BTreeMap<Target, HostRecord>>,
    /// Requests for hosts beyond those that are kept apart.
    others: AtomicU64,
}

#[derive(Debug)]
struct HostRecord {
    connections: usize,
    refused: usize,
    bytes: Arc<Bytes>,
    verdict: Verdict,
}

/// Bytes both ways, counted while they go.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    pub(super) sent: AtomicU64,
    pub(super) received: AtomicU64,
}

impl Traffic {
    /// Counts a request, and returns where its bytes are counted.
    pub(super) fn count(&self, target: &Target, verdict: Verdict) -> Arc<Bytes> {
        let mut hosts = self.hosts();
        if hosts.len() >= MOST_HOSTS && !hosts.contains_key(target) {
            self.others.fetch_add(1, Ordering::Relaxed);
            return Arc::default();
        }
        let record = hosts.entry(target.clone()).or_insert_with(|| HostRecord {
            connections: 0,
            refused: 0,
            bytes: Arc::default(),
            verdict: verdict.clone(),
        });
        match verdict {
            Verdict::Allowed { .. } => record.connections += 1,
            Verdict::Refused { .. } => record.refused += 1,
        }
        record.verdict = verdict;
        Arc::clone(&record.bytes)
    }

    /// Returns the traffic by host.
    pub fn by_host(&self) -> Vec<HostTraffic> {
        let hosts = self.hosts();
        let all = hosts.iter().map(|(target, record)| HostTraffic {
            host: target.host(),
            port: target.port(),
            connections: record.connections,
            refused: record.refused,
            sent: record.bytes.sent.load(Ordering::Relaxed),
            received: record.bytes.received.load(Ordering::Relaxed),
            verdict: record.verdict.clone(),
        });
        all.collect()
    }

    /// Returns the number of requests for hosts beyond those of [`Self::by_host`].
    pub fn others(&self) -> u64 {
        self.others.load(Ordering::Relaxed)
    }

    fn hosts(&self) -> MutexGuard<'_, BTreeMap<Target, HostRecord>> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_beyond_a_bound_are_only_counted() {
        let traffic = Traffic::default();
        for number in 0..MOST_HOSTS + 2 {
            let target = Target::new(&format!("a{number}.example"), 443).unwrap();
            let verdict = Verdict::Refused { why: String::new() };
            traffic.count(&target, verdict);
        }
        assert_eq!((traffic.by_host().len(), traffic.others()), (MOST_HOSTS, 2));
    }

    #[test]
    fn a_line_of_json_has_host_bytes_and_verdict() {
        let traffic = Traffic::default();
        let target = Target::new("a.example", 443).unwrap();
        let by = "r".to_owned();
        let bytes = traffic.count(&target, Verdict::Allowed { by });
        bytes.sent.store(3, Ordering::Relaxed);
        let line = serde_json::to_string(&traffic.by_host()).unwrap();
        let expected = r#"[{"host":"a.example","port":443,"connections":1,"refused":0,"sent":3,"received":0,"verdict":"allowed","by":"r"}]"#;
        assert_eq!(line, expected);
    }
}
