//! From histories to a report.
//!
//! In: histories and options. Out: the report; as many cases of each class and format as are
//! asked for, drawn from all edits in an order that the seed tells.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use serde_json::json;
use signoff_core::edit::guard::Guards;

use crate::case::{Case, Class, Truth, classes};
use crate::clean;
use crate::edit::{Edit, edits};
use crate::format::Format;
use crate::judge::{Judged, Verdict, judge};
use crate::options::Options;
use crate::packages::History;
use crate::random::Random;
use crate::report::Report;
use crate::show::show;

/// An edit gives at most so many cases, so that no file speaks for all.
const CASES_OF_ONE_EDIT: usize = 8;
/// So many cases are drawn before the engine is asked, on as many threads as there are cores.
const BATCH: usize = 256;

/// Draws the cases, asks the engine, and writes the report.
pub(crate) fn run(
    histories: &[History],
    options: &Options,
    out: &mut impl Write,
) -> io::Result<()> {
    let start = Instant::now();
    let mut all: Vec<Edit> = histories.iter().flat_map(edits).collect();
    let mut random = Random::new(options.seed);
    random.shuffle(&mut all);
    let packages = histories.iter().map(|history| &history.package);
    let packages: std::collections::BTreeSet<_> = packages.collect();
    writeln!(
        out,
        "{} edits of {} files in {} packages, seed {}\n",
        all.len(),
        histories.len(),
        packages.len(),
        options.seed
    )?;
    let mut report = Report::default();
    let mut dump = match &options.dump {
        Some(path) => Some(BufWriter::new(File::create(path)?)),
        None => None,
    };
    let missing = missing();
    for format in &missing {
        writeln!(
            out,
            "{}: the engine does not take it; left out\n",
            format.name()
        )?;
    }
    let mut shown = 0;
    let mut settle = |drawn: &mut Vec<Drawn<'_>>| -> io::Result<()> {
        for (judged, drawn) in judged(drawn, options).into_iter().zip(drawn.drain(..)) {
            let Drawn { class, format, .. } = drawn;
            report.add(class.kind, class.name, format, &judged);
            let wanted = options.show.map(|show| show.takes(judged.verdict));
            if let Some(dump) = dump.as_mut().filter(|_| wanted.unwrap_or(true)) {
                write_case(dump, class, format, &drawn.case, &judged)?;
            }
            if wanted == Some(true) && shown < options.limit {
                shown += 1;
                show(out, class, format, drawn.edit, &drawn.case, &judged)?;
            }
        }
        Ok(())
    };
    let classes = classes();
    let mut drawn = Vec::new();
    draw(&all, &classes, options, &random, |next| {
        if missing.contains(&next.format) || !options.asks_for(next.class, next.format) {
            return Ok(());
        }
        drawn.push(next);
        if drawn.len() < BATCH {
            return Ok(());
        }
        settle(&mut drawn)
    })?;
    settle(&mut drawn)?;
    if options.classes {
        report.write_classes(out)?;
    }
    report.write(out, 5.max(options.limit))?;
    writeln!(out, "\n{:.1} s in all", start.elapsed().as_secs_f64())
}

/// A case, and what it was made of.
struct Drawn<'a> {
    class: &'a Class,
    format: Format,
    edit: &'a Edit,
    case: Case,
}

/// Asks the engine about each case, on all cores.
fn judged(drawn: &[Drawn<'_>], options: &Options) -> Vec<Judged> {
    let cases: Vec<&Case> = drawn.iter().map(|drawn| &drawn.case).collect();
    let (next, guards) = (AtomicUsize::new(0), options.guards);
    let done = Mutex::new(Vec::with_capacity(cases.len()));
    let work = || {
        while let Some((at, case)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            cases.get(at).map(|case| (at, *case))
        } {
            let judged = judge(case, guards);
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push((at, judged));
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, judged)| judged).collect()
}

/// Returns the formats that the engine does not take at all.
fn missing() -> Vec<Format> {
    let is_missing = |format: &Format| {
        let case = clean::sample(*format);
        judge(&case, Guards::Off).verdict == Verdict::Refused
    };
    Format::ALL.into_iter().filter(is_missing).collect()
}

/// Calls `take` with each case. What is asked for plays no part here, so that a case is the
/// same in a report of everything and in one of its kind alone.
fn draw<'a>(
    edits: &'a [Edit],
    classes: &'a [Class],
    options: &Options,
    random: &Random,
    mut take: impl FnMut(Drawn<'a>) -> io::Result<()>,
) -> io::Result<()> {
    let mut wanted = wanted(classes, options.cases);
    for (at, edit) in edits.iter().enumerate() {
        if wanted.is_empty() {
            break;
        }
        let Some(other) = edits.get((at + 1) % edits.len()) else {
            break;
        };
        let mut open: Vec<(usize, Format)> = wanted.keys().copied().collect();
        random.apart(&[at]).shuffle(&mut open);
        let mut made = 0;
        for key in open {
            let Some(class) = classes.get(key.0) else {
                continue;
            };
            if made == CASES_OF_ONE_EDIT {
                break;
            }
            let mut random = random.apart(&[at, key.0, key.1 as usize]);
            let Some(case) = (class.make)(&mut random, edit, other, key.1) else {
                continue;
            };
            made += 1;
            let format = key.1;
            take(Drawn {
                class,
                format,
                edit,
                case,
            })?;
            if let Some(left) = wanted.get_mut(&key) {
                *left -= 1;
                if *left == 0 {
                    wanted.remove(&key);
                }
            }
        }
    }
    Ok(())
}

/// Returns how many cases are wanted of each class and format.
fn wanted(classes: &[Class], cases: usize) -> BTreeMap<(usize, Format), usize> {
    let mut wanted = BTreeMap::new();
    for (at, class) in classes.iter().enumerate().filter(|_| cases > 0) {
        for format in class.formats {
            wanted.insert((at, *format), cases * class.weight);
        }
    }
    wanted
}

fn write_case(
    out: &mut impl Write,
    class: &Class,
    format: Format,
    case: &Case,
    judged: &Judged,
) -> io::Result<()> {
    let truth = match &case.truth {
        Truth::Text(text) => json!({ "text": text }),
        Truth::Refusal => json!("refusal"),
        Truth::Already => json!("already"),
    };
    let line = json!({
        "kind": class.kind.name(),
        "class": class.name,
        "format": format.name(),
        "path": case.path,
        "before": case.before,
        "change": case.change,
        "truth": truth,
        "verdict": format!("{:?}", judged.verdict),
        "reason": judged.reason,
        "evidence": judged.evidence,
        "after": judged.after,
    });
    writeln!(out, "{line}")
}
