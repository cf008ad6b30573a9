//! Tables for a browser: one page that needs nothing else.

use crate::report::{Cell, Table};
use std::io::{self, Write};

const HEAD: &str = "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>phperf bench</title>
<style>
:root { color-scheme: light dark; }
body { font: 14px/1.4 system-ui, sans-serif; margin: 2em; }
table { border-collapse: collapse; margin: 0 0 2em; }
caption { text-align: left; font-weight: bold; padding: .5em 0; }
th, td { border-bottom: 1px solid #8886; padding: .25em .75em; text-align: left; white-space: nowrap; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
</style>
</head>
<body>
<h1>phperf bench</h1>
";

/// Writes tables as a page.
pub fn html(tables: &[Table], out: &mut dyn Write) -> io::Result<()> {
    out.write_all(HEAD.as_bytes())?;
    for table in tables {
        writeln!(out, "<table>")?;
        if !table.title.is_empty() {
            writeln!(out, "<caption>{}</caption>", escaped(&table.title))?;
        }
        write!(out, "<thead><tr>")?;
        for name in &table.columns {
            write!(out, "<th>{}</th>", escaped(name))?;
        }
        writeln!(out, "</tr></thead>\n<tbody>")?;
        for row in &table.rows {
            write!(out, "<tr>")?;
            for Cell { text, value } in row {
                let class = if value.is_number() {
                    " class=\"number\""
                } else {
                    ""
                };
                write!(out, "<td{class}>{}</td>", escaped(text))?;
            }
            writeln!(out, "</tr>")?;
        }
        writeln!(out, "</tbody></table>")?;
    }
    writeln!(out, "</body>\n</html>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
