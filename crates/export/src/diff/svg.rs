//! The comparison as a flame graph: as wide as in B, red where a function by itself takes more
//! than in A, blue where it takes less. A wait is time of the function that waits.

use super::{Diff, Scale};
use crate::{
    Saved, counts,
    describe::{self, WRITER},
    folded::Stack,
    svg::{Legend, Taller, XmlSafe, xml_safe},
};
use inferno::flamegraph::{self, Options};
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{self, Write},
};

/// What the colours mean.
const LEGEND: Legend = Legend {
    swatches: &[
        ([255, 130, 130], "by itself more in B than in A"),
        ([250, 250, 250], "as much"),
        ([130, 130, 255], "less"),
    ],
    remark: "Width is B, with what it called. Click to zoom.",
};

impl Diff {
    /// Draws the samples of both. What is in A alone has no width; the table has it.
    pub fn write_svg(&self, a: &Saved, b: &Saved, out: &mut dyn Write) -> io::Result<()> {
        let mut stacks: BTreeMap<String, [u64; 2]> = BTreeMap::new();
        for (side, saved) in [a, b].into_iter().enumerate() {
            for row in &saved.rows {
                let mut line = String::new();
                let path = counts::path(&saved.symbols, row.stack);
                let _ = write!(XmlSafe(&mut line), "{}", Stack(&saved.symbols, &path));
                let count = &mut stacks.entry(line).or_default()[side];
                *count = count.saturating_add(row.count);
            }
        }
        // As many samples as A would have, had it been recorded as B was.
        let factor = self.a.share / self.b.share;
        let lines: Vec<String> = stacks
            .iter()
            .map(|(stack, [a, b])| format!("{stack} {} {b}", (*a as f64 * factor).round()))
            .collect();
        let mut options = self.options();
        let mut picture = Taller::new(&mut *out);
        flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), &mut picture)?;
        picture.finish(&LEGEND, |_| Ok(()))?;
        out.flush()
    }

    fn options<'a>(&self) -> Options<'a> {
        let title = |title: &Option<String>| title.as_deref().map_or("?", str::trim).to_owned();
        let (a, b) = (title(&self.a.title), title(&self.b.title));
        let what = if a == b {
            format!("{b}: before (A) and after (B)")
        } else {
            format!(
                "A: {} · B: {}",
                describe::shorten(&a, 40),
                describe::shorten(&b, 40)
            )
        };
        let by = match self.scale {
            Scale::Samples => "A scaled to as many samples as B",
            Scale::Time => "A scaled to the time that B was recorded",
        };
        let mut options = crate::svg::plain_options();
        options.title = describe::shorten(&xml_safe(&what), 90);
        options.subtitle = Some(format!(
            "A {} samples · B {} samples · {by} · {WRITER}",
            self.a.samples, self.b.samples
        ));
        options
    }
}
