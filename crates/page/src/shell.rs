//! What is around the contents of every page.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Nothing but what is in the file itself is ever loaded, whatever a name in it holds.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// A whole page.
pub fn page(title: &str, contents: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { (title) }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                main { (contents) }
                script { (PreEscaped(include_str!("sort.js"))) }
            }
        }
    }
}
