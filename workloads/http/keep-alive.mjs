// A web server that keeps connections open, and tells what it saw when its standard input ends.
import { createServer } from 'node:http';

let connections = 0;
let requests = 0;
let named = 0;

const server = createServer((request, response) => {
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
});
server.keepAliveTimeout = 60_000;
server.on('connection', () => connections++);
server.listen(0, '127.0.0.1', () => console.log(`ready ${server.address().port}`));

process.stdin.resume();
process.stdin.on('end', () => {
  console.log(`connections ${connections}, requests ${requests}, named ${named}`);
  process.exit(0);
});
