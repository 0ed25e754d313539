//! Reach: which hunks are in code that tests run, told by probes in their lines.
//!
//! In: changed files with their hunks. Out: the files with probes ([`ReachPlan::texts`]), and once the tests have run on them, of
//! each hunk why no test speaks about it, if none does ([`ReachPlan::uncovered`]). A probe is a statement that makes a file;
//! it stands before the statement that a changed line is part of, or at the start of a function whose head changed.
//!
//! ```text
//! hunk 0:  +    if rate > 1:                          PROBE 0; if rate > 1:
//!          +        rate = rate / 100                          rate = rate / 100
//! ```
//!
//! Probe 0 stands before the `if`. If the tests make its file, they run into the hunk, and it is covered, whether or not any
//! takes the branch: a guard that no input meets is no more needed than one that does nothing. A hunk of which a statement that
//! is in no other of its statements did not run is in code that no test runs. What stands outside of functions runs whenever its
//! file is loaded, so that a probe would tell nothing: it is covered where all that mentions its names is. A hunk is not
//! covered either where it gives a name to untested code, or takes one from it (`names`).

mod names;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::Path;

use signoff_source::path::WorkspacePath;
use signoff_source::syntax::{Language, Node, Parsed};
use signoff_source::word::{is_listed, is_word};

use names::{NameRole, role_of, unnamed_function};

/// A file with all hunks in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Relative to the workspace.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Its hunks.
    pub changes: Vec<HunkLines>,
}

/// The lines of a hunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HunkLines {
    /// The hunk.
    pub hunk: usize,
    /// Lines of the text that are not there without it, from 0; empty ranges stand where it only removes lines.
    pub added: Vec<Range<usize>>,
    /// Lines that are there without it alone.
    pub removed: Vec<String>,
}

/// Where probes stand, and what follows from those that ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReachPlan {
    /// Files with probes in them.
    pub texts: Vec<(String, String)>,
    hunks: BTreeMap<usize, HunkReach>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct HunkReach {
    probes: BTreeSet<usize>,
    /// Those in private functions that are new with it, and that nothing in their file names.
    unnamed: BTreeMap<String, BTreeSet<usize>>,
    /// Why its code cannot be seen to run, of lines of which that is so.
    unseen: Option<String>,
    /// Whether any of its lines has code.
    has_code: bool,
    declared: BTreeSet<Declared>,
    removes: bool,
    /// Words of its added lines that stand nowhere else but in hunks.
    new_words: BTreeSet<String>,
    /// Words of its added lines.
    words: BTreeSet<String>,
    /// Those of them by which other code may find something.
    gives: BTreeSet<String>,
    /// Names that it binds in a function, with that.
    binds: BTreeSet<(FunctionPlace, String)>,
    /// Functions in which its added lines are, those within others apart.
    within: BTreeSet<FunctionPlace>,
    /// Whether any of its lines is in a module of tests, as Rust has them beside the code.
    is_of_tests: bool,
}

/// The number of a file, and where a function begins in it.
pub type FunctionPlace = (usize, usize);

/// What a line outside of functions declares.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Declared {
    name: String,
    is_import: bool,
    /// Whether it names a module that is loaded for it alone: `import x`, `from . import x`.
    loads: bool,
    /// Whether code that is in no hunk mentions it.
    is_mentioned: bool,
}

/// What a language calls the parts that code runs by.
struct ReachGrammar {
    functions: &'static [&'static str],
    /// What holds statements, or declarations.
    blocks: &'static [&'static str],
    /// Fields of a block that are no statement.
    heads: &'static [&'static str],
    /// What may hold one statement or value without a block, and its field.
    branches: &'static [(&'static str, &'static str)],
}

const PYTHON: ReachGrammar = ReachGrammar {
    functions: &["function_definition", "lambda"],
    blocks: &["block", "module"],
    heads: &[],
    branches: &[],
};
const SCRIPT: ReachGrammar = ReachGrammar {
    functions: &[
        "function_declaration",
        "function_expression",
        "generator_function",
        "generator_function_declaration",
        "arrow_function",
        "method_definition",
    ],
    blocks: &[
        "statement_block",
        "program",
        "switch_case",
        "switch_default",
        "class_body",
    ],
    heads: &["value"],
    branches: &[
        ("if_statement", "consequence"),
        ("else_clause", ""),
        ("for_statement", "body"),
        ("for_in_statement", "body"),
        ("while_statement", "body"),
        ("do_statement", "body"),
    ],
};
const RUST: ReachGrammar = ReachGrammar {
    functions: &["function_item", "closure_expression"],
    blocks: &["block", "source_file", "declaration_list"],
    heads: &[],
    branches: &[("match_arm", "value")],
};
const GO: ReachGrammar = ReachGrammar {
    functions: &["function_declaration", "method_declaration", "func_literal"],
    blocks: &[
        "block",
        "statement_list",
        "source_file",
        "expression_case",
        "type_case",
        "default_case",
        "communication_case",
    ],
    heads: &["value", "type", "communication"],
    branches: &[],
};

impl ReachGrammar {
    /// Returns whether a node is a function: the word `lambda` has the kind of one too, and is none.
    fn is_function(&self, node: Node<'_>) -> bool {
        node.is_named() && self.functions.contains(&node.kind())
    }
}

/// A node on the way from the root to a line, and the field of the one above that it is.
type DescentStep<'t> = (Node<'t>, Option<&'t str>);

/// Where a probe stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Site {
    /// Before a statement.
    Before(usize),
    /// Before a statement that has to begin its line.
    Above(usize),
    /// Around a value.
    Value(usize, usize),
    /// Around a statement or value that becomes a block with it.
    Block(usize, usize),
}

/// What a word of a line is part of.
enum LineReach {
    Nothing,
    /// With the statement or value that runs after its probe.
    Code(Site, Range<usize>),
    Declares(Vec<Declared>),
    Unseen(&'static str),
}

/// A changed file with its syntax tree, which is made once; a tree of a language of which reach is known.
struct ParsedChange<'f> {
    file: &'f ChangedFile,
    known: Option<(Language, &'static ReachGrammar, Parsed<'f>)>,
}

impl ReachPlan {
    /// Places probes; `marker` names the file that the probe of a number makes, and `is_used` says whether code that does not
    /// change, and is no test, has both the name of a module and another name.
    pub fn new(
        files: &[ChangedFile],
        marker: &dyn Fn(usize) -> String,
        is_used: &dyn Fn(&str, &str) -> bool,
    ) -> Self {
        let parsed: Vec<ParsedChange<'_>> = files.iter().map(ParsedChange::of).collect();
        let mut plan = Self::default();
        let mut next = 0;
        for (number, own) in parsed.iter().enumerate() {
            plan.probe((number, own), &mut next, marker);
            plan.take_users(own.file, is_used);
            plan.take_unnamed(own.file, files, is_used);
        }
        plan.take_words(&parsed);
        plan
    }

    /// Returns of each hunk why no test speaks about it, if none does; `reached` are the probes that ran.
    pub fn uncovered(&self, reached: &BTreeSet<usize>) -> BTreeMap<usize, String> {
        let mut uncovered: BTreeMap<usize, String> = BTreeMap::new();
        for (hunk, own) in &self.hunks {
            let why = if !own.has_code {
                Some("none of its lines is code".to_owned())
            } else if let Some(why) = &own.unseen {
                Some(why.clone())
            } else if !own.probes.is_subset(reached) {
                Some("no test runs it".to_owned())
            } else {
                None
            };
            uncovered.extend(why.map(|why| (*hunk, why)));
        }
        let by_probes = uncovered.clone();
        for (hunk, own) in &self.hunks {
            if uncovered.contains_key(hunk) {
                continue;
            }
            let others = self.hunks.iter().filter(|(other, _)| *other != hunk);
            let silent = others
                .clone()
                .filter(|(other, _)| by_probes.contains_key(other));
            let mut silent = silent.filter(|(_, other)| other.has_code);
            let shared = silent.find_map(|(_, other)| own.shared_name(other));
            let declared = own.declared.iter().find_map(|declared| {
                let mut mentions = others
                    .clone()
                    .filter(|(_, other)| other.words.contains(&declared.name));
                let is_used = mentions.clone().next().is_some();
                let is_tested = mentions.all(|(other, _)| !by_probes.contains_key(other));
                let is_free = declared.is_import || is_used && !own.removes;
                let name = &declared.name;
                if declared.is_mentioned || !is_tested || !is_free {
                    Some(may_be_used(name))
                } else if declared.loads && !is_used {
                    Some(format!("{name} may be there for what loading it does"))
                } else {
                    None
                }
            });
            let shared = shared.map(|name| may_be_used(name));
            uncovered.extend(shared.or(declared).map(|why| (*hunk, why)));
        }
        uncovered
    }

    /// Returns whether any line of a hunk has code, or may have.
    pub fn has_code(&self, hunk: usize) -> bool {
        self.hunks.get(&hunk).is_none_or(|own| own.has_code)
    }

    /// Returns the hunks that use a name which is new with them all, of each hunk.
    pub fn linked(&self, hunk: usize) -> BTreeSet<usize> {
        let Some(own) = self.hunks.get(&hunk) else {
            return BTreeSet::new();
        };
        let linked = self
            .hunks
            .iter()
            .filter(|(other, with)| **other != hunk && !own.new_words.is_disjoint(&with.new_words));
        linked.map(|(other, _)| *other).collect()
    }

    /// Returns the functions in which the added lines of a hunk are.
    pub fn within(&self, hunk: usize) -> BTreeSet<FunctionPlace> {
        let own = self.hunks.get(&hunk);
        own.map_or(BTreeSet::new(), |own| own.within.clone())
    }

    /// Returns whether a hunk has lines in a module of tests, which would go with it.
    pub fn is_of_tests(&self, hunk: usize) -> bool {
        self.hunks.get(&hunk).is_some_and(|own| own.is_of_tests)
    }

    /// Returns whether a probe did not run that would say that a test speaks about a hunk.
    pub fn lacks(&self, reached: &BTreeSet<usize>) -> bool {
        let mut hunks = self.hunks.values();
        hunks.any(|own| own.unseen.is_none() && !own.probes.is_subset(reached))
    }

    /// Returns how many of these words the lines of a hunk have.
    pub fn shares(&self, hunk: usize, words: &BTreeSet<String>) -> usize {
        self.hunks
            .get(&hunk)
            .map_or(0, |own| own.words.intersection(words).count())
    }

    fn probe(
        &mut self,
        (number, ParsedChange { file, known }): (usize, &ParsedChange<'_>),
        next: &mut usize,
        marker: &dyn Fn(usize) -> String,
    ) {
        let Some((language, grammar, parsed)) = known else {
            for change in &file.changes {
                let own = self.hunks.entry(change.hunk).or_default();
                own.has_code = true;
                own.unseen = Some("what tests use of such files cannot be seen".to_owned());
                let lines = file.text.lines().enumerate();
                let added = lines.filter(|(line, _)| change.adds(*line));
                own.gives
                    .extend(added.flat_map(|(_, line)| words(line)).map(str::to_owned));
            }
            return;
        };
        let mut sites: BTreeMap<Site, usize> = BTreeMap::new();
        let mut unnamed: BTreeMap<Option<usize>, Option<(&str, Range<usize>)>> = BTreeMap::new();
        let lines = LineStarts::of(&file.text);
        for change in &file.changes {
            let own = self.hunks.entry(change.hunk).or_default();
            own.take_names((grammar, parsed), &lines, (number, change));
            own.removes |= !change.removed.is_empty();
            if orders_imports(grammar, parsed, &lines, change) {
                own.has_code = true;
                continue;
            }
            let meant = change.added.iter().flat_map(|range| lines.meant(range));
            let mut statements: BTreeMap<(usize, usize), Site> = BTreeMap::new();
            for (word, line) in meant.flat_map(|line| lines.words(parsed, line)) {
                own.is_of_tests |= !own.is_of_tests && is_of_tests(parsed, &way_to(parsed, word));
                match reach_of(grammar, parsed, word, &line) {
                    LineReach::Nothing => continue,
                    LineReach::Code(site, statement) => {
                        statements.insert((statement.start, statement.end), site);
                    }
                    LineReach::Declares(names) => own.declared.extend(names),
                    LineReach::Unseen(why) => own.unseen = Some(why.to_owned()),
                }
                own.has_code = true;
            }
            // A statement around the change, as that of a new arm, says nothing of what it holds.
            let begun: BTreeSet<(usize, usize)> = (statements.keys().copied())
                .filter(|(begin, _)| lines.hold(&change.added, *begin))
                .collect();
            for (statement, site) in &statements {
                if is_within_another(grammar, parsed, *statement, &begun) {
                    continue;
                }
                let number = *sites.entry(*site).or_insert_with(|| {
                    *next += 1;
                    *next - 1
                });
                let way = way_to(parsed, statement.0);
                // It looks through the whole file.
                let function = unnamed
                    .entry(way.get(1).map(|(node, _)| node.start_byte()))
                    .or_insert_with(|| unnamed_function(parsed, &way));
                let function = function.as_ref();
                let probes = match function.filter(|(_, range)| lines.are_added(change, range)) {
                    Some((name, _)) => own.unnamed.entry((*name).to_owned()).or_default(),
                    None => &mut own.probes,
                };
                probes.insert(number);
            }
        }
        if !sites.is_empty() {
            let text = with_probes(*language, parsed, &sites, marker);
            self.texts.push((file.path.clone(), text));
        }
    }

    /// Looks up which names that a file of Python imports other files may have from it. All that its `__init__.py` imports is
    /// what others see of a package.
    fn take_users(&mut self, file: &ChangedFile, is_used: &dyn Fn(&str, &str) -> bool) {
        let Some(module) = file
            .path
            .rsplit('/')
            .next()
            .and_then(|name| name.strip_suffix(".py"))
        else {
            return;
        };
        for change in &file.changes {
            let own = self.hunks.entry(change.hunk).or_default();
            let declared = std::mem::take(&mut own.declared).into_iter();
            let declared = declared.map(|own| Declared {
                is_mentioned: own.is_mentioned
                    || own.is_import && (module == "__init__" || is_used(module, &own.name)),
                ..own
            });
            own.declared = declared.collect();
        }
    }

    /// Looks up which private functions of a file other files name: the probes of these have to run.
    fn take_unnamed(
        &mut self,
        file: &ChangedFile,
        files: &[ChangedFile],
        is_used: &dyn Fn(&str, &str) -> bool,
    ) {
        let module = file.path.rsplit('/').next();
        let module = module.and_then(|name| name.strip_suffix(".py"));
        for change in &file.changes {
            let own = self.hunks.entry(change.hunk).or_default();
            for (name, probes) in std::mem::take(&mut own.unnamed) {
                let mut others = files.iter().filter(|other| other.path != file.path);
                if others.any(|other| words(&other.text).any(|word| word == name))
                    || module.is_some_and(|module| is_used(module, &name))
                {
                    own.probes.extend(probes);
                }
            }
        }
    }

    /// Looks up which words of hunks stand elsewhere too.
    fn take_words(&mut self, parsed: &[ParsedChange<'_>]) {
        let codes: Vec<String> = parsed.iter().map(ParsedChange::code).collect();
        let files = parsed.iter().map(|own| own.file);
        let mut elsewhere: BTreeSet<&str> = BTreeSet::new();
        let mut mentioned: BTreeSet<&str> = BTreeSet::new();
        for (file, code) in files.clone().zip(&codes) {
            let added: BTreeSet<usize> = file
                .changes
                .iter()
                .flat_map(|own| own.added.iter().cloned().flatten())
                .collect();
            for (number, (line, code)) in file.text.lines().zip(code.lines()).enumerate() {
                if !added.contains(&number) {
                    elsewhere.extend(words(line));
                    mentioned.extend(words(code));
                }
            }
            for change in &file.changes {
                let own = self.hunks.entry(change.hunk).or_default();
                let lines = file.text.lines().enumerate();
                let added = lines.filter(|(line, _)| change.adds(*line));
                own.words
                    .extend(added.flat_map(|(_, line)| words(line)).map(str::to_owned));
            }
        }
        let removed = files
            .flat_map(|file| &file.changes)
            .flat_map(|own| &own.removed);
        let removed: BTreeSet<&str> = removed.flat_map(|line| words(line)).collect();
        for own in self.hunks.values_mut() {
            let is_new = |word: &&String| {
                !elsewhere.contains(word.as_str()) && !removed.contains(word.as_str())
            };
            own.new_words = own.words.iter().filter(is_new).cloned().collect();
            let declared = std::mem::take(&mut own.declared).into_iter();
            let declared = declared.map(|own| Declared {
                is_mentioned: own.is_mentioned || mentioned.contains(own.name.as_str()),
                ..own
            });
            own.declared = declared.collect();
        }
    }
}

impl HunkLines {
    fn adds(&self, line: usize) -> bool {
        self.added.iter().any(|own| own.contains(&line))
    }
}

impl HunkReach {
    /// Takes what the added lines of a hunk do with names; `number` is that of the file.
    fn take_names(
        &mut self,
        (grammar, parsed): (&ReachGrammar, &Parsed<'_>),
        lines: &LineStarts,
        (number, change): (usize, &HunkLines),
    ) {
        let added = change.added.iter().cloned().flatten();
        for (at, _) in added.flat_map(|line| lines.words(parsed, line)) {
            let way = way_to(parsed, at);
            let function = function_of(grammar, &way);
            self.within
                .extend(function.map(|own| (number, own.start_byte())));
            let word = parsed.whole().get(at..).and_then(|text| words(text).next());
            let Some(word) = word.map(str::to_owned) else {
                continue;
            };
            match role_of(grammar, parsed, &way) {
                NameRole::Given => _ = self.gives.insert(word),
                NameRole::Local(function) => _ = self.binds.insert(((number, function), word)),
                NameRole::Used | NameRole::None => {}
            }
        }
    }

    /// Returns a name that is new with two hunks, and that one of them gives to the other: what both use, as an exception of the
    /// language, and what each binds in a function of its own, connects nothing.
    fn shared_name<'h>(&'h self, other: &'h Self) -> Option<&'h String> {
        let mut shared = self.new_words.intersection(&other.new_words);
        shared.find(|name| self.gives_to(other, name) || other.gives_to(self, name))
    }

    fn gives_to(&self, other: &Self, name: &str) -> bool {
        let mut binds = self.binds.iter().filter(|(_, own)| own == name);
        self.gives.contains(name) || binds.any(|(function, _)| other.within.contains(function))
    }
}

fn may_be_used(name: &str) -> String {
    format!("code that no test runs may use {name}")
}

impl<'f> ParsedChange<'f> {
    fn of(file: &'f ChangedFile) -> Self {
        let path = WorkspacePath::parse(&file.path, Path::new("/")).ok();
        let language = path.as_ref().and_then(Language::of);
        let known = language.and_then(|own| Some((own, grammar(own)?, own.parse(&file.text)?)));
        Self { file, known }
    }

    /// Returns its text with blanks for comments, and for texts that stand for themselves: what they mention, no code uses.
    fn code(&self) -> String {
        let text = &self.file.text;
        let Some((_, _, parsed)) = &self.known else {
            return text.clone();
        };
        let mut silent = Vec::new();
        parsed.walk(|node| silent.extend(is_silent(node).then(|| node.byte_range())));
        let mut silent = silent.into_iter().peekable();
        let blanked = text.char_indices().map(|(at, c)| {
            while silent
                .next_if(|range: &Range<usize>| range.end <= at)
                .is_some()
            {}
            let is_within = silent.peek().is_some_and(|range| range.start <= at);
            if is_within && c != '\n' { ' ' } else { c }
        });
        blanked.collect()
    }
}

/// Where lines begin, and end without their line break.
struct LineStarts(Vec<Range<usize>>);

impl LineStarts {
    fn of(text: &str) -> Self {
        let mut at = 0;
        let lines = text.split_inclusive('\n').map(|line| {
            let begin = at;
            at += line.len();
            begin..begin + line.trim_end().len()
        });
        Self(lines.collect())
    }

    /// Returns the lines that tell of a range: its own, or those around the place where lines are gone.
    fn meant(&self, range: &Range<usize>) -> Range<usize> {
        if range.is_empty() {
            range.start.saturating_sub(1)..(range.start + 1).min(self.0.len())
        } else {
            range.clone()
        }
    }

    /// Returns whether a byte is in one of these lines.
    fn hold(&self, lines: &[Range<usize>], byte: usize) -> bool {
        let line = self.line_of(byte);
        lines.iter().any(|range| range.contains(&line))
    }

    fn line_of(&self, byte: usize) -> usize {
        let line = self.0.partition_point(|line| line.start <= byte);
        line.saturating_sub(1)
    }

    /// Returns whether a hunk adds all lines of these bytes.
    fn are_added(&self, change: &HunkLines, bytes: &Range<usize>) -> bool {
        let last = self.line_of(bytes.end.saturating_sub(1));
        (self.line_of(bytes.start)..=last).all(|line| change.adds(line))
    }

    /// Returns where each word of a line begins, and the line.
    fn words(&self, parsed: &Parsed<'_>, line: usize) -> Vec<(usize, Range<usize>)> {
        let range = self.0.get(line).cloned().unwrap_or(0..0);
        let text = parsed.whole().get(range.clone()).unwrap_or("");
        let mut before = false;
        let words = text.char_indices().filter(|(_, c)| {
            let begins = is_word(*c) && !before;
            before = is_word(*c);
            begins
        });
        let words = words.map(|(at, _)| (range.start + at, range.clone()));
        words.collect()
    }
}

fn grammar(language: Language) -> Option<&'static ReachGrammar> {
    Some(match language {
        Language::Python => &PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &SCRIPT,
        Language::Rust => &RUST,
        Language::Go => &GO,
        Language::Json
        | Language::Css
        | Language::Html
        | Language::Markdown
        | Language::Toml
        | Language::Yaml
        | Language::Bash
        | Language::C
        | Language::Cpp
        | Language::Java => return None,
    })
}

fn reach_of(
    grammar: &ReachGrammar,
    parsed: &Parsed<'_>,
    word: usize,
    line: &Range<usize>,
) -> LineReach {
    let way = way_to(parsed, word);
    if way.iter().any(|(node, _)| is_silent(*node)) {
        return LineReach::Nothing;
    }
    let Some(at) = way.iter().rposition(|(node, _)| grammar.is_function(*node)) else {
        return declares(grammar, parsed, &way, line);
    };
    let Some((function, _)) = way.get(at) else {
        return LineReach::Nothing;
    };
    if is_constant(parsed, *function) {
        return LineReach::Unseen("the compiler runs it");
    }
    let Some(body) = function.child_by_field_name("body") else {
        return LineReach::Unseen("it has no body");
    };
    let is_within = way
        .get(at + 1)
        .is_some_and(|(_, field)| *field == Some("body"));
    match (is_within, grammar.blocks.contains(&body.kind())) {
        // A class has its lines by itself, wherever it stands.
        (true, true) if way.iter().skip(at + 1).any(|(node, _)| is_class(*node)) => {
            declares(grammar, parsed, &way, line)
        }
        (true, true) => statement(grammar, parsed, way.get(at + 1..).unwrap_or(&[])),
        (false, true) => at_start(parsed, body),
        (_, false) => LineReach::Code(
            match function.kind() {
                "closure_expression" => Site::Block(body.start_byte(), body.end_byte()),
                _ => Site::Value(body.start_byte(), body.end_byte()),
            },
            body.byte_range(),
        ),
    }
}

/// Returns the outermost function around a place, or the one that a comment stands above.
fn function_of<'t>(grammar: &ReachGrammar, way: &[DescentStep<'t>]) -> Option<Node<'t>> {
    let mut above = way.iter().map(|(node, _)| *node);
    let is_comment = |node: &Node<'_>| node.kind().contains("comment");
    above
        .clone()
        .find(|node| grammar.is_function(*node))
        .or_else(|| {
            let comment = above.find(is_comment)?;
            let mut below = std::iter::successors(Some(comment), |own| own.next_named_sibling());
            let below = below.find(|own| !is_comment(own))?;
            let declared = below.child_by_field_name("declaration").unwrap_or(below);
            grammar.is_function(declared).then_some(declared)
        })
}

/// Returns whether a statement is a part of another of these, in the same function: whether it runs is up to that one.
fn is_within_another(
    grammar: &ReachGrammar,
    parsed: &Parsed<'_>,
    statement: (usize, usize),
    others: &BTreeSet<(usize, usize)>,
) -> bool {
    let way = way_to(parsed, statement.0);
    let around = way.iter().rev().map(|(node, _)| *node);
    let around = around.skip_while(|node| (node.start_byte(), node.end_byte()) != statement);
    let mut around = around.take_while(|node| !grammar.is_function(*node));
    around.any(|node| {
        let range = (node.start_byte(), node.end_byte());
        range != statement && others.contains(&range)
    })
}

/// Returns the nodes from the root to a byte.
fn way_to<'t>(parsed: &'t Parsed<'_>, byte: usize) -> Vec<DescentStep<'t>> {
    let mut cursor = parsed.tree().walk();
    let mut way = vec![(cursor.node(), None)];
    while cursor.goto_first_child_for_byte(byte).is_some() && cursor.node().start_byte() <= byte {
        way.push((cursor.node(), cursor.field_name()));
    }
    way
}

/// Returns whether a way leads into a module of Rust that is there for tests alone.
fn is_of_tests(parsed: &Parsed<'_>, way: &[DescentStep<'_>]) -> bool {
    let mut modules = way.iter().filter(|(node, _)| node.kind() == "mod_item");
    modules.any(|(node, _)| {
        let mut before = node.prev_sibling();
        while let Some(attribute) = before.filter(|own| own.kind() == "attribute_item") {
            if parsed.text(attribute).contains("cfg(test)") {
                return true;
            }
            before = attribute.prev_sibling();
        }
        false
    })
}

/// Returns whether a node is no code: a comment, or a text that stands for itself.
fn is_silent(node: Node<'_>) -> bool {
    let is_text = || {
        let only = node
            .named_child(0)
            .filter(|_| node.named_child_count() == 1);
        only.is_some_and(|only| only.kind() == "string")
    };
    node.kind().contains("comment") || node.kind() == "expression_statement" && is_text()
}

fn is_class(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "class_definition"
            | "class_declaration"
            | "class"
            | "struct_item"
            | "enum_item"
            | "impl_item"
    )
}

fn is_constant(parsed: &Parsed<'_>, function: Node<'_>) -> bool {
    let mut cursor = function.walk();
    let mut own = function.children(&mut cursor);
    own.any(|own| own.kind() == "function_modifiers" && parsed.text(own).contains("const"))
}

/// Returns the probe of a line in a function's body, to which the way leads.
fn statement(grammar: &ReachGrammar, parsed: &Parsed<'_>, way: &[DescentStep<'_>]) -> LineReach {
    for pair in way.windows(2).rev() {
        let [(above, _), (node, field)] = pair else {
            continue;
        };
        let is_head = field.is_some_and(|field| grammar.heads.contains(&field));
        if grammar.blocks.contains(&above.kind()) && !is_head && node.is_named() {
            return before(parsed, *node);
        }
        let is_branch = grammar.branches.iter().any(|(kind, own)| {
            above.kind() == *kind && field.unwrap_or("") == *own && node.is_named()
        });
        if is_branch && !grammar.blocks.contains(&node.kind()) && node.kind() != "if_statement" {
            let site = Site::Block(node.start_byte(), node.end_byte());
            return LineReach::Code(site, node.byte_range());
        }
    }
    LineReach::Nothing
}

fn at_start(parsed: &Parsed<'_>, body: Node<'_>) -> LineReach {
    let mut cursor = body.walk();
    let first = body
        .named_children(&mut cursor)
        .find(|own| !is_silent(*own));
    match first {
        Some(first) if first.kind() == "statement_list" => at_start(parsed, first),
        Some(first) => before(parsed, first),
        None => LineReach::Unseen("it does nothing"),
    }
}

/// Returns the probe before a statement. In Python, one that holds others begins its line.
fn before(parsed: &Parsed<'_>, node: Node<'_>) -> LineReach {
    let begin = node.start_byte();
    let line = parsed
        .whole()
        .get(..begin)
        .and_then(|text| text.rsplit('\n').next());
    let begins_line = line.is_some_and(|line| line.trim().is_empty());
    let site = if begins_line {
        Site::Above(begin)
    } else {
        Site::Before(begin)
    };
    LineReach::Code(site, node.byte_range())
}

/// Returns the names that a line outside of functions gives.
fn declares(
    grammar: &ReachGrammar,
    parsed: &Parsed<'_>,
    way: &[DescentStep<'_>],
    line: &Range<usize>,
) -> LineReach {
    let decorated = way
        .iter()
        .find(|(node, _)| node.kind() == "decorated_definition");
    let definition = decorated.and_then(|(node, _)| node.child_by_field_name("definition"));
    if let Some(function) = definition.filter(|own| grammar.functions.contains(&own.kind())) {
        let body = function.child_by_field_name("body");
        return body.map_or(LineReach::Nothing, |body| at_start(parsed, body));
    }
    let outer = way.windows(2).rev().find_map(|pair| match pair {
        [(above, _), (node, _)] if grammar.blocks.contains(&above.kind()) => Some(*node),
        _ => None,
    });
    let Some(outer) = outer else {
        return LineReach::Nothing;
    };
    let is_import = outer.kind().contains("import")
        || outer.kind() == "use_declaration"
        || is_required(parsed, outer);
    let is_whole = loads_module(parsed, outer);
    let mut names = Vec::new();
    let mut open = vec![(outer, false)];
    while let Some((node, is_name)) = open.pop() {
        if node.end_byte() <= line.start || node.start_byte() >= line.end {
            continue;
        }
        if node.kind() == "aliased_import" {
            open.extend(node.child_by_field_name("alias").map(|own| (own, true)));
            continue;
        }
        if is_name && (node.named_child_count() == 0 || node.kind() == "dotted_name") {
            let first = words(parsed.text(node)).next();
            names.extend(first.map(|first| Declared {
                name: first.to_owned(),
                is_import,
                loads: is_whole && !WITHOUT_EFFECT.contains(&first),
                is_mentioned: false,
            }));
            continue;
        }
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let field = cursor.field_name();
            let names_itself = matches!(field, Some("name" | "left" | "alias"))
                || matches!(node.kind(), "import_clause" | "namespace_import");
            open.push((cursor.node(), is_name || names_itself));
            more = cursor.goto_next_sibling();
        }
    }
    if names.is_empty() {
        return LineReach::Unseen("it runs whenever its file is loaded");
    }
    LineReach::Declares(names)
}

/// Modules of Python's own that are imported for their names alone.
const WITHOUT_EFFECT: [&str; 20] = [
    "abc",
    "collections",
    "copy",
    "dataclasses",
    "datetime",
    "enum",
    "functools",
    "io",
    "itertools",
    "json",
    "logging",
    "math",
    "os",
    "pathlib",
    "random",
    "re",
    "subprocess",
    "sys",
    "time",
    "typing",
];

/// Returns whether a statement of Python imports modules, and not what they have: `import x`, `from . import x`. That may be
/// meant for what they do when they are loaded, as those that register something.
fn loads_module(parsed: &Parsed<'_>, statement: Node<'_>) -> bool {
    let of = |field| statement.child_by_field_name(field);
    match statement.kind() {
        // JavaScript's has a source.
        "import_statement" => of("source").is_none(),
        "import_from_statement" => of("module_name")
            .is_some_and(|module| parsed.text(module).bytes().all(|byte| byte == b'.')),
        _ => false,
    }
}

/// Returns whether a hunk moves lines that import, and does nothing else: the names are there as before.
fn orders_imports(
    grammar: &ReachGrammar,
    parsed: &Parsed<'_>,
    lines: &LineStarts,
    change: &HunkLines,
) -> bool {
    let added = || change.added.iter().cloned().flatten();
    let mut old: Vec<&str> = change.removed.iter().map(|own| own.trim_end()).collect();
    let texts = added().filter_map(|line| parsed.whole().get(lines.0.get(line)?.clone()));
    let mut new: Vec<&str> = texts.collect();
    old.sort_unstable();
    new.sort_unstable();
    let imports = |(word, line): (usize, Range<usize>)| match reach_of(grammar, parsed, word, &line)
    {
        LineReach::Declares(names) => names.iter().all(|own| own.is_import),
        LineReach::Nothing | LineReach::Code(..) | LineReach::Unseen(_) => false,
    };
    let mut words = added().flat_map(|line| lines.words(parsed, line));
    old == new && !new.is_empty() && words.all(imports)
}

/// Returns whether a declaration of JavaScript takes another module: `const path = require("path")`.
fn is_required(parsed: &Parsed<'_>, declaration: Node<'_>) -> bool {
    let is_declaration = matches!(
        declaration.kind(),
        "lexical_declaration" | "variable_declaration"
    );
    let text = parsed.text(declaration).trim_end_matches([';', '\n']);
    let value = text.split_once('=').map(|(_, value)| value.trim());
    is_declaration
        && value.is_some_and(|value| value.starts_with("require(") && value.ends_with(')'))
}

/// What texts have in common that use no name of each other.
const NO_NAMES: &[&str] = &[
    "None True False self cls null undefined true false this nil if else elif for while in is not",
    "and or return raise assert throw new const let try except catch",
];

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !is_word(c));
    let words = words.filter(|word| !is_listed(word, NO_NAMES));
    words.filter(|word| word.starts_with(|first: char| first.is_alphabetic() || first == '_'))
}

/// Returns a text with a probe at each site.
fn with_probes(
    language: Language,
    parsed: &Parsed<'_>,
    sites: &BTreeMap<Site, usize>,
    marker: &dyn Fn(usize) -> String,
) -> String {
    let text = parsed.whole();
    let mut put: Vec<(usize, String)> = Vec::new();
    for (site, number) in sites {
        let probe = statement_of(language, &marker(*number));
        match *site {
            Site::Before(at) => put.push((at, format!("{probe}; "))),
            Site::Above(at) => {
                let line = text.get(..at).and_then(|text| text.rsplit('\n').next());
                put.push((at, format!("{probe}\n{}", line.unwrap_or(""))));
            }
            Site::Value(begin, end) => {
                put.push((begin, format!("({}, ", probe.trim_matches(';'))));
                let last = if language == Language::Python {
                    ")[1]"
                } else {
                    ")"
                };
                put.push((end, last.to_owned()));
            }
            Site::Block(begin, end) => {
                put.push((begin, format!("{{ {probe} ")));
                put.push((end, " }".to_owned()));
            }
        }
    }
    if language == Language::Go {
        let mut cursor = parsed.root().walk();
        let package = parsed
            .root()
            .named_children(&mut cursor)
            .find(|own| own.kind() == "package_clause");
        put.extend(package.map(|own| (own.end_byte(), "; import signoffreach \"os\"".to_owned())));
    }
    // Those further out were put first, and what ends at a byte ends before what begins there.
    put.sort_by_key(|(at, own)| (*at, !own.starts_with([')', ' '])));
    let mut out = String::new();
    let mut from = 0;
    for (at, own) in put {
        out.push_str(text.get(from..at).unwrap_or(""));
        out.push_str(&own);
        from = at;
    }
    out.push_str(text.get(from..).unwrap_or(""));
    out
}

/// Returns a statement that makes a file.
fn statement_of(language: Language, file: &str) -> String {
    let file = serde_json::Value::from(file);
    match language {
        Language::Python => {
            format!("__import__(\"os\").close(__import__(\"os\").open({file}, 65, 384))")
        }
        Language::Rust => format!("let _ = ::std::fs::write({file}, \"\");"),
        Language::Go => format!("_ = signoffreach.WriteFile({file}, nil, 384);"),
        _ => format!(
            ";(typeof require === \"function\" ? require(\"fs\") : process.getBuiltinModule(\"fs\")).writeFileSync({file}, \"\");"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text with probes, short, and what is uncovered if those of these numbers ran.
    fn planned(
        path: &str,
        text: &str,
        hunks: &[(usize, usize)],
        ran: &[usize],
    ) -> (String, Vec<String>) {
        let changes = hunks.iter().enumerate().map(|(hunk, lines)| HunkLines {
            hunk,
            added: std::iter::once(lines.0..lines.1).collect(),
            removed: Vec::new(),
        });
        let file = ChangedFile {
            path: path.to_owned(),
            text: text.to_owned(),
            changes: changes.collect(),
        };
        let used = |module: &str, name: &str| module == "core" && name.ends_with("read");
        let plan = ReachPlan::new(&[file], &|number| format!("P{number}"), &used);
        let mut shown = plan
            .texts
            .first()
            .map_or(String::new(), |(_, text)| text.clone());
        let language = Language::of(&WorkspacePath::parse(path, Path::new("/")).unwrap()).unwrap();
        assert!(
            !language.parse(&shown).unwrap().root().has_error(),
            "{shown}"
        );
        for number in 0..9 {
            let probe = statement_of(language, &format!("P{number}"));
            let short = format!("<{number}>");
            shown = shown
                .replace(&probe, &short)
                .replace(probe.trim_matches(';'), &short);
        }
        let uncovered = plan.uncovered(&ran.iter().copied().collect());
        let uncovered = uncovered
            .into_iter()
            .map(|(hunk, why)| format!("{hunk}: {why}"));
        (shown, uncovered.collect())
    }

    #[test]
    fn a_module_of_tests_is_beside_the_code() {
        let text = "fn f() {}\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() {\n        f();\n    }\n}\nmod own {}\n";
        for (line, expected) in [(0, false), (3, true), (4, true), (5, true), (8, false)] {
            let change = HunkLines {
                added: std::iter::once(line..line + 1).collect(),
                ..HunkLines::default()
            };
            let file = ChangedFile {
                path: "src/lib.rs".to_owned(),
                text: text.to_owned(),
                changes: vec![change],
            };
            let plan = ReachPlan::new(&[file], &|number| format!("P{number}"), &|_, _| false);
            assert_eq!(plan.is_of_tests(0), expected, "line {line}");
        }
    }

    #[test]
    fn each_line_has_the_probe_of_its_statement() {
        for (path, text, lines, expected) in [
            (
                "a.py",
                "def f(a):\n    \"\"\"Doc.\"\"\"\n    if a:\n        return g(\n            1)\n    # c\n    return 2\n",
                (0, 7),
                "def f(a):\n    \"\"\"Doc.\"\"\"\n    <0>\n    if a:\n        <1>\n        return g(\n            1)\n    # c\n    <2>\n    return 2\n",
            ),
            (
                "a.py",
                "@cached\ndef f(a): return a\n",
                (0, 1),
                "@cached\ndef f(a): <0>; return a\n",
            ),
            (
                "a.py",
                "def f(a):\n    if a: return sorted(a, key=lambda b: b.c)\n",
                (1, 2),
                "def f(a):\n    <0>\n    if a: return sorted(a, key=lambda b: (<1>, b.c)[1])\n",
            ),
            (
                "a.js",
                "const f = (a) =>\n  a + 1\nfunction g() {\n  if (1)\n    return 2\n  switch (a) {\n    case 1:\n      h()\n  }\n}\n",
                (0, 9),
                "const f = (a) =>\n  (<0>, a + 1)\nfunction g() {\n  <1>\n  if (1)\n    { <2> return 2 }\n  <3>\n  switch (a) {\n    case 1:\n      <4>\n      h()\n  }\n}\n",
            ),
            (
                "a.rs",
                "fn f(a: u8) -> u8 {\n    match a {\n        0 => 1,\n        _ => {\n            2\n        }\n    }\n}\nconst fn g() {}\n",
                (0, 5),
                "fn f(a: u8) -> u8 {\n    <0>\n    match a {\n        0 => { <1> 1 },\n        _ => {\n            <2>\n            2\n        }\n    }\n}\nconst fn g() {}\n",
            ),
            (
                "a.go",
                "package a\n\nfunc f(a int) int {\n\tif a > 1 {\n\t\treturn 2\n\t}\n\treturn 3\n}\n",
                (4, 5),
                "package a; import signoffreach \"os\"\n\nfunc f(a int) int {\n\tif a > 1 {\n\t\t<0>\n\t\treturn 2\n\t}\n\treturn 3\n}\n",
            ),
        ] {
            let hunks: Vec<_> = (lines.0..lines.1).map(|line| (line, line + 1)).collect();
            assert_eq!(planned(path, text, &hunks, &[]).0, expected);
        }
    }

    #[test]
    fn a_hunk_is_run_where_its_outermost_statements_are() {
        for (path, text, lines, expected) in [
            (
                "a.py",
                "def f(a):\n    if a:\n        return 1\n    return sorted(a, key=lambda b: b.c)\n",
                (1, 4),
                "def f(a):\n    <0>\n    if a:\n        return 1\n    <1>\n    return sorted(a, key=lambda b: (<2>, b.c)[1])\n",
            ),
            (
                "a.py",
                "def f(a):\n    try:\n        return g(a)\n    except KeyError:\n        raise\n",
                (1, 5),
                "def f(a):\n    <0>\n    try:\n        return g(a)\n    except KeyError:\n        raise\n",
            ),
            (
                "a.rs",
                "fn f(a: u8) -> u8 {\n    match a {\n        0 => 1,\n        _ => 2,\n    }\n}\n",
                (2, 3),
                "fn f(a: u8) -> u8 {\n    <0>\n    match a {\n        0 => { <1> 1 },\n        _ => 2,\n    }\n}\n",
            ),
        ] {
            assert_eq!(planned(path, text, &[lines], &[]).0, expected);
        }
    }

    #[test]
    fn what_no_probe_speaks_for_is_not_covered() {
        let uncovered = |path: &str, text: &str, hunks: &[(usize, usize)], ran: &[usize]| {
            planned(path, text, hunks, ran).1.join("; ")
        };
        let branch = "def f(a):\n    if a:\n        return 1\n    return 2\n";
        assert_eq!(uncovered("a.py", branch, &[(1, 3)], &[0]), "");
        for (lines, ran) in [((1, 3), &[][..]), ((2, 3), &[]), ((1, 4), &[0])] {
            assert_eq!(
                uncovered("a.py", branch, &[lines], ran),
                "0: no test runs it"
            );
        }
        assert_eq!(
            uncovered("a.py", "# a\nx = 1\n", &[(0, 1)], &[]),
            "0: none of its lines is code"
        );
        assert_eq!(
            uncovered("a.toml", "a = 1\n", &[(0, 1)], &[]),
            "0: what tests use of such files cannot be seen"
        );
        // An import that is used nowhere; one that code beside the change uses; one that a tested hunk uses.
        let import = "import os\ndef f():\n    return 1\n";
        assert_eq!(uncovered("a.py", import, &[(0, 1)], &[]), "");
        let import = "import os\ndef f():\n    \"\"\"With os.\"\"\"\n    return 1  # not os\n";
        assert_eq!(uncovered("a.py", import, &[(0, 1)], &[]), "");
        let import = "import os.path as p\ndef f():\n    return p\n";
        assert_eq!(
            uncovered("a.py", import, &[(0, 1)], &[]),
            "0: code that no test runs may use p"
        );
        assert_eq!(uncovered("a.py", import, &[(0, 1), (2, 3)], &[0]), "");
        assert_eq!(
            uncovered("a.py", import, &[(0, 1), (2, 3)], &[]),
            "0: code that no test runs may use p; 1: no test runs it"
        );
        let import = "const p = require(\"p\");\nfunction f() {}\n";
        assert_eq!(uncovered("a.js", import, &[(0, 1)], &[]), "");
        // What a package shows, what other code has from a module, and what registers itself.
        let import = "from .core import read\n";
        for path in ["pkg/__init__.py", "pkg/core.py"] {
            assert_eq!(
                uncovered(path, import, &[(0, 1)], &[]),
                "0: code that no test runs may use read"
            );
        }
        assert_eq!(uncovered("pkg/a.py", import, &[(0, 1)], &[]), "");
        for import in ["from . import read\n", "import read\n"] {
            assert_eq!(
                uncovered("pkg/a.py", import, &[(0, 1)], &[]),
                "0: read may be there for what loading it does"
            );
        }
        // `None` is no name that one could lack without the other.
        let guard =
            "def f(a):\n    if a is None:\n        return 2\ndef g(a):\n    return a is None\n";
        assert_eq!(
            uncovered("a.py", guard, &[(1, 3), (4, 5)], &[1]),
            "0: no test runs it"
        );
        // A constant that nothing uses may be for others.
        let constant = "LIMIT = 3\ndef f():\n    return 1\n";
        assert_eq!(
            uncovered("a.py", constant, &[(0, 1)], &[]),
            "0: code that no test runs may use LIMIT"
        );
        // A local name that is new, and that code uses which no test runs.
        let local = "def f(a):\n    size = 1\n    if a:\n        return size\n    return 2\n";
        assert_eq!(
            uncovered("a.py", local, &[(1, 2), (3, 4)], &[0]),
            "0: code that no test runs may use size; 1: no test runs it"
        );
    }

    #[test]
    fn hunks_are_connected_by_names_that_one_of_them_gives() {
        let uncovered = |path: &str, text: &str, hunks: &[(usize, usize)], ran: &[usize]| {
            planned(path, text, hunks, ran).1.join("; ")
        };
        let silent = "1: no test runs it";
        // Each of two functions has a hunk, and no test runs the second.
        for (path, first, second, name) in [
            (
                "a.py",
                "if a is Ellipsis: return 1",
                "if b is Ellipsis: return 2",
                "",
            ),
            (
                "a.py",
                "raise TypeError('no use')",
                "raise TypeError('no use')",
                "",
            ),
            (
                "a.py",
                "assert a.size in SIZES[a]",
                "return [b.size, SIZES[b]]",
                "",
            ),
            ("a.py", "size = 1", "size = 2", ""),
            (
                "a.py",
                "for size, name in a: h(name)",
                "name = size = b",
                "",
            ),
            ("a.py", "return a  # size", "return size", ""),
            ("a.py", "return lambda: a", "return lambda: b", ""),
            (
                "a.js",
                "if (a === Symbol) throw new E(`no ${use}`);",
                "throw new E(Symbol, use);",
                "",
            ),
            (
                "a.js",
                "const size = a.length;",
                "const size = b.length;",
                "",
            ),
            ("a.py", "a.size = 1", "return b.size", "size"),
            ("a.py", "return b.size", "a.size = 1", "size"),
            ("a.py", "a['size'] = 1", "return b['size']", "size"),
            ("a.py", "return h(size=a)", "return h(size=b)", "size"),
            ("a.py", "global size; size = 1", "return size", "size"),
            ("a.py", "with a as size: pass", "return size", "size"),
            ("a.js", "this.size = a;", "return b.size;", "size"),
            ("a.js", "return { size: a };", "return b.size;", "size"),
            ("a.js", "size = a;", "return size;", "size"),
            ("a.js", "return { size };", "const { size } = b;", "size"),
        ] {
            let text = if path == "a.py" {
                format!("def f(a):\n    {first}\ndef g(b):\n    {second}\n")
            } else {
                format!("function f(a) {{\n  {first}\n}} function g(b) {{\n  {second}\n}}\n")
            };
            let expected = match name {
                "" => silent.to_owned(),
                name => format!("0: code that no test runs may use {name}; {silent}"),
            };
            // Those of the first function have the first numbers.
            let probes = planned(path, &text, &[(1, 2)], &[]).0.matches('<').count();
            let ran: Vec<usize> = (0..probes).collect();
            let told = uncovered(path, &text, &[(1, 2), (3, 4)], &ran);
            assert_eq!(told, expected, "{first} {second}");
        }
        // A new function that no test runs into, and its call in a branch that none takes.
        let call = "def f(a):\n    if a:\n        return g(a)\ndef g(b):\n    return b\n";
        assert_eq!(
            uncovered("a.py", call, &[(1, 3), (3, 5)], &[0]),
            "0: code that no test runs may use g; 1: no test runs it"
        );
        // Local names of one function.
        let local = "def f(a):\n    size = 1\n    if a:\n        return size\n";
        assert_eq!(
            uncovered("a.py", local, &[(1, 2), (3, 4)], &[0]),
            "0: code that no test runs may use size; 1: no test runs it"
        );
    }

    #[test]
    fn a_comment_belongs_to_the_function_that_it_is_in_or_above() {
        for (path, text, expected) in [
            ("a.py", "def f():\n    # of f\n    g()\n", Some("def f")),
            (
                "a.js",
                "x()\n// of f\nfunction f() {}\n",
                Some("function f"),
            ),
            (
                "a.js",
                "x()\n/** of f */\nexport function f() {}\n",
                Some("function f"),
            ),
            ("a.js", "class A {\n // of f\n f() {} }\n", Some("f() {}")),
            ("a.js", "x()\n// of no function\nlet f = 1\n", None),
            ("a.py", "x()\n# of no function\n", None),
        ] {
            let change = HunkLines {
                added: std::iter::once(1..2).collect(),
                ..HunkLines::default()
            };
            let file = ChangedFile {
                path: path.to_owned(),
                text: text.to_owned(),
                changes: vec![change],
            };
            let plan = ReachPlan::new(&[file], &|_| String::new(), &|_, _| false);
            let places = expected.and_then(|own| text.rfind(own)).map(|at| (0, at));
            assert_eq!(plan.within(0), places.into_iter().collect(), "{text}");
        }
    }

    #[test]
    fn a_private_function_that_nothing_names_needs_no_test() {
        for (path, text, expected) in [
            ("a.py", "def _f(a):\n    return a\nx = 1\n", ""),
            (
                "a.js",
                "function f(a) {\n  return a }\nexport const x = 1\n",
                "",
            ),
            (
                "a.py",
                "def f(a):\n    return a\nx = 1\n",
                "0: no test runs it",
            ),
            (
                "a.py",
                "def __getattr__(a):\n    return a\n",
                "0: no test runs it",
            ),
            (
                "a.py",
                "def _f(a):\n    return a\n__all__ = ['_f']\n",
                "0: no test runs it",
            ),
            (
                "a.py",
                "@given\ndef _f(a): return a\n",
                "0: no test runs it",
            ),
            (
                "a.js",
                "function f(a) {\n  return a }\nx = 1\n",
                "0: no test runs it",
            ),
            (
                "a.js",
                "export function f(a) {\n  return a }\n",
                "0: no test runs it",
            ),
        ] {
            assert_eq!(
                planned(path, text, &[(0, 2)], &[]).1.join(""),
                expected,
                "{text}"
            );
        }
        // Code beside the change has it: `used` says so.
        let text = "def _read(a):\n    return a\n";
        let used = planned("core.py", &text.replace("_read", "read"), &[(0, 2)], &[]).1;
        assert_eq!(used, ["0: no test runs it"]);
        assert_eq!(
            planned("core.py", text, &[(0, 2)], &[]).1,
            ["0: no test runs it"]
        );
        assert!(planned("b.py", text, &[(0, 2)], &[]).1.is_empty());
        // Of a function that was there before, a change has to run.
        assert_eq!(
            planned("a.py", text, &[(1, 2)], &[]).1,
            ["0: no test runs it"]
        );
    }

    #[test]
    fn imports_in_another_order_give_nothing() {
        for (text, added, removed, is_covered) in [
            (
                "import b\nimport a\nx = a.y(b)\n",
                &[(0, 1)][..],
                "import b\n",
                true,
            ),
            // The line is gone from where the constant is.
            (
                "import a\nimport b\nx = a.y(b)\n",
                &[(1, 2), (3, 3)],
                "import b\n",
                true,
            ),
            ("import a\nx = 1\n", &[(0, 1)][..], "import b\n", false),
            (
                "import a\nx = 1\ny = 2\n",
                &[(1, 2), (3, 3)],
                "x = 1\n",
                false,
            ),
        ] {
            let changes = vec![HunkLines {
                hunk: 0,
                added: added.iter().map(|(first, end)| *first..*end).collect(),
                removed: vec![removed.to_owned()],
            }];
            let file = ChangedFile {
                path: "a.py".to_owned(),
                text: text.to_owned(),
                changes,
            };
            let plan = ReachPlan::new(&[file], &|_| String::new(), &|_, _| true);
            let uncovered = plan.uncovered(&BTreeSet::new());
            assert_eq!(uncovered.is_empty(), is_covered, "{text}");
        }
    }
}
