//! Counts while it records; draws at the end.

use super::{
    METADATA, METADATA_END,
    colour::Class,
    frame::{Legend, Taller},
};
use crate::{
    Exporter, Recording, Seen,
    counts::{self, Counts},
    describe,
    folded::{Label, Stack, write_annotated},
    native,
};
use inferno::flamegraph::{self, Options, color::PaletteMap};
use profile::{FunctionId, State, Symbols};
use std::{
    fmt::{self, Write as _},
    io::{self, Write},
};

/// Counts while it records, and draws at the end.
#[derive(Debug, Default)]
pub struct Svg {
    counts: Counts,
}

impl Exporter for Svg {
    fn add(&mut self, _: &Symbols, seen: &Seen, _: &mut dyn Write) -> io::Result<()> {
        self.counts.add(seen);
        Ok(())
    }

    fn finish(&mut self, symbols: &Symbols, recording: &Recording, out: &mut dyn Write) -> io::Result<()> {
        let (lines, mut palette) = self.lines(symbols);
        let mut options = options(recording);
        options.palette_map = Some(&mut palette);
        let mut picture = Taller::new(&mut *out);
        if lines.is_empty() {
            empty(recording, &mut picture)?;
        } else {
            flamegraph::from_lines(&mut options, lines.lines(), &mut picture)?;
        }
        drop(lines);
        let has_c = symbols
            .functions()
            .any(|function| native::mark(function).is_some());
        let of_c = Class::LEGEND_OF_C.into_iter().filter(|_| has_c);
        let swatches: Vec<_> = Class::LEGEND
            .into_iter()
            .chain(of_c)
            .map(|(class, words)| {
                let colour = class.colour("");
                ([colour.r, colour.g, colour.b], words)
            })
            .collect();
        let legend = Legend {
            swatches: &swatches,
            // There is room for no more.
            remark: if has_c {
                "Width is time. Click to zoom."
            } else {
                "Width is time. What a box called stands on it. Click to zoom."
            },
        };
        picture.finish(&legend, |out| {
            out.write_all(METADATA.as_bytes())?;
            write_annotated(
                &self.counts,
                symbols,
                recording,
                &mut Cdata {
                    out: &mut *out,
                    brackets: 0,
                },
            )?;
            out.write_all(METADATA_END.as_bytes())
        })?;
        out.flush()
    }
}

impl Svg {
    /// The stacks as inferno wants them, those that waited with a box for that on top; and each name's colour.
    fn lines(&self, symbols: &Symbols) -> (String, PaletteMap) {
        let mut lines = String::new();
        let mut palette = PaletteMap::default();
        palette.insert("", Class::All.colour(""));
        let mut seen = vec![false; symbols.functions().len()];
        for state in [
            None,
            Some(State::OnCpu),
            Some(State::Runnable),
            Some(State::Blocked),
        ] {
            let counts = self.counts.iter().filter(|(key, _)| key.labels.state == state);
            let on_top = state.and_then(Class::of_state);
            for (path, count) in counts::by_path(symbols, counts.map(|(key, count)| (key.stack, count))) {
                for &id in &path {
                    colour(&mut palette, &mut seen, symbols, id);
                }
                let _ = write!(XmlSafe(&mut lines), "{}", Stack(symbols, &path));
                if let Some((class, name)) = on_top {
                    palette.insert(name, class.colour(""));
                    let _ = write!(lines, ";{name}");
                }
                let _ = writeln!(lines, " {count}");
            }
        }
        (lines, palette)
    }
}

fn colour(palette: &mut PaletteMap, seen: &mut [bool], symbols: &Symbols, id: FunctionId) {
    if std::mem::replace(&mut seen[id.index()], true) {
        return;
    }
    let function = symbols.function(id);
    let mut label = String::new();
    let _ = write!(XmlSafe(&mut label), "{}", Label(function));
    let colour = Class::from(function.kind).colour(&label);
    palette.insert(label, colour);
}

fn options<'a>(recording: &Recording) -> Options<'a> {
    let mut options = plain_options();
    options.title = describe::shorten(&xml_safe(&recording.title), 90);
    options.subtitle = Some(describe::shorten(&xml_safe(&recording.subtitle), 150));
    options
}

/// How every picture looks.
pub fn plain_options<'a>() -> Options<'a> {
    let mut options = Options::default();
    options.count_name = "samples".into();
    options.bgcolors = "#ffffff".parse().ok();
    options.deterministic = true;
    // Wide enough for the fonts that stand in for monospace where the script does not run.
    options.font_width = 0.61;
    options
}

/// A title that XML can have.
pub fn xml_safe(text: &str) -> String {
    let mut safe = String::new();
    let _ = write!(XmlSafe(&mut safe), "{text}");
    safe.replace(profile::is_unprintable, " ")
}

/// A picture for a recording that saw no PHP code; it says so.
fn empty(recording: &Recording, out: &mut dyn Write) -> io::Result<()> {
    let escape = |text: &str| {
        text.replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
    };
    let options = options(recording);
    write!(
        out,
        "<?xml version=\"1.0\" standalone=\"no\"?><svg version=\"1.1\" width=\"1200\" height=\"110\" \
         viewBox=\"0 0 1200 110\" xmlns=\"http://www.w3.org/2000/svg\"><style>text {{ font-family:monospace; \
         font-size:12px }}</style><text x=\"50%\" y=\"24\" text-anchor=\"middle\">{}</text><text x=\"50%\" \
         y=\"48\" text-anchor=\"middle\">{}</text><text x=\"50%\" y=\"80\" text-anchor=\"middle\">{}</text></svg>",
        escape(&options.title),
        escape(&options.subtitle.unwrap_or_default()),
        recording.why_empty,
    )
}

/// Text without the two characters that XML has no way to write; controls are escaped before.
pub struct XmlSafe<'a>(pub &'a mut String);

impl fmt::Write for XmlSafe<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let safe = |char| {
            if matches!(char, '\u{fffe}' | '\u{ffff}') {
                char::REPLACEMENT_CHARACTER
            } else {
                char
            }
        };
        self.0.extend(text.chars().map(safe));
        Ok(())
    }
}

/// A writer into a CDATA section: `]]>`, which would end it, is parted between two sections.
struct Cdata<W> {
    out: W,
    /// How many `]` came last.
    brackets: u32,
}

impl<W: Write> Write for Cdata<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = 0;
        for (at, &byte) in bytes.iter().enumerate() {
            if byte == b'>' && self.brackets >= 2 {
                self.out.write_all(&bytes[rest..at])?;
                self.out.write_all(b"]]><![CDATA[")?;
                rest = at;
            }
            // The two characters that XML has no way to write; texts are never parted within a character.
            if matches!(bytes.get(at..at + 3), Some([0xef, 0xbf, 0xbe | 0xbf])) {
                self.out.write_all(&bytes[rest..at])?;
                self.out.write_all("\u{fffd}".as_bytes())?;
                rest = at + 3;
            }
            self.brackets = if byte == b']' { self.brackets + 1 } else { 0 };
        }
        self.out.write_all(&bytes[rest..])?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
