// Moving a world to another process: the former one takes no new worlds, and nothing that was acknowledged is lost.

import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../../src/client.js';
import { openSqlite } from '../../../src/db/sqlite.js';
import { tempDir } from '../../support/command.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';
import { content, digestOf, image, layer, logIn, mediaTypes } from '../../support/oci.js';

const onDisk = (seed: string) => startEmulator({ seed, dataDir: tempDir(), worlds: { persist: true } });

it('an emulator that drains accepts no new worlds; existing ones keep working', async () => {
  const emulator = await startEmulator();
  const { url } = await emulator.createWorld({ id: 'kept' });
  expect(emulator.controls.drain()).toEqual({ draining: true, worlds: 1 });
  await expect(emulator.createWorld({ id: 'new' })).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  const refused = await call(emulator, 'PUT', '/w/new/_emulator/world');
  expect([refused.status, refused.body.error.message]).toEqual([503, 'This emulator takes no new worlds: it drains']);
  expect((await call(emulator, 'PUT', '/w/kept/_emulator/world')).status).toBe(200);
  expect((await fetch(`${url}/_emulator/health`)).status).toBe(200);
  // The world may have been moved: whoever asks again is led there by then.
  for (const path of ['/w/gone/api/v1/containers', '/w/gone/_emulator/health']) {
    const elsewhere = await call(emulator, 'GET', path);
    expect([elsewhere.status, elsewhere.headers.get('retry-after')]).toEqual([503, '1']);
  }
  emulator.controls.drain({ end: true });
  await emulator.createWorld({ id: 'new' });
});

it('a world moves with data, keys, clock, journal and snapshots, and refuses requests meanwhile', async () => {
  const [former, next] = [await onDisk('former'), await onDisk('next')];
  const made = await former.createWorld({ id: 'moving', clock: { frozen: true }, ttl: '2h' });
  await deploy(made);
  made.controls.snapshots.take({ name: 'deployed' });
  const { now } = made.controls.clock.get();
  const asked = (emulator: typeof former, method: string, body?: unknown) =>
    fetch(`${emulator.url}/w/moving/api/v1/containers`, {
      method,
      headers: { authorization: `Bearer ${made.apiKey}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  const document = await former.controls.worlds.export('moving');
  const late = await asked(former, 'POST', { name: 'late', project_name: 'late', ecr_image_uri: 'r.local/late:v1' });
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
  // Twice, as after an answer that was lost.
  for (let n = 0; n < 2; n++)
    expect(await next.controls.worlds.import('moving', document)).toEqual({ id: 'moving', missingBlobs: [] });
  former.controls.worlds.drop('moving');

  const { data } = await (await asked(next, 'GET')).json();
  expect(data).toMatchObject([{ name: 'web', status: 'pending' }]);
  const { controls } = connect({ url: `${next.url}/w/moving` });
  expect((await controls.clock.get()).now).toBe(now);
  expect((await controls.snapshots.list()).map(({ name }) => name)).toEqual(['deployed']);
  expect((await controls.requests.list({ operation: 'containers.create' })).total).toBe(1);
  expect(
    (await call(next, 'PUT', '/w/moving/_emulator/world', { clock: { frozen: true }, ttl: '2h' })).body,
  ).toMatchObject({
    created: false,
  });
  await expect(next.controls.worlds.import('moving', document)).rejects.toMatchObject({ code: 'CONFLICT' });
  expect((await asked(former, 'GET')).status).toBe(404);
});

it('a world moves its images in pieces, including those of its snapshots, and no other blob', async () => {
  const [former, next] = [await onDisk('former'), await onDisk('next')];
  const made = await former.createWorld({ id: 'pushed' });
  // More than a piece, no two bytes of which are where others are.
  const big = image({ layers: [content(randomBytes(5_000_000), mediaTypes.layer)] });
  const kept = image({ layers: [layer('of the snapshot')] });
  const repository = await logIn(made);
  await repository.push('kept', kept);
  made.controls.snapshots.take({ name: 'then' });
  await repository.push('v1', big);
  made.controls.images.remove('web:kept');
  const other = await former.createWorld({ id: 'other' });
  const secret = layer('of another world');
  await (await logIn(other)).pushBlob(secret);

  const document = await former.controls.worlds.export('pushed');
  expect(JSON.stringify(document).length).toBeLessThan(1_000_000);
  const { missingBlobs } = await next.controls.worlds.import('pushed', document);
  const wanted = [...big.blobs, ...kept.blobs].map(({ digest }) => digest);
  expect(missingBlobs).toEqual(expect.arrayContaining(wanted));
  for (const digest of missingBlobs) {
    for (let offset = 0, complete = false; !complete; ) {
      const piece = await former.controls.worlds.exportBlob('pushed', digest, { offset });
      const taken = await next.controls.worlds.importBlob('pushed', digest, piece);
      ({ received: offset, complete } = taken);
    }
  }
  await expect(former.controls.worlds.exportBlob('pushed', secret.digest)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  former.controls.worlds.drop('pushed');

  const moved = connect({ url: `${next.url}/w/pushed` });
  const there = await logIn({ url: `${next.url}/w/pushed`, fetch: moved.fetch, apiKey: made.apiKey });
  for (const { digest, bytes } of big.blobs) {
    const pulled = await there.send('GET', `/blobs/${digest}`);
    expect([pulled.status, digestOf(pulled.bytes)]).toEqual([200, digestOf(bytes)]);
  }
  await moved.controls.snapshots.restore('then');
  expect((await there.send('GET', `/blobs/${kept.blobs[1]?.digest}`)).status).toBe(200);
});

it('a moving world refuses a piece out of order, and a layer that does not match its digest', async () => {
  const [former, next] = [await onDisk('former'), await onDisk('next')];
  const made = await former.createWorld({ id: 'pushed' });
  const pushed = image({ layers: [layer('a layer')] });
  await (await logIn(made)).push('v1', pushed);
  await next.controls.worlds.import('pushed', await former.controls.worlds.export('pushed'));
  const digest = pushed.blobs[1]?.digest ?? '';
  const piece = await former.controls.worlds.exportBlob('pushed', digest);
  const take = (changed: object) => next.controls.worlds.importBlob('pushed', digest, { ...piece, ...changed });
  await expect(take({ offset: 3 })).rejects.toMatchObject({ code: 'CONFLICT', message: 'The next piece begins at 0' });
  await expect(take({ content: btoa('a lawyer') })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(await take({})).toEqual({ received: 7, complete: true });
});

it('a held world continues where it was when it is released', async () => {
  const emulator = await onDisk('held');
  const { url, controls, apiKey } = await emulator.createWorld({ id: 'held' });
  const list = async () =>
    (await fetch(`${url}/api/v1/containers`, { headers: { authorization: `Bearer ${apiKey}` } })).status;
  expect(await list()).toBe(200);
  await emulator.controls.worlds.export('held');
  expect(() => controls.clock.get()).toThrow('is being moved');
  expect(emulator.controls.worlds.get('held').id).toBe('held');
  expect(await list()).toBe(503);
  emulator.controls.worlds.release('held');
  expect(await list()).toBe(200);
});

it('a world continues where it cannot be closed to be exported', async () => {
  const dataDir = tempDir();
  const emulator = await startEmulator({ seed: 'stuck', dataDir, worlds: { persist: true } });
  const made = await emulator.createWorld({ id: 'stuck' });
  expect((await call(made, 'GET', '/api/v1/containers')).status).toBe(200);
  const index = openSqlite(join(dataDir, 'worlds', 'index.db'));
  index.exec("CREATE TRIGGER stuck BEFORE UPDATE OF blobs ON worlds BEGIN SELECT raise(FAIL, 'stuck'); END");
  await expect(emulator.controls.worlds.export('stuck')).rejects.toThrow('stuck');
  index.exec('DROP TRIGGER stuck');
  index.close();
  await expect.poll(async () => (await call(made, 'GET', '/api/v1/containers')).status).toBe(200);
});

it('a request that is in progress when its world is held is refused', async () => {
  const emulator = await onDisk('late');
  const { url, apiKey } = await emulator.createWorld({ id: 'late' });
  const body = JSON.stringify({ name: 'late', project_name: 'late', ecr_image_uri: 'r.local/late:v1' });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-length': body.length, expect: '100-continue' };
  const sent = request(`${url}/api/v1/containers`, { method: 'POST', headers });
  const status = new Promise((resolve, reject) => {
    sent.on('response', ({ statusCode }) => resolve(statusCode));
    sent.on('error', reject);
  });
  sent.flushHeaders();
  await new Promise((resolve) => sent.once('continue', resolve));
  sent.write(body.slice(0, 10));
  const { data } = await emulator.controls.worlds.export('late');
  sent.end(body.slice(10));
  expect(await status).toBe(503);
  emulator.controls.worlds.release('late');
  expect(data.sha256).toMatch(/^[0-9a-f]{64}$/);
});

it('a move refuses documents that are not a world or have another id, and worlds in memory', async () => {
  const [emulator, inMemory] = [await onDisk('bad'), await startEmulator()];
  await emulator.createWorld({ id: 'good' });
  const document = await emulator.controls.worlds.export('good');
  await expect(emulator.controls.worlds.import('other', document)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  const damaged = { ...document, id: 'bad', data: { ...document.data, sha256: '0'.repeat(64) } };
  await expect(emulator.controls.worlds.import('bad', damaged)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  expect(emulator.controls.worlds.list().map(({ id }) => id)).toEqual(['default', 'good']);
  await inMemory.createWorld({ id: 'memory' });
  await expect(inMemory.controls.worlds.export('memory')).rejects.toThrow('set worlds.persist');
  await expect(emulator.controls.worlds.export('default')).rejects.toMatchObject({ code: 'CONFLICT' });
});

it('a world is exported once it is closed, whoever exports, releases and deletes it at the same time', async () => {
  const emulator = await onDisk('crowd');
  const { worlds } = emulator.controls;
  const made = await emulator.createWorld({ id: 'busy' });
  await deploy(made);
  const { data } = await worlds.export('busy');
  worlds.release('busy');
  const isBack = async (): Promise<void> => {
    for (let status = 503; status !== 200; ) status = (await call(made, 'GET', '/api/v1/containers')).status;
  };
  // Opened again, so that each round has to close it.
  for (let round = 0; round < 3; round++) {
    await isBack();
    const first = worlds.export('busy');
    const released = worlds.export('busy');
    worlds.release('busy');
    const last = worlds.export('busy');
    for (const document of await Promise.all([first, released, last])) expect(document.data.name).toBe(data.name);
    expect((await call(made, 'GET', '/api/v1/containers')).status).toBe(503);
    worlds.release('busy');
  }
  await isBack();
  const gone = worlds.export('busy');
  worlds.drop('busy');
  const next = await emulator.createWorld({ id: 'busy', label: 'another' });
  await expect(gone).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect((await call(next, 'GET', '/api/v1/containers')).body.data).toEqual([]);
  expect(worlds.get('busy').label).toBe('another');
});
