//! Search among the tools of all servers.
//!
//! A tool scores for each word of the request that is in its name or its description, a word of the name three times as
//! much: for "read file", `files__read_text_file: Read a file as text` scores 8 and `files__write_file: Write a file` 4.
//! The best are told with their schemas. Of servers with few tools all are told, since nothing is saved by choosing.

use std::fmt::Write as _;

use futures_util::future::join_all;

use super::{ForeignAnswer, Server, Servers, Stop, failed};
use crate::catalogue::ListedTool;
use crate::foreign_text::{line, marked};

/// Tools that are told with their schemas.
const MOST_TOLD: usize = 8;
/// Bytes of an answer.
const MOST_BYTES: usize = 16 * 1024;
/// Bytes of a description where all tools are listed.
const MOST_BRIEF: usize = 100;

/// A tool with its public name.
struct NamedTool {
    name: String,
    tool: ListedTool,
    score: usize,
}

impl Servers {
    pub(super) fn look_for(&self, words: &str, stop: &Stop) -> ForeignAnswer {
        let allowed: Vec<&Server> = self.servers.iter().filter(|it| it.is_allowed()).collect();
        if allowed.is_empty() {
            return failed("no MCP server may be asked", "no server");
        }
        let started = self.wait(stop, async {
            let all = allowed.iter().map(|server| async {
                let outcome = server.connected(&self.launcher).await;
                outcome.err().map(|why| (server.name(), why))
            });
            join_all(all).await
        });
        let troubles: Vec<(&str, String)> = match started {
            Ok(outcomes) => outcomes.into_iter().flatten().collect(),
            Err(why) => return failed(&why, &why),
        };
        let wanted: Vec<String> = words.split_whitespace().map(str::to_lowercase).collect();
        let mut tools: Vec<NamedTool> = allowed.iter().flat_map(|it| named(it, &wanted)).collect();
        let count = tools.len();
        let mut text = String::new();
        let is_brief = wanted.is_empty() && count > MOST_TOLD;
        if is_brief {
            for NamedTool { name, tool, .. } in &tools {
                let _ = writeln!(text, "{name}: {}", line(&tool.description, MOST_BRIEF));
            }
        } else {
            if count > MOST_TOLD {
                tools.retain(|tool| tool.score > 0);
            }
            tools.sort_by_key(|tool| std::cmp::Reverse(tool.score));
            for NamedTool { name, tool, .. } in tools.iter().take(MOST_TOLD) {
                let entry = format!(
                    "{name}: {}\n  arguments: {}\n",
                    tool.description, tool.schema
                );
                if text.len() + entry.len() <= MOST_BYTES {
                    text += &entry;
                } else {
                    let _ = writeln!(text, "{name}: (look for it alone)");
                }
            }
        }
        for (server, why) in &troubles {
            let _ = writeln!(
                text,
                "(the server {server} does not run: {})",
                line(why, 300)
            );
        }
        if text.is_empty() {
            let _ = writeln!(
                text,
                "(none of {count} tools is about this; mcp_find without words lists all names)"
            );
        }
        let is_confined = allowed.iter().any(|server| server.is_confined());
        let servers: Vec<&str> = allowed.iter().map(|server| server.name()).collect();
        let told = if is_brief {
            count
        } else {
            tools.len().min(MOST_TOLD)
        };
        let mut content = marked(
            &line(&servers.join(", "), 300),
            "Names and descriptions of tools ",
            &text,
            MOST_BYTES,
        );
        content += "\nCall one with mcp_call.";
        if is_confined {
            content += " Files that they write are not the user's: edit with your other tools.";
        }
        ForeignAnswer {
            content,
            ok: told > 0,
            images: Vec::new(),
            summary: match troubles.len() {
                0 => format!("{told} of {count} tools"),
                down => format!("{told} of {count} tools; {down} of the servers do not run"),
            },
        }
    }
}

/// Returns the tools of a server with their scores.
fn named(server: &Server, wanted: &[String]) -> Vec<NamedTool> {
    let tools: Option<Vec<_>> = server.offered(|listed| {
        listed
            .tools
            .iter()
            .map(|(name, tool)| scored(server, wanted, name, tool))
            .collect()
    });
    tools.into_iter().flatten().collect()
}

fn scored(server: &Server, wanted: &[String], name: &str, tool: &ListedTool) -> NamedTool {
    let name = format!("{}__{name}", server.name());
    let (in_name, said) = (name.to_lowercase(), tool.description.to_lowercase());
    let score = wanted
        .iter()
        .map(|word| 3 * usize::from(in_name.contains(word)) + usize::from(said.contains(word)));
    NamedTool {
        score: score.sum(),
        tool: tool.clone(),
        name,
    }
}
