//! Runs in files: phperf's own JSON, or `PHPBench`'s XML.

use crate::{
    model::{FORMAT, Suite},
    xml::{self, XmlError},
};

/// Why a file holds no runs: one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is other JSON.
    #[error("it is no run that phperf wrote with --json: {0}")]
    Json(String),
    /// Another phperf wrote it.
    #[error("it is of format {0}, which this phperf does not know: use a newer phperf")]
    Format(u32),
    /// It is no XML of `PHPBench`.
    #[error(transparent)]
    Xml(#[from] XmlError),
}

/// The runs in a file that `--json` or `PHPBench` wrote.
pub fn read(text: &str) -> Result<Vec<Suite>, ReadError> {
    if !text.trim_start().starts_with('{') {
        return Ok(xml::read(text)?);
    }
    let suite: Suite = serde_json::from_str(text).map_err(|error| ReadError::Json(error.to_string()))?;
    if suite.format != FORMAT {
        return Err(ReadError::Format(suite.format));
    }
    Ok(vec![suite])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{output, testing::suite};

    #[test]
    fn json_comes_back_as_it_was_and_anything_else_is_refused() {
        let mut text = Vec::new();
        output::suite(&suite(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(read(&text).unwrap(), [suite()]);
        assert_eq!(
            read(&text.replace("\"format\": 1", "\"format\": 7")),
            Err(ReadError::Format(7))
        );
        assert!(matches!(read("{\"a\": 1}"), Err(ReadError::Json(_))));
        assert!(matches!(read("odd"), Err(ReadError::Xml(_))));
        let mut text = Vec::new();
        xml::write(&suite(), &mut text).unwrap();
        assert_eq!(read(&String::from_utf8(text).unwrap()).unwrap().len(), 1);
    }
}
