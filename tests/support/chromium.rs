//! A browser, for tests of what is made for one.
//!
//! Without Chromium these tests are skipped, and say so; with `PHPERF_REQUIRE_TOOLS` set they fail.

#![allow(dead_code, reason = "each test uses a part of it")]

use crate::support::Killed;
use serde_json::Value;
use std::{
    env, fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

/// Far more than it takes on the slowest machine; then it hangs.
const BROWSER_WITHIN: Duration = Duration::from_secs(120);

/// By itself, without a display, and without asking anything of anybody.
const FLAGS: [&str; 13] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-device-scale-factor=1",
    "--window-size=1200,600",
    // Timers fire without waiting: the picture's script fits it to the window in one.
    "--virtual-time-budget=5000",
];

/// A browser with a profile of its own.
pub struct Browser {
    program: PathBuf,
    folder: tempfile::TempDir,
    /// More of what it is started with.
    pub flags: Vec<String>,
}

impl Browser {
    /// `None`, with a message, where there is none.
    pub fn find() -> Option<Self> {
        let folders = env::var_os("PATH").unwrap_or_default();
        let program = ["chromium", "chromium-browser", "google-chrome"]
            .iter()
            .flat_map(|name| env::split_paths(&folders).map(move |folder| folder.join(name)))
            .find(|path| path.is_file());
        if program.is_none() {
            assert!(
                env::var_os("PHPERF_REQUIRE_TOOLS").is_none(),
                "there is no chromium: scripts/setup.sh test installs it"
            );
            eprintln!("not tested: there is no chromium");
        }
        Some(Self {
            program: program?,
            folder: tempfile::tempdir().expect("a folder"),
            flags: Vec::new(),
        })
    }

    /// What it prints when it opens `page`.
    fn open(&self, page: &Path, task: &str) -> String {
        let complaints = self.folder.path().join("stderr");
        let mut child = Killed(
            Command::new(&self.program)
                .args(FLAGS)
                .args(&self.flags)
                .arg(format!("--user-data-dir={}", self.folder.path().display()))
                .arg(task)
                .arg(format!("file://{}", page.display()))
                .env("HOME", self.folder.path())
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(fs::File::create(&complaints).unwrap())
                .spawn()
                .expect("the browser starts"),
        );
        let mut stdout = child.0.stdout.take().unwrap();
        let (sender, printed) = mpsc::channel();
        thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stdout.read_to_end(&mut text);
            sender.send(text)
        });
        let text = printed.recv_timeout(BROWSER_WITHIN).unwrap_or_else(|_| {
            panic!(
                "the browser hangs: {}",
                fs::read_to_string(&complaints).unwrap_or_default()
            )
        });
        let status = child.0.wait().unwrap();
        assert!(
            status.success(),
            "{status}: {}",
            fs::read_to_string(&complaints).unwrap_or_default()
        );
        String::from_utf8(text).expect("a browser prints UTF-8")
    }

    /// The elements of `svg` as they are once its own script has run.
    pub fn dom(&self, svg: &Path) -> String {
        self.open(svg, "--dump-dom")
    }

    /// A picture of it, in RGB.
    pub fn screenshot(&self, svg: &Path) -> Picture {
        let file = self.folder.path().join("picture.png");
        self.open(svg, &format!("--screenshot={}", file.display()));
        Picture::read(&file)
    }

    /// What `probe`, the body of a function, returns when it runs in `document`, an SVG or a page, after its own script.
    /// Neither script may fail.
    pub fn ask(&self, document: &str, probe: &str) -> Value {
        let (end, name, [open, close]) = if document.contains("</html>") {
            ("</body>", "page.html", ["", ""])
        } else {
            ("</svg>", "page.svg", ["<![CDATA[", "]]>"])
        };
        let script = format!(
            "<script>{open}
                const errors = [];
                window.addEventListener('error', event => errors.push(event.message));
                window.addEventListener('load', () => setTimeout(() => {{
                    const probe = () => {{ {probe} }};
                    let found = null;
                    try {{ found = probe(); }} catch (error) {{ errors.push(String(error)); }}
                    const text = JSON.stringify({{ found, errors }});
                    const answer = document.createElementNS('http://www.w3.org/2000/svg', 'metadata');
                    answer.id = 'answer';
                    // Nothing that would be escaped when it is printed.
                    answer.textContent = text.replace(/[<>&]/g, c => '\\\\u00' + c.charCodeAt(0).toString(16));
                    document.documentElement.append(answer);
                }}, 0));
            {close}</script>"
        );
        let (contents, rest) = document.rsplit_once(end).expect("a whole document");
        let page = self.folder.path().join(name);
        fs::write(&page, format!("{contents}{script}{end}{rest}")).unwrap();
        let dom = self.dom(&page);
        let answer = dom
            .split_once("<metadata id=\"answer\">")
            .and_then(|(_, rest)| rest.split_once("</metadata>"))
            .unwrap_or_else(|| panic!("no answer in {dom}"));
        let answer: Value = serde_json::from_str(answer.0).expect("an answer is JSON");
        assert_eq!(answer["errors"], serde_json::json!([]), "{answer}");
        answer["found"].clone()
    }
}

/// The strings of an array in an answer.
pub fn strings(array: &Value) -> Vec<&str> {
    let values = array.as_array().expect("it is an array");
    values.iter().filter_map(Value::as_str).collect()
}

/// What a screen would show.
pub struct Picture {
    pub width: usize,
    rgb: Vec<u8>,
}

impl Picture {
    fn read(file: &Path) -> Self {
        let file = std::io::BufReader::new(fs::File::open(file).expect("a screenshot"));
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!(info.bit_depth, png::BitDepth::Eight);
        let samples = info.color_type.samples();
        assert!(samples >= 3, "a picture in colour");
        let rgb = bytes[..info.buffer_size()]
            .chunks_exact(samples)
            .flat_map(|pixel| &pixel[..3])
            .copied()
            .collect();
        Self {
            width: info.width as usize,
            rgb,
        }
    }

    /// The most pixels of a colour that stand in one row.
    pub fn longest(&self, is_meant: impl Fn([u8; 3]) -> bool) -> usize {
        self.rgb
            .chunks_exact(3 * self.width)
            .map(|row| {
                row.chunks_exact(3)
                    .filter(|pixel| is_meant([pixel[0], pixel[1], pixel[2]]))
                    .count()
            })
            .max()
            .unwrap_or(0)
    }
}
