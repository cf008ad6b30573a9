//! A page from a web server.

use crate::{Error, Response};
use std::{
    io::{Read, Write},
    net::{Ipv4Addr, TcpStream},
};

/// The most that an answer may have.
const MOST: u64 = 256 << 20;

/// Asks the server on a port of the loopback device. The answer has the form of those over `FastCGI`: the status is a header,
/// and what the server adds by itself and changes by the second, the date, is left out.
pub(crate) fn get(port: u16, uri: &str, host: &str) -> Result<Response, Error> {
    let failed = || Error::io("ask the web server");
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).map_err(failed())?;
    // Of this version, an answer comes in one piece.
    let request = format!("GET {uri} HTTP/1.0\r\nHost: {host}\r\nUser-Agent: phperf\r\nAccept: */*\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(failed())?;
    let mut answer = Vec::new();
    stream.take(MOST).read_to_end(&mut answer).map_err(failed())?;
    response(&answer)
}

fn response(answer: &[u8]) -> Result<Response, Error> {
    const END: &[u8] = b"\r\n\r\n";
    let end = answer
        .windows(END.len())
        .position(|window| window == END)
        .ok_or(Error::NoHttp)?;
    let (head, body) = answer.split_at(end);
    let head = String::from_utf8_lossy(head);
    let mut lines = head.split("\r\n");
    let status = lines
        .next()
        .and_then(|line| line.strip_prefix("HTTP/1.")?.split_once(' '))
        .map(|(_, status)| status)
        .ok_or(Error::NoHttp)?;
    let mut output = format!("Status: {status}").into_bytes();
    for line in lines.filter(|line| !line.starts_with("Date: ")) {
        output.extend_from_slice(b"\r\n");
        output.extend_from_slice(line.as_bytes());
    }
    output.extend_from_slice(body);
    Ok(Response {
        output,
        errors: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_as_one_over_fastcgi() {
        let read = response(b"HTTP/1.1 404 Not Found\r\nDate: now\r\nX-A: b\r\n\r\na\r\n\r\nb").unwrap();
        assert_eq!(read.status(), 404);
        assert_eq!(read.output, b"Status: 404 Not Found\r\nX-A: b\r\n\r\na\r\n\r\nb");
        assert!(response(b"HTTP/1.1 200 OK\r\n").is_err());
        assert!(response(b"FTP\r\n\r\n").is_err());
    }
}
