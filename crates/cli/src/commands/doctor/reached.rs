//! Checks that configured servers answer.
//!
//! In: the configuration. Out: what a look at each server's list of models came to. Nothing is
//! asked of a model, so that nothing is to be paid for.

use std::time::Duration;

use signoff_llm::provider::{Provider, ProviderError};
use signoff_setup::config::{Config, Source};
use signoff_setup::paths::Paths;
use signoff_setup::session_setup::model;
use signoff_tui::error_text::in_words;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use super::{Finding, finding};

/// Returns a finding on who would answer, and one on the apply model if there is one.
pub(super) fn servers(mut config: Config, paths: &Paths) -> anyhow::Result<Vec<Finding>> {
    let within = config.wait.look();
    config.wait = config.wait.hurried();
    let runtime = Runtime::new()?;
    let mut findings = vec![finding(
        "model",
        runtime.block_on(model(&config, paths, within)),
    )];
    match config.setup.apply_server(config.wait) {
        Ok(None) => {}
        Ok(Some(server)) => {
            let looked = runtime.block_on(look(&server, within));
            findings.push(finding("apply", looked));
        }
        Err(error) => findings.push(finding("apply", Err(in_words(&error)))),
    }
    Ok(findings)
}

async fn model(config: &Config, paths: &Paths, within: Duration) -> Result<String, String> {
    let chosen = model::choose(config, paths).await;
    let chosen = chosen.map_err(|error| in_words(&error))?;
    let mut text = match config.source {
        Source::Server(_) => look(chosen.provider.as_ref(), within).await?,
        // Found a moment ago, or within this program.
        Source::Look { .. } | Source::Offline | Source::Replay(_) => {
            model::name(&chosen.provider.about())
        }
    };
    if let Some(hint) = chosen.hint {
        text += &format!(". {hint}");
    }
    Ok(text)
}

/// Asks a server for its list of models. Servers that have none answer too, if only to say so.
async fn look(provider: &dyn Provider, within: Duration) -> Result<String, String> {
    let about = provider.about();
    let name = model::name(&about);
    let Ok(listed) = timeout(within, provider.models()).await else {
        return Err(format!(
            "{name}: no answer within {} s",
            within.as_secs_f64()
        ));
    };
    match listed {
        Ok(models) => {
            let there = models
                .iter()
                .any(|model| is_named(&model.name, &about.model));
            let count = models.len();
            if there {
                Ok(format!("{name} answers and has this model"))
            } else {
                Err(format!(
                    "{name} answers; this model is not among the {count} that it lists"
                ))
            }
        }
        Err(error @ ProviderError::Status { code, .. }) => match code {
            401 | 403 | 407 | 500.. => Err(format!("{name}: {error}")),
            _ => Ok(format!("{name} answers, but lists no models ({code})")),
        },
        Err(ProviderError::Malformed { .. }) => {
            Ok(format!("{name} answers, but with no list of models"))
        }
        Err(error) => Err(format!("{name}: {error}")),
    }
}

/// Some lists name a model with its folder or its tag.
fn is_named(listed: &str, model: &str) -> bool {
    let short = listed.strip_prefix("models/").unwrap_or(listed);
    short == model || short.strip_suffix(":latest") == Some(model)
}
