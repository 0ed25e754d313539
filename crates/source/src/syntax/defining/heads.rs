//! The name that a line defines, told without a tree or a language.
//!
//! ```text
//! pub(crate) async fn load(path: &str) {     load
//!   it('is empty', () => {                   is empty
//! export const load = path => {              load
//! [dev-dependencies]                         dev-dependencies
//!   } else if (path) {                       none
//! ```
//!
//! Lines of a request need this: they may be in no file yet, so that nothing can be parsed.

use crate::word::is_listed;

/// Words after which a name is given.
const NAMING: &[&str] = &[
    "fn def class struct enum union trait impl interface function func type mod module namespace",
    "macro_rules describe test it",
];
/// Words that may stand before those.
const BEFORE: &[&str] = &[
    "pub crate super in async unsafe const extern C default export declare abstract static public",
    "private protected final override inline virtual",
];
/// Words that have parentheses and a block behind them and are no names.
const CONTROL: [&str; 10] = [
    "if", "for", "while", "switch", "catch", "with", "match", "return", "function", "let",
];
/// Words with a colon behind them that are no names.
const BARE: [&str; 4] = ["else", "try", "finally", "except"];
/// Names that are tests only as members, with their titles behind them: `t.test('empty', ...`.
const TITLED: [&str; 4] = ["test", "it", "describe", "suite"];

/// Returns the name of what begins on a line, if the line looks like the head of something that has a name: a function,
/// a type, a test, a method, a function in a variable, a section of TOML, YAML or Markdown.
pub fn defined_name(line: &str) -> Option<&str> {
    let line = line.trim();
    word(line)
        .or_else(|| titled(line))
        .or_else(|| assigned(line))
        .or_else(|| method(line))
        .or_else(|| section(line))
}

/// Returns the name of a section: `[name]`, `name:`, `## Name`.
fn section(line: &str) -> Option<&str> {
    let inner = line.trim_start_matches('[').trim_end_matches(']');
    if line.starts_with('[') && line.ends_with(']') {
        return Some(inner).filter(|name| !name.trim().is_empty() && is_plain_name(name));
    }
    if let Some(title) = line.strip_prefix("##") {
        return title
            .trim_start_matches('#')
            .strip_prefix(' ')
            .map(str::trim);
    }
    let key = line.strip_suffix(':')?;
    let one = !key.is_empty() && is_plain_name(key) && !key.contains(' ');
    (one && !BARE.contains(&key)).then_some(key)
}

fn is_plain_name(text: &str) -> bool {
    text.chars()
        .all(|char| is_part(char) || "-._ \"'/".contains(char))
}

/// Returns the name behind a word that gives one.
fn word(line: &str) -> Option<&str> {
    let mut rest = line;
    loop {
        let (word, tail) = split_word(rest)?;
        match word {
            // An implementation is told by its types; a method in Go is named behind its receiver.
            "impl" => return tail.split('{').next().map(str::trim),
            "func" if tail.trim_start().starts_with('(') => {
                return name(tail.split_once(')').map_or(tail, |(_, tail)| tail));
            }
            word if is_listed(word, NAMING) => return name(tail),
            _ => {}
        }
        if !is_listed(word, BEFORE) {
            return None;
        }
        rest = tail.trim_start_matches([' ', '\t', '(', ')', '"']);
    }
}

/// Returns the title of a test that is made by a member of something.
fn titled(line: &str) -> Option<&str> {
    let (path, tail) = line.split_once('(')?;
    let plain = path.chars().all(|char| is_part(char) || char == '.');
    let quoted = tail.starts_with(['"', '\'', '`']);
    (plain && quoted && path.split('.').any(|part| TITLED.contains(&part))).then(|| name(tail))?
}

/// Returns the name of the variable or member that a function is put into.
fn assigned(line: &str) -> Option<&str> {
    let (target, value) = line.split_once(['=', ':'])?;
    let value = value.trim_start();
    let value = value.strip_prefix("async").unwrap_or(value).trim_start();
    if !value.starts_with("function") && !is_arrow(value) {
        return None;
    }
    let name = target.split_whitespace().last()?;
    name.chars()
        .all(|char| is_part(char) || char == '.')
        .then_some(name)
}

/// Returns whether the block of an arrow function begins, and of none that is an argument.
fn is_arrow(value: &str) -> bool {
    value.strip_suffix("=> {").is_some_and(|head| {
        let begins = head.starts_with('(') || split_word(head).is_some();
        begins && !head.contains('.') && balanced(head)
    })
}

/// Returns the name of a method or function whose block begins on the line.
fn method(line: &str) -> Option<&str> {
    let head = line.strip_suffix('{')?.trim_end();
    let (before, behind) = head.split_once('(')?;
    let name = before.rsplit(|char: char| !is_part(char)).next()?;
    let words = before.strip_suffix(name)?;
    let own = !name.is_empty() && !name.starts_with(|char: char| char.is_ascii_digit());
    let calm = own
        && words
            .chars()
            .all(|char| is_part(char) || " \t*&<>:,[]~".contains(char))
        && !before
            .split_whitespace()
            .any(|word| CONTROL.contains(&word) || word == "else");
    let (_, kind) = behind.rsplit_once(')')?;
    (calm && balanced(head) && !kind.contains(['=', ';'])).then_some(name)
}

/// Returns the word with which a text begins, and the rest.
fn split_word(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|char| !is_part(char)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at_checked(end))?
}

fn is_part(char: char) -> bool {
    char.is_alphanumeric() || "_$#".contains(char)
}

/// Returns whether each parenthesis of a text has its partner.
fn balanced(text: &str) -> bool {
    let mut open = 0_usize;
    for char in text.chars() {
        match char {
            '(' => open += 1,
            ')' if open == 0 => return false,
            ')' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// Returns the name, or the text in quotes, with which a line goes on.
fn name(tail: &str) -> Option<&str> {
    let tail = tail.trim_start_matches([' ', '\t', '!', '*', '(']);
    let quote = tail.chars().next().filter(|char| "\"'`".contains(*char));
    let name = match quote {
        Some(quote) => tail.get(1..)?.split(quote).next()?,
        None => tail
            .split(|char: char| !(is_part(char) || ":<>".contains(char)))
            .next()?,
    };
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<&str>) {
        assert_eq!(defined_name(line), expected, "{line}");
    }

    #[test]
    fn a_name_follows_the_word_that_gives_it() {
        check("    pub(crate) async fn load(path: &str) {", Some("load"));
        check("pub unsafe extern \"C\" fn load() {", Some("load"));
        check("export default class Panel extends Base {", Some("Panel"));
        check("  it('is empty', () => {", Some("is empty"));
        check("impl<T> From<T> for Row {", Some("<T> From<T> for Row"));
        check("func (r *Row) Name() string {", Some("Name"));
        check("macro_rules! rows {", Some("rows"));
        check("    def rest(self, items):", Some("rest"));
        check("/// It is of type `Row`.", None);
        check("let total = 1;", None);
        check("pub", None);
        check("", None);
    }

    #[test]
    fn sections_of_markup_and_data_have_names() {
        check("[dev-dependencies]", Some("dev-dependencies"));
        check("[[bin]]", Some("bin"));
        check("## How to run it", Some("How to run it"));
        check("  build:", Some("build"));
        check("# a comment", None);
        check("    else:", None);
        check("[1, 2, 3]", None);
        check("    if a == b:", None);
    }

    #[test]
    fn tests_methods_and_functions_in_variables_have_names() {
        check("  t.test('is empty', async (t) => {", Some("is empty"));
        check("test.only(\"is empty\", () => {", Some("is empty"));
        check(
            "Row.prototype.$__path = function(path) {",
            Some("Row.prototype.$__path"),
        );
        check("const load = async (path = \"a\") => {", Some("load"));
        check("export const load = path => {", Some("load"));
        check("  load: function (path) {", Some("load"));
        check("\tstatic load(path, name = \"a\") {", Some("load"));
        check(
            "  public List<Row> load(String path) throws Failure {",
            Some("load"),
        );
        check("  private load(path: string): Promise<Row> {", Some("load"));
        check("static int load(struct row *row) {", Some("load"));
        check("  } else if (path) {", None);
        check("  for (const row of rows(path)) {", None);
        check("  app.get('/', (request) => {", None);
        check("  const rows = all.map((row) => {", None);
        check("  const rows = load(path)", None);
        check("  if (path == null) {", None);
        check("  match load(path) {", None);
        check("    let Some(row) = rows.get(at) else {", None);
        check("  return load(path, {", None);
    }
}
