//! One name in several files of a request: which of them define it, and what is left alone.
//!
//! In: the files that a request renames a name in. Out: those whose name is the definition's own, or
//! comes from one of them through imports; and of one file's uses those that are bound to it. What
//! cannot be shown to be is left as it is, and the answer says so.

use super::imports::ImportOrigin;
use super::names::Use;
use super::*;
use crate::disk::workspace::WorkspacePath;
use crate::plural::amount;
use crate::syntax::SyntaxCache;
use crate::text::Source;

/// What a file has of a name, for files that import it.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Where the name at the top level comes from, if it is there and is exported: from all of these
    /// modules; from none if it is defined there.
    top: Option<Vec<ImportOrigin>>,
    /// Modules whose name it passes on.
    passed_on: Vec<ImportOrigin>,
}

/// Returns the files that define the name of a request or pass it on, of those that it is asked for:
/// importing it from one of these is importing what is renamed.
pub(super) fn renamed(
    cache: &SyntaxCache,
    files: &[(WorkspacePath, Source, Rename)],
) -> Vec<String> {
    let surveys: Vec<(&str, Survey)> = files
        .iter()
        .map(|(path, source, request)| (path.as_str(), survey(cache, path, source, request)))
        .collect();
    let mut known: Vec<String> = Vec::new();
    loop {
        let new = surveys.iter().filter(|(path, survey)| {
            let is_known = known.iter().any(|own| own == path);
            let top = survey.top.as_ref();
            let has = top.is_some_and(|all| all.iter().all(|origin| origin.is_one_of(&known)));
            let passes = survey
                .passed_on
                .iter()
                .any(|origin| origin.is_one_of(&known));
            !is_known && (has || passes)
        });
        let new: Vec<String> = new.map(|(path, _)| (*path).to_owned()).collect();
        if new.is_empty() {
            return known;
        }
        known.extend(new);
    }
}

/// Returns of each file the modules that it has the name of a request from.
pub(super) fn origins(
    cache: &SyntaxCache,
    files: &[(WorkspacePath, Source, Rename)],
) -> Vec<Vec<ImportOrigin>> {
    let each = files.iter().map(|(path, source, request)| {
        with_scene(cache, (path, source), request, |scene| {
            let bindings = scene.from.bindings.iter();
            let imported = bindings.flat_map(|binding| &binding.traits.origins);
            let passed_on = scene.passed_on.iter().chain(&scene.globs);
            imported.chain(passed_on).cloned().collect()
        })
    });
    each.collect()
}

fn survey(cache: &SyntaxCache, path: &WorkspacePath, source: &Source, request: &Rename) -> Survey {
    with_scene(cache, (path, source), request, |scene| scene.survey())
}

/// Returns what is to be known of a file's scene; nothing of a file that cannot be read.
fn with_scene<T: Default>(
    cache: &SyntaxCache,
    (path, source): (&WorkspacePath, &Source),
    request: &Rename,
    tell: impl FnOnce(&RenameScene<'_, '_>) -> T,
) -> T {
    let language = Language::of(path);
    let family = language.and_then(Family::of);
    let (Some(family), Ok(text)) = (family, source.text()) else {
        return T::default();
    };
    let file = File {
        cache,
        path,
        source,
        text,
    };
    match language.and_then(|language| cache.parse(language, text)) {
        Some(tree) => tell(&RenameScene::of(file, request, family, &tree)),
        None => T::default(),
    }
}

impl RenameScene<'_, '_> {
    fn survey(&self) -> Survey {
        let uses = self.choose().map(|choice| choice.uses).unwrap_or_default();
        let roots = uses.iter().filter_map(|use_| self.binding(use_));
        let mut top = roots.filter(|binding| binding.visible == (0..usize::MAX));
        let is_exported = self.family != Family::Script || self.is_exported;
        let own = top.next();
        let mut passed_on = self.passed_on.clone();
        if own.is_none() {
            passed_on.extend(self.globs.iter().cloned());
        }
        let top = own.filter(|_| is_exported);
        Survey {
            top: top.map(|binding| binding.traits.origins.clone()),
            passed_on,
        }
    }

    fn binding(&self, use_: &Use) -> Option<&names::Binding> {
        self.from.bindings.get(use_.root?)
    }

    /// Keeps of the uses that are meant those that are bound to what is renamed, and adds those in
    /// other files' names; refuses if none is left.
    pub(super) fn bound(&self, chosen: OrAnswer<Choice>) -> OrAnswer<Choice> {
        let request = self.request;
        let linked = self.linked.iter().chain(self.imported_within()).copied();
        let linked: Vec<Use> = linked.filter(|_| request.which.line.is_none()).collect();
        let is_by_name = matches!(request.kind, Some(NameKind::Any | NameKind::Field));
        if linked.is_empty() && (is_by_name || self.from.uses.is_empty()) {
            return chosen;
        }
        let choice = match chosen {
            Ok(choice) => choice,
            Err(_) if !linked.is_empty() => Choice {
                uses: Vec::new(),
                how: "to the name of another file that is renamed with it".into(),
            },
            Err(Outcome::Ambiguous { .. })
                if request.which.line.is_none() && !request.together.is_empty() =>
            {
                let first = self.from.uses.first();
                return Err(self.left(first.map(|use_| (use_, Unbound::Local))));
            }
            Err(answer) => return Err(answer),
        };
        let is_open = request.which.line.is_none();
        let is_asked = request.together.is_empty() || !is_open || request.which.all;
        let top = |use_: &Use| {
            self.from
                .bindings
                .get(use_.binding?)
                .map(|own| &own.visible)
        };
        let is_top = choice
            .uses
            .iter()
            .any(|use_| top(use_) == Some(&(0..usize::MAX)));
        let mut left = Vec::new();
        let mut uses: Vec<Use> = Vec::new();
        for use_ in choice.uses {
            match self.unbound(&use_, is_asked || is_top) {
                Some(_) if is_by_name => uses.push(use_),
                Some(why) => left.push((use_, why)),
                None => uses.push(use_),
            }
        }
        if uses.is_empty() && linked.is_empty() {
            return Err(self.left(left.first().map(|(use_, why)| (use_, *why))));
        }
        uses.extend(linked);
        uses.sort_by_key(|use_| use_.at);
        uses.dedup_by_key(|use_| use_.at);
        let stay = match left.as_slice() {
            [] => String::new(),
            [(use_, why), ..] => format!(
                "; {} that cannot be told to be it, as on line {}: {}",
                amount(left.len(), "use stays", "uses stay"),
                self.file.line(use_.at),
                self.reason(use_, *why)
            ),
        };
        Ok(Choice {
            uses,
            how: choice.how + &stay,
        })
    }

    /// Returns the uses of what inner modules and functions import from files that are renamed.
    fn imported_within(&self) -> impl Iterator<Item = &Use> {
        self.from.uses.iter().filter(move |use_| {
            let binding = self.binding(use_);
            binding.is_some_and(|binding| {
                let origins = &binding.traits.origins;
                let is_inner = binding.visible != (0..usize::MAX);
                is_inner
                    && !origins.is_empty()
                    && origins
                        .iter()
                        .all(|origin| origin.is_one_of(&self.request.together))
            })
        })
    }

    /// Tells why a use is not known to be bound to what is renamed, if it is not. Local names and
    /// fields are meant where the request is for them, or for the name at the top of the file.
    fn unbound(&self, use_: &Use, is_meant: bool) -> Option<Unbound> {
        let is_renamed = |origin: &ImportOrigin| origin.is_one_of(&self.request.together);
        match self.binding(use_) {
            Some(binding) if !binding.traits.origins.iter().all(is_renamed) => {
                Some(Unbound::Imported)
            }
            _ if use_.spaces == Spaces::FIELD => (!is_meant).then_some(Unbound::Field),
            Some(_) => (!is_meant).then_some(Unbound::Local),
            None if use_.spaces == Spaces::PATH => Some(Unbound::Path),
            None if self.globs.iter().any(is_renamed) => None,
            // On a line that the request names, the occurrence itself is meant.
            None => self.request.which.line.is_none().then_some(Unbound::Free),
        }
    }

    /// Answers that a file is left as it is.
    fn left(&self, first: Option<(&Use, Unbound)>) -> Outcome {
        let (from, path) = (&self.request.from, self.file.path);
        let why = first.map_or_else(String::new, |(use_, why)| {
            format!(
                " on line {} {}",
                self.file.line(use_.at),
                self.reason(use_, why)
            )
        });
        if self.request.together.is_empty() {
            return refused(format!(
                "`{from}`{why}; rename it with the file that defines it, in one request; `\"kind\": \"any\"` \
                 renames every identifier of that name"
            ));
        }
        Outcome::Left {
            why: format!("{path} is left as it is: `{from}`{why}"),
        }
    }

    fn reason(&self, use_: &Use, why: Unbound) -> String {
        let mut origins = self
            .binding(use_)
            .into_iter()
            .flat_map(|own| &own.traits.origins);
        let origin = origins.find(|origin| !origin.is_one_of(&self.request.together));
        match (why, origin) {
            (Unbound::Imported, Some(ImportOrigin { module, .. })) if !module.is_empty() => {
                format!("is imported from `{module}`, which is not renamed with it")
            }
            (Unbound::Imported, _) => "is imported, and not from a file that is renamed".to_owned(),
            (Unbound::Local, _) => "is a local name".to_owned(),
            (Unbound::Field, _) => "is a field, method or key".to_owned(),
            (Unbound::Path, _) => "is an item of a module that is not renamed with it".to_owned(),
            (Unbound::Free, _) => "is not bound in this file".to_owned(),
        }
    }
}

/// Why a use is not known to be bound to what is renamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unbound {
    Imported,
    Local,
    Field,
    Path,
    Free,
}
