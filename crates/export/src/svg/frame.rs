//! Adds to a picture what inferno does not draw: a legend below, and data that is not seen.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// Height of the legend, in the picture's units.
const LEGEND: usize = 26;

/// How far the head of a picture is looked for in vain before it is let through as it is.
const MAX_HEAD: usize = 64 << 10;

/// Lets a picture through, made taller in its head; and keeps its end back, so that there is room before it.
pub struct Taller<W: Write> {
    out: W,
    /// What was not let through yet: all of it while the head is incomplete, then the last bytes.
    held: Vec<u8>,
    /// The picture's height before, once its head has told it.
    height: Option<usize>,
}

/// The end of a picture.
const END: &[u8] = b"</svg>";

impl<W: Write> Taller<W> {
    pub const fn new(out: W) -> Self {
        Self {
            out,
            held: Vec::new(),
            height: None,
        }
    }

    /// Draws the legend, has `inside` write into the picture, and ends it.
    pub fn finish(
        mut self,
        legend: &Legend,
        inside: impl FnOnce(&mut W) -> io::Result<()>,
    ) -> io::Result<()> {
        let end = self
            .held
            .windows(END.len())
            .rposition(|bytes| bytes == END)
            .unwrap_or(self.held.len());
        self.out.write_all(&self.held[..end])?;
        if let Some(height) = self.height {
            self.out.write_all(draw(legend, height).as_bytes())?;
        }
        inside(&mut self.out)?;
        self.out.write_all(&self.held[end..])?;
        self.out.write_all(b"\n")
    }

    fn change_head(&mut self) {
        let text = String::from_utf8_lossy(&self.held);
        let Some((attributes, height)) = height(&text) else {
            return;
        };
        let taller = attributes
            .replacen(
                &format!("height=\"{height}\""),
                &format!("height=\"{}\"", height + LEGEND),
                1,
            )
            .replacen(
                &format!(" {height}\" xmlns"),
                &format!(" {}\" xmlns", height + LEGEND),
                1,
            );
        let head = text.replacen(attributes, &taller, 1);
        self.held = head.into_bytes();
        self.height = Some(height);
    }
}

/// The picture's opening tag and its height, if it is all there.
fn height(text: &str) -> Option<(&str, usize)> {
    let start = text.find("<svg ")?;
    let length = text[start..].find('>')?;
    let tag = &text[start..start + length];
    let value = tag.split_once(" height=\"")?.1.split_once('"')?.0;
    Some((tag, value.parse().ok()?))
}

impl<W: Write> Write for Taller<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.height.is_none() && self.held.len() < MAX_HEAD {
            self.change_head();
        }
        if self.height.is_some() || self.held.len() >= MAX_HEAD {
            let keep = self.held.len().saturating_sub(END.len() + 2);
            self.out.write_all(&self.held[..keep])?;
            self.held.drain(..keep);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// What the colours mean, and how to read the picture.
pub struct Legend<'a> {
    /// Colours with their words.
    pub swatches: &'a [([u8; 3], &'a str)],
    pub remark: &'a str,
}

/// The legend, below everything else.
fn draw(legend: &Legend, top: usize) -> String {
    let mut drawn = format!(
        "<style>#title {{ font-weight:bold }} #search {{ opacity:0.6 }}</style><g id=\"legend\"><rect x=\"0\" y=\"{top}\" width=\"100%\" height=\"{LEGEND}\" fill=\"#f3f4f8\"/>"
    );
    let mut x = 10;
    for ([red, green, blue], words) in legend.swatches {
        // Writing into a string cannot fail.
        let _ = write!(
            drawn,
            "<rect x=\"{x}\" y=\"{}\" width=\"12\" height=\"12\" rx=\"2\" fill=\"rgb({red},{green},{blue})\"/>\
             <text x=\"{}\" y=\"{}\">{words}</text>",
            top + 7,
            x + 17,
            top + 17
        );
        x += 17 + words.len() * 8 + 14;
    }
    let _ = write!(
        drawn,
        "<text x=\"{x}\" y=\"{}\">{}</text></g>",
        top + 17,
        legend.remark
    );
    drawn
}
