// Owns the floor for requests: node:http alone, which reads each body and sends fixed texts as long as the emulator's.

import { createServer } from 'node:http';

const [port, bytesText] = process.argv.slice(2);
const bytes = JSON.parse(bytesText);
const text = (length) => Buffer.from(JSON.stringify({ success: true, data: 'x'.repeat(Math.max(0, length - 28)) }));
const [list, page, created] = [bytes.entry * 20, bytes.get, bytes.create].map(text);

function send(res, status, body) {
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}

createServer((req, res) => {
  if (req.method === 'POST') req.resume().on('end', () => send(res, 202, created));
  else send(res, 200, req.url === '/api/v1/containers' ? list : page);
}).listen({ host: '127.0.0.1', port: Number(port) }, () => console.log(JSON.stringify({ ready: true })));
