// Owns the yardstick for requests: a plain Koa server with one SELECT per GET and one INSERT per POST, whose answers are
// as long as the emulator's.

import { randomUUID } from 'node:crypto';
import { Router } from '@koa/router';
import Koa from 'koa';
import { koaBody } from 'koa-body';

// The SQLite of this Node, as the emulator takes it.
const isNode20 = Number.parseInt(process.versions.node, 10) < 22;
const { default: Database } = await import(isNode20 ? 'better-sqlite3-node20' : 'better-sqlite3');

const [file, port, bytesText] = process.argv.slice(2);
/** How long the answers are: a container in a list, its page, and the answer to its creation. */
const bytes = JSON.parse(bytesText);

const db = new Database(file);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = NORMAL');
db.exec(
  'CREATE TABLE items (seq INTEGER PRIMARY KEY, id TEXT UNIQUE, name TEXT, project_name TEXT, image TEXT, padding TEXT, created_at INTEGER)',
);
const insert = db.prepare(
  'INSERT INTO items (id, name, project_name, image, padding, created_at) VALUES (@id, @name, @project_name, @image, @padding, @created_at)',
);
const select = db.prepare('SELECT * FROM items WHERE id = ?');
const list = db.prepare('SELECT * FROM items ORDER BY seq DESC LIMIT 20');

// The filling that a text lacks to be so long.
const fill = (value, length) => 'x'.repeat(Math.max(0, length - JSON.stringify(value).length));
const sample = { seq: 1, id: randomUUID(), name: 'x'.repeat(48), project_name: 'x'.repeat(48), image: 'x'.repeat(24) };
const padding = fill({ ...sample, padding: '', created_at: Date.now() }, bytes.entry);
const more = fill({ success: true, data: { ...sample, padding, created_at: Date.now() }, more: '' }, bytes.get);
const answered = fill({ success: true, data: { ...sample, padding: '', created_at: Date.now() } }, bytes.create);

const router = new Router();
router.get('/api/v1/containers', (ctx) => {
  ctx.body = { success: true, data: list.all() };
});
router.get('/api/v1/containers/:id', (ctx) => {
  ctx.body = { success: true, data: select.get(ctx.params.id), more };
});
router.post(/.*/, koaBody(), (ctx) => {
  const { name = '', project_name = '', ecr_image_uri: image = '' } = ctx.request.body;
  const item = { id: randomUUID(), name, project_name, image, padding, created_at: Date.now() };
  insert.run(item);
  ctx.status = 202;
  ctx.body = { success: true, data: { ...item, padding: answered } };
});

new Koa()
  .use(router.routes())
  .listen({ host: '127.0.0.1', port: Number(port) }, () => console.log(JSON.stringify({ ready: true })));
