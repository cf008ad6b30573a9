//! `phperf diff`.

use crate::{
    UsageError,
    args::{self, By, Shape},
    saved,
    wanted::Wanted,
};
use anyhow::Result;
use export::{Diff, Format, Scale};
use std::path::Path;

/// Prints what changed, and draws it.
pub fn run(asked: &args::Diff) -> Result<u8> {
    let selection = saved::selection(&asked.selection)?;
    if let Some(output) = &asked.output {
        saved::keep(&asked.a, output)?;
        saved::keep(&asked.b, output)?;
    }
    let picture = asked.output.as_deref().map(picture).transpose()?;
    let (a, b) = (
        saved::read(&asked.a, &selection)?,
        saved::read(&asked.b, &selection)?,
    );
    let scale = match asked.by {
        By::Samples => Scale::Samples,
        By::Time => Scale::Time,
    };
    let diff = Diff::new(&a, &b, scale).map_err(|error| UsageError(error.to_string()))?;
    saved::print(|out| match asked.format {
        Shape::Text => diff.write_text(saved::width(), saved::rows(asked.top), out),
        Shape::Json => diff.write_json(out),
    })?;
    if let Some(picture) = picture {
        let path = picture.path().to_owned();
        picture.write(|out| diff.write_svg(&a, &b, out))?;
        eprintln!("wrote {} (svg)", path.display());
    }
    Ok(0)
}

/// The file for the picture, which can only be a flame graph.
fn picture(path: &Path) -> Result<Wanted> {
    if !Format::Svg.is_built() {
        return Err(UsageError(export::FormatError::NotBuilt(Format::Svg).to_string()).into());
    }
    if path.as_os_str() == "-" || Format::from_path(path) != Ok(Format::Svg) {
        return Err(UsageError(format!(
            "{} is no name for a flame graph: give -o a file that ends in .svg",
            path.display()
        ))
        .into());
    }
    Wanted::open(path, "-o")
}
