//! Units become PHP.

use super::{Executor, Unit, unit};
use crate::discover::{PlannedClass, PlannedSubject};
use std::path::Path;

const SCRIPT: &str = include_str!("script.php");
const HOOKS: &str = include_str!("hooks.php");
/// The script of a process of which others are forks.
pub(crate) const ZYGOTE: &str = include_str!("zygote.php");

/// What a variant's script is made from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code<'a> {
    pub(crate) executor: &'a Executor,
    pub(crate) bootstrap: Option<&'a Path>,
    pub(crate) class: &'a PlannedClass,
    pub(crate) subject: &'a PlannedSubject,
    /// Parameters, as PHP serialized them, in hexadecimal.
    pub(crate) parameters: &'a str,
}

/// Which part of the units is rendered, and on which subject.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All of it, on the user's subject.
    Sample,
    /// What is around the call, on an empty subject.
    Empty,
    /// The same with the warm-up.
    Twin,
    /// The outermost unit around the call, with nothing in it.
    Clock,
}

impl Code<'_> {
    /// The script.
    pub(crate) fn script(&self) -> String {
        SCRIPT
            .replace("{{ clock }}", &self.function("phperf_clock", Part::Clock))
            .replace("{{ empty }}", &self.function("phperf_empty", Part::Empty))
            .replace("{{ twin }}", &self.function("phperf_twin", Part::Twin))
            .replace("{{ sample }}", &self.function("phperf_sample", Part::Sample))
            .replace(
                "{{ empty_signature }}",
                if self.takes_parameters() {
                    "($parameters)"
                } else {
                    "()"
                },
            )
            .replace("{{ class }}", &format!("\\{}", self.class.name))
            .replace("{{ bootstrap }}", &bootstrap(self.bootstrap))
            .replace("{{ file }}", &text(&self.class.file.to_string_lossy()))
            .replace(
                "{{ parameters }}",
                &if self.takes_parameters() {
                    // In hexadecimal, so that nothing in them is taken for a placeholder or an end of the text.
                    format!("unserialize(hex2bin('{}'))", hex_only(self.parameters))
                } else {
                    "[]".into()
                },
            )
    }

    /// The script with an empty subject in the user's place, for counters that cannot be read from inside.
    pub(crate) fn empty_script(&self) -> String {
        let sample = self.function("phperf_sample", Part::Empty);
        SCRIPT
            .replace("{{ clock }}", &self.function("phperf_clock", Part::Clock))
            .replace("{{ empty }}", &self.function("phperf_empty", Part::Empty))
            .replace("{{ twin }}", &self.function("phperf_twin", Part::Twin))
            .replace("{{ sample }}", &sample)
            .replace(
                "{{ empty_signature }}",
                if self.takes_parameters() {
                    "($parameters)"
                } else {
                    "()"
                },
            )
            .replace("{{ class }}", "PhperfEmptySubject")
            .replace("{{ bootstrap }}", "")
            .replace("require_once {{ file }};", "")
            .replace(
                "{{ parameters }}",
                if self.takes_parameters() { "[1]" } else { "[]" },
            )
    }

    fn takes_parameters(&self) -> bool {
        !self.parameters.is_empty()
    }

    fn function(&self, name: &str, part: Part) -> String {
        let mut body = String::new();
        for unit in &self.executor.units {
            let warms = part == Part::Twin && unit.template.contains(unit::CALL);
            if part == Part::Sample || unit.calls() || warms {
                body.push_str(&self.unit(unit, part));
                body.push('\n');
            }
        }
        format!(
            "function {name}($subject, $parameters, $revs, $warmup)\n{{\n    $result = [];\n{}\n    return $result;\n}}\n",
            indent(body.trim_end(), "    ")
        )
    }

    fn unit(&self, unit: &Unit, part: Part) -> String {
        let mut children = String::new();
        for child in &unit.children {
            if part == Part::Sample || (part != Part::Clock && child.calls()) {
                children.push_str(&self.unit(child, part));
                children.push('\n');
            }
        }
        let fill = |line: &str| -> String {
            let margin: String = line.chars().take_while(|c| c.is_whitespace()).collect();
            let (before, after) = (&self.subject.before_methods, &self.subject.after_methods);
            match line.trim() {
                unit::CHILDREN => indent(children.trim_end(), &margin),
                unit::CALL => format!("{margin}{}", self.call(part)),
                "{{ before_methods }}" => indent(&hooks_on("$subject", before), &margin),
                "{{ after_methods }}" => indent(&hooks_on("$subject", after), &margin),
                _ => line.to_owned(),
            }
        };
        unit.template.lines().map(fill).collect::<Vec<_>>().join("\n")
    }

    /// A literal call. What it returns is kept until the next one, so that it counts as used.
    fn call(&self, part: Part) -> String {
        let parameters = if self.takes_parameters() {
            "$parameters"
        } else {
            ""
        };
        let method = if part == Part::Sample {
            self.subject.name.as_str()
        } else {
            "run"
        };
        format!("$returned = $subject->{method}({parameters});")
    }
}

/// A script that calls static methods of a class.
pub(crate) fn hooks(class: &PlannedClass, methods: &[String], bootstrap_path: Option<&Path>) -> String {
    let calls: Vec<_> = methods
        .iter()
        .map(|method| format!("\\{}::{method}();", class.name))
        .collect();
    HOOKS
        .replace("{{ bootstrap }}", &bootstrap(bootstrap_path))
        .replace("{{ file }}", &text(&class.file.to_string_lossy()))
        .replace("{{ hooks }}", &calls.join("\n        "))
}

fn hooks_on(target: &str, methods: &[String]) -> String {
    let calls: Vec<_> = methods
        .iter()
        .map(|method| format!("{target}->{method}($parameters);"))
        .collect();
    calls.join("\n")
}

fn bootstrap(path: Option<&Path>) -> String {
    // In a function, so that its variables are its own.
    path.map_or(String::new(), |path| {
        format!(
            "(static function () {{ require_once {}; }})();",
            text(&path.to_string_lossy())
        )
    })
}

fn hex_only(hex: &str) -> String {
    hex.chars().filter(char::is_ascii_hexdigit).collect()
}

/// A text as a literal of PHP.
fn text(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn indent(text: &str, margin: &str) -> String {
    text.lines()
        .map(|line| format!("{margin}{line}"))
        .collect::<Vec<_>>()
        .join("\n")
}
