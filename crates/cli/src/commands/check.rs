//! `signoff check`: syntax errors.
//!
//! In: files, what is staged, or texts as JSON lines. Out: their errors. A text that comes with the
//! one before it is asked for new errors only.

use std::io;

use signoff_core::engine::check_line;
use signoff_core::syntax::SyntaxCache;
use signoff_setup::opened;
use signoff_setup::paths::Paths;
use signoff_setup::project::syntax::{CheckedFile, checked, staged};

use super::jsonl::answer_all;
use super::{Ending, check_project, out};
use crate::args::CheckArgs;

pub(super) fn run(paths: &Paths, args: &CheckArgs) -> anyhow::Result<Ending> {
    if args.project {
        return check_project::run(paths, args.json);
    }
    if args.jsonl {
        let cache = SyntaxCache::default();
        answer_all(io::stdin().lock(), io::stdout(), |line| {
            check_line(&cache, line)
        })?;
        return Ok(Ending::Done);
    }
    let (mut clean, mut told) = (true, 0);
    let mut tell = |file: &CheckedFile| {
        told += 1;
        clean &= !file.errors.iter().any(|error| error.certain);
        if let Some(why) = &file.unchecked {
            out::remark(&format!("{}: {why}", file.path));
        }
        print(file, args.json)
    };
    if args.files.is_empty() {
        let checked = staged(&mut opened::engine(paths)?, &paths.root)?;
        if checked.is_none() {
            out::remark("nothing is staged; `signoff check FILE` checks a file");
        }
        for file in checked.into_iter().flatten() {
            tell(&file)?;
        }
    }
    for file in &args.files {
        tell(&checked(&paths.root, file)?)?;
    }
    if told == 0 {
        out::nothing(args.json)?;
    }
    Ok(if clean { Ending::Done } else { Ending::Unmet })
}

fn print(file: &CheckedFile, as_json: bool) -> anyhow::Result<()> {
    let CheckedFile { path, errors, .. } = file;
    if as_json {
        return out::json(&file.record());
    }
    for error in errors {
        let doubt = if error.certain {
            ""
        } else {
            " (perhaps: this grammar errs at times)"
        };
        out::line(&format!(
            "{path}:{}:{}: {}{doubt}",
            error.line, error.column, error.message
        ))?;
    }
    Ok(())
}
