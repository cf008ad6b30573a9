//! Requests as the view shows them, each once, as many as there is room for.

use foldhash::{HashMap, HashSet};
use profile::{ContextId, Label, Symbols, harmless};
use std::{fmt::Write, sync::Arc};

/// So many that were seen lately are told apart.
const MOST: usize = 1 << 12;

/// A request: what was asked for, not one time that it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RequestId(u32);

impl RequestId {
    /// No request, as far as is known.
    pub const NONE: Self = Self(0);
    /// One for which there was no room.
    pub const OTHER: Self = Self(1);
    const FIRST: u32 = 2;
}

/// The texts of requests: `GET /cart`.
#[derive(Debug, Default)]
pub struct Requests {
    ids: HashMap<Arc<str>, RequestId>,
    /// How many ids were given.
    given: u32,
    text: String,
}

impl Requests {
    /// The request of a sample with this context.
    pub fn id(&mut self, symbols: &Symbols, context: ContextId) -> RequestId {
        self.text.clear();
        let mut path = None;
        for (label, text) in symbols.context(context) {
            match label {
                Label::Method => self.text.push_str(text),
                // The command line's PHP has a script and no URI.
                Label::Uri => path = Some(text),
                Label::Script => path = path.or(Some(text)),
                _ => {}
            }
        }
        if let Some(path) = path {
            let space = if self.text.is_empty() { "" } else { " " };
            let _ = write!(self.text, "{space}{path}");
        }
        if self.text.is_empty() {
            return RequestId::NONE;
        }
        if let Some(&id) = self.ids.get(&*self.text) {
            return id;
        }
        if self.ids.len() == MOST {
            return RequestId::OTHER;
        }
        let id = RequestId(RequestId::FIRST.wrapping_add(self.given));
        self.given = self.given.wrapping_add(1);
        self.ids.insert(self.text.as_str().into(), id);
        id
    }

    /// Forgets all but these.
    pub fn keep(&mut self, known: &HashSet<RequestId>) {
        self.ids.retain(|_, id| known.contains(id));
    }

    /// What these are called.
    pub fn texts(&self, wanted: &HashSet<RequestId>) -> HashMap<RequestId, String> {
        let of_all = [
            (RequestId::NONE, "(none)"),
            (RequestId::OTHER, "(others, for which there was no room)"),
        ];
        let named = self.ids.iter().map(|(text, &id)| (id, &**text));
        named
            .chain(of_all)
            .filter(|(id, _)| wanted.contains(id))
            .map(|(id, text)| (id, harmless(text)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_told_apart_until_there_is_no_room() {
        let mut symbols = Symbols::default();
        let mut requests = Requests::default();
        let mut id = |requests: &mut Requests, labels: &[(Label, &str)]| {
            let context = symbols.extend_context(ContextId::NONE, labels);
            requests.id(&symbols, context)
        };
        assert_eq!(id(&mut requests, &[(Label::Wait, "sleep")]), RequestId::NONE);
        let cart = [
            (Label::Method, "GET"),
            (Label::Uri, "/cart"),
            (Label::Script, "/srv/index.php"),
        ];
        let first = id(&mut requests, &cart);
        let other = id(&mut requests, &[(Label::Script, "/srv/cron.php")]);
        assert_ne!(first, other);
        let texts = requests.texts(&[first, other, RequestId::NONE].into_iter().collect());
        assert_eq!((texts.len(), &*texts[&first]), (3, "GET /cart"));
        assert_eq!(texts[&other], "/srv/cron.php");
        for number in 0..MOST {
            id(&mut requests, &[(Label::Uri, &number.to_string())]);
        }
        let known = id(&mut requests, &cart);
        assert_eq!(known, first);
        assert_eq!(id(&mut requests, &[(Label::Uri, "/late")]), RequestId::OTHER);
        requests.keep(&[first].into_iter().collect());
        assert_eq!(id(&mut requests, &cart), first);
        assert_ne!(id(&mut requests, &[(Label::Uri, "/late")]), RequestId::OTHER);
    }
}
