// Owns the yardstick for throughput: a plain Koa server with one SELECT per GET and one INSERT per POST.

import { randomUUID } from 'node:crypto';
import { Router } from '@koa/router';
import Koa from 'koa';
import { koaBody } from 'koa-body';

// The SQLite of this Node, as the emulator takes it.
const isNode20 = Number.parseInt(process.versions.node, 10) < 22;
const { default: Database } = await import(isNode20 ? 'better-sqlite3-node20' : 'better-sqlite3');

const [file, port, getBytes, postBytes] = process.argv.slice(2);

const db = new Database(file);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = NORMAL');
db.exec(
  'CREATE TABLE items (id TEXT PRIMARY KEY, name TEXT, project_name TEXT, image TEXT, padding TEXT, created_at INTEGER)',
);
const insert = db.prepare(
  'INSERT INTO items (id, name, project_name, image, padding, created_at) VALUES (?, ?, ?, ?, ?, ?)',
);
const select = db.prepare('SELECT * FROM items WHERE id = ?');

const id = randomUUID();
const row = { id, name: 'sample', project_name: 'sample', image: 'sample', padding: '', created_at: Date.now() };
insert.run(id, row.name, row.project_name, row.image, fill({ success: true, data: row }, getBytes), row.created_at);
let padding;

const router = new Router();
router.get('/api/v1/containers/:id', (ctx) => {
  ctx.body = { success: true, data: select.get(ctx.params.id) };
});
router.post('/api/v1/containers', koaBody(), (ctx) => {
  const { name, project_name, ecr_image_uri: image } = ctx.request.body;
  const item = { id: randomUUID(), name, project_name, image, created_at: Date.now() };
  insert.run(item.id, name, project_name, image, '', item.created_at);
  padding ??= fill({ success: true, data: { ...item, padding: '' } }, postBytes);
  ctx.status = 202;
  ctx.body = { success: true, data: { ...item, padding } };
});

new Koa()
  .use(router.routes())
  .listen({ host: '127.0.0.1', port: Number(port) }, () => console.log(JSON.stringify({ id })));

// What an answer lacks to be as long as the emulator's to the same request.
function fill(answer, bytes) {
  return 'x'.repeat(Math.max(0, Number(bytes) - JSON.stringify(answer).length));
}
