//! What samples are labelled with besides their stack: texts under names from a closed list.

/// The longest text of a label, in bytes; what is longer is cut, and ends in `…`.
pub const LONGEST_TEXT: usize = 1024;

/// The name of a text that a sample is labelled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Label {
    /// The method of the request: `GET`.
    Method,
    /// The request's URI without its query: `/cart/add`.
    Uri,
    /// The script that serves the request: `/srv/app/index.php`.
    Script,
    /// The request's query, without the question mark. May be secret.
    Query,
    /// The request's cookies. May be secret.
    Cookie,
    /// When the request began, in seconds since 1970: `1763827200.123456`.
    Began,
    /// What kind of thing a wait waits for.
    Wait,
    /// The system call that waits.
    Syscall,
    /// The file for which it waits.
    File,
    /// The other end of the connection for which it waits.
    Peer,
    /// What was seen in variables. May be secret.
    Peek,
}

impl Label {
    /// Every name.
    pub const ALL: [Self; 11] = [
        Self::Method,
        Self::Uri,
        Self::Script,
        Self::Query,
        Self::Cookie,
        Self::Began,
        Self::Wait,
        Self::Syscall,
        Self::File,
        Self::Peer,
        Self::Peek,
    ];

    /// The name in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Method => "method",
            Self::Uri => "uri",
            Self::Script => "script",
            Self::Query => "query",
            Self::Cookie => "cookie",
            Self::Began => "began",
            Self::Wait => "wait",
            Self::Syscall => "syscall",
            Self::File => "file",
            Self::Peer => "peer",
            Self::Peek => "peek",
        }
    }

    /// The label that [`Label::name`] calls `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.name() == name)
    }
}

/// `text`, cut to [`LONGEST_TEXT`] bytes.
pub(crate) fn bounded(text: &str) -> std::borrow::Cow<'_, str> {
    const CUT: &str = "…";
    if text.len() <= LONGEST_TEXT {
        return text.into();
    }
    let mut end = LONGEST_TEXT - CUT.len();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    [&text[..end], CUT].concat().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_one_label() {
        for label in Label::ALL {
            assert_eq!(Label::from_name(label.name()), Some(label));
        }
        assert_eq!(Label::from_name("pid"), None);
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let text = "é".repeat(LONGEST_TEXT);
        let cut = bounded(&text);
        assert!(cut.len() <= LONGEST_TEXT && cut.ends_with("é…"));
        assert_eq!(bounded(&cut), cut);
        assert_eq!(bounded("/é"), "/é");
    }
}
