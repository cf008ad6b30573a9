//! A `FastCGI` client over a Unix socket: one request per connection, as small as PHP-FPM lets it be.

use crate::Error;
use std::{
    io::{Read, Write},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
};

const VERSION: u8 = 1;
const BEGIN: u8 = 1;
const END: u8 = 3;
const PARAMS: u8 = 4;
const STDIN: u8 = 5;
const STDOUT: u8 = 6;
const STDERR: u8 = 7;
/// The role of a program that answers requests.
const RESPONDER: u8 = 1;
/// Every request has a connection of its own, so that all of them can be number 1.
const REQUEST_ID: u16 = 1;
/// The content that one record can carry.
const CONTENT_MAX: usize = 0xffff;

/// A request for one script.
#[derive(Clone, Debug)]
pub struct Request {
    parameters: Vec<(String, String)>,
}

impl Request {
    /// `GET` of the script at this path, with a query such as `name=world`.
    pub fn get(script: impl Into<PathBuf>, query: &str) -> Self {
        // PHP-FPM finds no file by a path with `..` in it.
        let script = script.into();
        let script = script.canonicalize().unwrap_or(script);
        let script = script.to_string_lossy().into_owned();
        let name = format!("/{}", script.rsplit('/').next().unwrap_or_default());
        let uri = if query.is_empty() {
            name.clone()
        } else {
            format!("{name}?{query}")
        };
        let parameters = [
            ("GATEWAY_INTERFACE", "CGI/1.1"),
            ("REQUEST_METHOD", "GET"),
            ("SCRIPT_FILENAME", &script),
            ("SCRIPT_NAME", &name),
            ("REQUEST_URI", &uri),
            ("QUERY_STRING", query),
            ("SERVER_PROTOCOL", "HTTP/1.1"),
            ("SERVER_NAME", "localhost"),
            ("REMOTE_ADDR", "127.0.0.1"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            parameters: parameters.into(),
        }
    }

    /// One with exactly these parameters, as a web server would pass them.
    pub fn with<N: Into<String>, V: Into<String>>(parameters: impl IntoIterator<Item = (N, V)>) -> Self {
        Self {
            parameters: parameters
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        }
    }

    /// With one more parameter, such as a header: `HTTP_COOKIE`.
    #[must_use]
    pub fn parameter(mut self, name: &str, value: &str) -> Self {
        self.parameters.push((name.into(), value.into()));
        self
    }

    /// Sends it to the pool that listens at `socket`, and waits for the whole answer.
    pub fn send(&self, socket: &Path) -> Result<Response, Error> {
        self.send_on(&connect(socket)?)
    }

    /// The same on a connection that is open already, which whoever holds a copy of it can cut off.
    pub(crate) fn send_on(&self, stream: &UnixStream) -> Result<Response, Error> {
        let mut stream = stream;
        stream
            .write_all(&self.encode())
            .map_err(Error::io("send a request to PHP-FPM"))?;
        Response::read(stream)
    }

    fn encode(&self) -> Vec<u8> {
        let mut pairs = Vec::new();
        for (name, value) in &self.parameters {
            push_length(&mut pairs, name.len());
            push_length(&mut pairs, value.len());
            pairs.extend_from_slice(name.as_bytes());
            pairs.extend_from_slice(value.as_bytes());
        }
        let mut out = Vec::with_capacity(pairs.len() + 64);
        // The role in two bytes, no flags (the connection closes after the answer), five reserved bytes.
        push_record(&mut out, BEGIN, &[0, RESPONDER, 0, 0, 0, 0, 0, 0]);
        for part in pairs.chunks(CONTENT_MAX) {
            push_record(&mut out, PARAMS, part);
        }
        push_record(&mut out, PARAMS, &[]);
        push_record(&mut out, STDIN, &[]);
        out
    }
}

/// A connection to the pool that listens at `socket`.
pub(crate) fn connect(socket: &Path) -> Result<UnixStream, Error> {
    UnixStream::connect(socket).map_err(Error::io(format!("connect to {}", socket.display())))
}

/// Lengths below 128 take one byte, others four with the first bit set.
fn push_length(out: &mut Vec<u8>, length: usize) {
    match u8::try_from(length) {
        Ok(short) if short < 0x80 => out.push(short),
        _ => out.extend_from_slice(&(length as u32 | 0x8000_0000).to_be_bytes()),
    }
}

fn push_record(out: &mut Vec<u8>, kind: u8, content: &[u8]) {
    out.extend_from_slice(&[VERSION, kind]);
    out.extend_from_slice(&REQUEST_ID.to_be_bytes());
    out.extend_from_slice(&(content.len() as u16).to_be_bytes());
    out.extend_from_slice(&[0, 0]);
    out.extend_from_slice(content);
}

/// What PHP-FPM answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Response {
    /// Headers and body, as the script sent them.
    pub output: Vec<u8>,
    /// What it wrote to its error stream.
    pub errors: Vec<u8>,
}

impl Response {
    /// The status of the answer: 200 where the headers name none.
    pub fn status(&self) -> u16 {
        let text = String::from_utf8_lossy(&self.output);
        text.lines()
            .take_while(|line| !line.is_empty())
            .find_map(|line| line.strip_prefix("Status: ")?.get(..3)?.parse().ok())
            .unwrap_or(200)
    }

    /// What comes after the headers.
    pub fn body(&self) -> String {
        let text = String::from_utf8_lossy(&self.output);
        text.split_once("\r\n\r\n")
            .map_or_else(|| text.to_string(), |(_, body)| body.to_owned())
    }

    fn read(mut stream: impl Read) -> Result<Self, Error> {
        let mut response = Self::default();
        loop {
            let mut header = [0; 8];
            read_exact(&mut stream, &mut header)?;
            let [version, kind, _, _, high, low, padding, _] = header;
            if version != VERSION {
                return Err(Error::Protocol("a record of another version"));
            }
            let mut content = vec![0; usize::from(u16::from_be_bytes([high, low]))];
            read_exact(&mut stream, &mut content)?;
            read_exact(&mut stream, &mut vec![0; usize::from(padding)])?;
            match kind {
                STDOUT => response.output.append(&mut content),
                STDERR => response.errors.append(&mut content),
                END => return Ok(response),
                _ => return Err(Error::Protocol("a record that no server sends")),
            }
        }
    }
}

fn read_exact(stream: &mut impl Read, buffer: &mut [u8]) -> Result<(), Error> {
    stream
        .read_exact(buffer)
        .map_err(Error::io("read the answer of PHP-FPM"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_written_as_the_protocol_says() {
        let request = Request {
            parameters: vec![("A".into(), "x".repeat(200))],
        };
        let bytes = request.encode();
        assert_eq!(bytes[..16], [1, 1, 0, 1, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bytes[16..24], [1, 4, 0, 1, 0, 206, 0, 0]);
        assert_eq!(bytes[24..30], [1, 0x80, 0, 0, 200, b'A']);
        assert_eq!(bytes[230..], [1, 4, 0, 1, 0, 0, 0, 0, 1, 5, 0, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn an_answer_is_read_with_its_padding_and_errors() {
        let mut bytes = Vec::new();
        let text = b"Status: 404 Not Found\r\nX: y\r\n\r\nno";
        bytes.extend_from_slice(&[1, STDOUT, 0, 1, 0, text.len() as u8, 3, 0]);
        bytes.extend_from_slice(text);
        bytes.extend_from_slice(&[0; 3]);
        push_record(&mut bytes, STDERR, b"oh");
        push_record(&mut bytes, END, &[0; 8]);
        let response = Response::read(&bytes[..]).unwrap();
        assert_eq!((response.status(), response.body().as_str()), (404, "no"));
        assert_eq!(response.errors, b"oh");
    }

    #[test]
    fn what_is_not_fastcgi_is_refused() {
        assert!(matches!(
            Response::read(&b"HTTP/1.1 200 OK\r\n"[..]),
            Err(Error::Protocol(_))
        ));
        assert!(matches!(Response::read(&b"\x01"[..]), Err(Error::Io { .. })));
    }
}
