// Owns the yardstick for start-up: the least that node:http can be.

import { createServer } from 'node:http';

createServer((_req, res) => res.end('ok')).listen({ host: '127.0.0.1', port: Number(process.argv[2]) });
