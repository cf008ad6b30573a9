// A web server that keeps connections open, and tells what it saw when its standard input ends. With the files of a key and
// of a certificate as arguments, it speaks TLS.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const [key, cert] = process.argv.slice(2).map((file) => readFileSync(file));

let connections = 0;
let requests = 0;
let named = 0;

const answer = (request, response) => {
  requests++;
  if (request.headers['x-name'] === 'phperf') named++;
  switch (request.url) {
    case '/slow':
      setTimeout(() => response.end('slow'.repeat(1000)), 6);
      break;
    case '/broken':
      response.writeHead(500).end('broken');
      break;
    case '/moved':
      response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
      break;
    case '/closing':
      response.setHeader('Connection', 'close');
      response.end('closing');
      break;
    default:
      response.end('fast'.repeat(1000));
  }
};
const server = key ? https.createServer({ key, cert }, answer) : http.createServer(answer);
server.keepAliveTimeout = 60_000;
server.on(key ? 'secureConnection' : 'connection', () => connections++);
server.listen(0, '127.0.0.1', () => console.log(`ready ${server.address().port}`));

process.stdin.resume();
process.stdin.on('end', () => {
  console.log(`connections ${connections}, requests ${requests}, named ${named}`);
  process.exit(0);
});
