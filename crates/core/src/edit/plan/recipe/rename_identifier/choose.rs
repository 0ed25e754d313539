//! Chooses the binding that a rename request means.
//!
//! A line, a kind or `all` say so. Without them the name at the top of the file is meant, or the only one; where several
//! could be, the answer lists them.

use super::*;
use crate::word::is_identifier_part;

impl RenameScene<'_, '_> {
    /// Decides which uses are meant.
    pub(super) fn choose(&self) -> Result<Choice, Outcome> {
        match (self.request.which.line, self.request.kind) {
            (Some(line), kind) => self.on_line(line, kind),
            (None, Some(NameKind::Any)) => self.everything(),
            (None, Some(NameKind::Field)) => match self.fields() {
                uses if uses.is_empty() => Err(self.nothing()),
                uses => Ok(fields_by_name(uses)),
            },
            (None, kind) => self.at_top(kind),
        }
    }

    pub(super) fn everything(&self) -> Result<Choice, Outcome> {
        if self.from.uses.is_empty() {
            return Err(self.nothing());
        }
        Ok(Choice {
            uses: self.from.uses.clone(),
            how: "to every identifier of that name".into(),
        })
    }

    pub(super) fn on_line(&self, line: usize, kind: Option<NameKind>) -> Result<Choice, Outcome> {
        let wanted = kind.map_or(Spaces::BOUND, spaces_of);
        let all: Vec<&Use> = self
            .from
            .uses
            .iter()
            .filter(|use_| self.is_at(line, use_))
            .collect();
        let mut meant: Vec<&Use> = all
            .iter()
            .filter(|use_| use_.spaces.meets(wanted))
            .copied()
            .collect();
        if meant.is_empty()
            && kind.is_none()
            && !self.to.uses.iter().any(|use_| self.is_at(line, use_))
        {
            meant = all;
        }
        let targets: BTreeSet<Target> = meant.iter().map(|use_| target(use_)).collect();
        let mut targets = targets.into_iter();
        match (targets.next(), targets.next()) {
            (Some(target), None) => Ok(self.with_target(target, kind)),
            (Some(_), Some(_)) => Err(self.file.ambiguous(
                format!(
                    "line {line} has different `{}`s, at columns {}; give `column`",
                    self.request.from,
                    self.columns(&meant)
                ),
                meant.first().map(|use_| use_.at),
            )),
            (None, _) => Err(self.not_on_line(line, |use_| self.is_at(line, use_))),
        }
    }

    fn is_at(&self, line: usize, use_: &Use) -> bool {
        let column = self.request.column;
        self.file.line(use_.at) == line
            && column.is_none_or(|column| self.column(use_.at) == column)
    }

    pub(super) fn not_on_line(&self, line: usize, here: impl Fn(&&Use) -> bool) -> Outcome {
        let (from, to) = (&self.request.from, &self.request.to);
        if self.to.uses.iter().any(|use_| here(&use_)) {
            return already(format!("line {line} has `{to}` and no `{from}`"));
        }
        let lines: BTreeSet<usize> = self
            .from
            .uses
            .iter()
            .map(|use_| self.file.line(use_.at))
            .collect();
        if lines.is_empty() {
            return self.nothing();
        }
        not_found(format!(
            "line {line} has no identifier `{from}`; lines that have: {}",
            listed(lines.into_iter())
        ))
    }

    pub(super) fn with_target(&self, target: Target, kind: Option<NameKind>) -> Choice {
        // A type and a value of one name in one scope are companions, exported as one.
        let companions = self.family == Family::Script && kind.is_none();
        let mut uses: Vec<Use> = self
            .from
            .uses
            .iter()
            .filter(|use_| {
                let own = self::target(use_);
                own == target
                    || (companions
                        && self.scope(own).is_some()
                        && self.scope(own) == self.scope(target))
            })
            .copied()
            .collect();
        if kind == Some(NameKind::Any) {
            uses.extend(self.fields());
        }
        match target {
            Target::Field => fields_by_name(self.fields()),
            Target::Path => Choice {
                uses,
                how: "to another module's item".into(),
            },
            Target::Free => Choice {
                uses,
                how: "to a name that is not bound in this file".into(),
            },
            Target::Binding(_) => Choice {
                uses,
                how: "to one binding".into(),
            },
        }
    }

    fn scope(&self, target: Target) -> Option<&Range<usize>> {
        match target {
            Target::Binding(index) => self.from.bindings.get(index).map(|own| &own.scope),
            _ => None,
        }
    }

    /// Without a line, the name at the top level is meant.
    pub(super) fn at_top(&self, kind: Option<NameKind>) -> Result<Choice, Outcome> {
        let wanted = kind.map_or(Spaces::BOUND, spaces_of);
        let bound: Vec<Use> = self
            .from
            .uses
            .iter()
            .filter(|use_| use_.spaces.meets(wanted))
            .copied()
            .collect();
        if self.request.which.all && !bound.is_empty() {
            return Ok(Choice {
                uses: bound,
                how: "to every binding of that name".into(),
            });
        }
        let meant: BTreeSet<usize> = bound
            .iter()
            .filter(|use_| self.is_top(&self.from, use_))
            .filter_map(|use_| use_.root)
            .collect();
        let (top, inner): (Vec<Use>, Vec<Use>) = bound.into_iter().partition(|use_| {
            let linked = use_.root.is_some_and(|root| meant.contains(&root));
            linked || self.is_top(&self.from, use_)
        });
        if !top.is_empty() {
            self.refuse_two_kinds(&top, kind)?;
            let shadowed = match inner.len() {
                0 => String::new(),
                1 => "; 1 use of an inner binding stays".to_owned(),
                count => format!("; {count} uses of inner bindings stay"),
            };
            return Ok(Choice {
                uses: top,
                how: format!("to the top-level name{shadowed}"),
            });
        }
        if !inner.is_empty() {
            return self.local(inner);
        }
        let fields = self.fields();
        let paths = fields.is_empty();
        let left = if paths {
            self.from.uses.clone()
        } else {
            fields
        };
        // A variable's renaming leaves the fields of its name, and theirs other modules' items:
        // they are not what is left of it.
        let is_done = left.iter().any(|use_| self.leads_to_new_name(use_))
            || self
                .to
                .uses
                .iter()
                .any(|use_| paths || use_.spaces.meets(Spaces::BOUND));
        if left.is_empty() || kind.is_some() || is_done {
            return Err(self.nothing());
        }
        Ok(fields_by_name(left))
    }

    /// A name that is bound within functions alone.
    pub(super) fn local(&self, inner: Vec<Use>) -> Result<Choice, Outcome> {
        let (from, to) = (&self.request.from, &self.request.to);
        let bindings: BTreeSet<usize> = inner.iter().filter_map(|use_| use_.root).collect();
        let places = || {
            let at = bindings
                .iter()
                .filter_map(|index| self.from.bindings.get(*index));
            at.map(|binding| binding.at)
        };
        let is_done = self
            .to
            .uses
            .iter()
            .any(|use_| use_.binding.is_some() && self.is_top(&self.to, use_));
        if is_done {
            let lines = listed(places().map(|at| self.file.line(at)));
            return Err(already(format!(
                "`{to}` is at the top level and `{from}` is not; an inner `{from}` is on line {lines}: \
                 give `line` to rename it"
            )));
        }
        if bindings.len() > 1 {
            return Err(self.file.ambiguous(
                format!(
                    "`{from}` is bound {} times, each in a scope of its own; give `line`, or \
                     `\"all\": true`",
                    bindings.len()
                ),
                places(),
            ));
        }
        Ok(Choice {
            uses: inner,
            how: "to the one local binding".into(),
        })
    }

    pub(super) fn is_top(&self, names: &NameUses, use_: &Use) -> bool {
        match use_.binding.and_then(|index| names.bindings.get(index)) {
            Some(binding) => binding.visible == (0..usize::MAX),
            None => use_.horizon == 0,
        }
    }

    /// In Rust, a module and a function of one name are different things; elsewhere a type and
    /// a value of one name are companions.
    pub(super) fn refuse_two_kinds(
        &self,
        top: &[Use],
        kind: Option<NameKind>,
    ) -> Result<(), Outcome> {
        let bindings: BTreeSet<usize> = top.iter().filter_map(|use_| use_.root).collect();
        if self.family != Family::Rust || kind.is_some() || bindings.len() < 2 {
            return Ok(());
        }
        let places: Vec<usize> = bindings
            .iter()
            .filter_map(|index| self.from.bindings.get(*index))
            .map(|binding| binding.at)
            .collect();
        Err(self.file.ambiguous(
            format!(
                "`{}` is a value and a type here; give `kind`: value, type or any",
                self.request.from
            ),
            places,
        ))
    }

    pub(super) fn fields(&self) -> Vec<Use> {
        let fields = self.from.uses.iter().filter(|use_| {
            let key = use_.shape == NameShape::Shorthand && use_.spaces.meets(Spaces::VALUE);
            use_.spaces.meets(Spaces::FIELD) || key
        });
        let all: Vec<Use> = fields
            .map(|use_| Use {
                spaces: Spaces::FIELD,
                ..*use_
            })
            .collect();
        // A shorthand alone is a variable's, whose fields are elsewhere.
        let real = all.iter().any(|use_| use_.shape != NameShape::Shorthand);
        if real { all } else { Vec::new() }
    }

    /// Returns whether what follows is `: to` or `as to`: what a renaming leaves.
    pub(super) fn leads_to_new_name(&self, use_: &Use) -> bool {
        let end = use_.at + self.request.from.len();
        let after = self.file.text.get(end..).unwrap_or_default().trim_start();
        let rest = after
            .strip_prefix(':')
            .or_else(|| after.strip_prefix("as "));
        let to = &self.request.to;
        rest.and_then(|rest| rest.trim_start().strip_prefix(to.as_str()))
            .is_some_and(|rest| !rest.starts_with(is_identifier_part))
    }

    pub(super) fn nothing(&self) -> Outcome {
        let (from, to, path) = (&self.request.from, &self.request.to, self.file.path);
        if self.to.uses.is_empty() {
            return not_found(format!(
                "{path} has no identifier `{from}` of this kind outside strings and comments"
            ));
        }
        let fields = match self.fields().len() {
            0 => String::new(),
            1 => format!("; 1 field `{from}` stays (`\"kind\": \"field\"` renames it)"),
            count => format!("; {count} fields `{from}` stay (`\"kind\": \"field\"` renames them)"),
        };
        already(format!("{path} has `{to}` and no `{from}`{fields}"))
    }
}
