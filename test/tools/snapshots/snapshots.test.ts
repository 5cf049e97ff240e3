// Snapshots: everything under a name, put back whole, as often as wanted.

import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '../../../src/db/sqlite.js';
import { runsOf } from '../../support/campaign.js';
import { tempDir } from '../../support/command.js';
import { call, deploy, image, startEmulator } from '../../support/emulator.js';
import { openStream } from '../../support/sse.js';

const state = async (emulator: any): Promise<unknown> => {
  const paths = ['/api/v1/containers', '/api/v1/credits/balance', '/api/v1/credits/transactions', '/api/v1/api-keys'];
  const answers = [];
  for (const path of paths) {
    const { status, body, headers } = await call(emulator, 'GET', path);
    if (body.error !== undefined) expect(body.error.requestId).toBe(headers.get('x-request-id'));
    const error = body.error && { ...body.error, requestId: 'of its own' };
    answers.push({ status, body: { ...body, error }, now: headers.get('x-emulator-now') });
  }
  return answers;
};

describe('a snapshot', () => {
  it('leads to the same responses after each restore, including clock and limits', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    await deploy(emulator, { name: 'one', project_name: 'one' });
    await controls.clock.advance('5s');
    controls.snapshots.take({ name: 'early' });
    const first = await state(emulator);
    for (let round = 0; round < runsOf(100); round++) {
      await deploy(emulator, { name: `more-${round}`, project_name: `more-${round}` });
      await controls.clock.advance('1h');
      await controls.snapshots.restore('early');
      expect(await state(emulator)).toEqual(first);
    }
  });

  it('is replaced by one of the same name, listed and removed', async () => {
    const emulator = await startEmulator();
    const { snapshots, clock } = emulator.controls;
    snapshots.take({ name: 'b' });
    snapshots.take({ name: 'a' });
    await clock.advance('1m');
    snapshots.take({ name: 'a' });
    expect(snapshots.list().map(({ name, now }) => [name, now])).toEqual([
      ['a', '2026-01-01T00:01:00.000Z'],
      ['b', '2026-01-01T00:00:00.000Z'],
    ]);
    expect(snapshots.remove('b')).toEqual({ removed: 'b' });
    expect(snapshots.list()).toHaveLength(1);
  });

  it('can be moved to another emulator as one document; a damaged document is refused', async () => {
    const one = await startEmulator({ seed: 'one' });
    const made = await deploy(one);
    one.controls.snapshots.take({ name: 'travel' });
    const exported = await (await one.fetch('/_emulator/snapshots/travel/export')).json();
    const two = await startEmulator({ seed: 'two' });
    const imported = await two.fetch('/_emulator/snapshots/import', { method: 'POST', body: JSON.stringify(exported) });
    expect(imported.status).toBe(200);
    await two.controls.snapshots.restore('travel');
    const there = await two.fetch(`/api/v1/containers/${made.id}`, {
      headers: { authorization: `Bearer ${one.apiKey}` },
    });
    expect(there.status).toBe(200);
    for (const damage of [
      { ...exported, sha256: '0'.repeat(64) },
      { ...exported, image: exported.image.slice(0, -40) },
      { ...exported, image: 'bm90IGd6aXA=' },
      { ...exported, version: 2 },
      {},
    ]) {
      const answer = await call(two, 'POST', '/_emulator/snapshots/import', damage);
      expect(answer.status).toBe(400);
    }
  });

  it('of another world leaves the world what it was made as: a reset and a start return to it', async () => {
    const { controls: foreign } = await startEmulator({ seed: 'one', clock: '2025-05-05T00:00:00Z' });
    foreign.snapshots.take({ name: 'travel' });
    const document = await foreign.snapshots.export('travel');
    const options = { seed: 'two', dataDir: tempDir() };
    const emulator = await startEmulator(options);
    const { controls } = emulator;
    await controls.scenarios.apply({ seed: 'three', data: { credits: 7 } });
    const initial = { keys: controls.keys.list(), organizations: controls.organizations.list() };
    await controls.snapshots.import(document);
    await controls.snapshots.restore('travel');
    expect(controls.keys.list()).not.toEqual(initial.keys);
    await emulator.close();
    const again = await startEmulator(options);
    expect(again.controls.clock.get().now).toBe('2025-05-05T00:00:00.000Z');
    await again.controls.reset();
    expect({ keys: again.controls.keys.list(), organizations: again.controls.organizations.list() }).toEqual(initial);
  });

  it('that is not a world cannot be imported, and an existing one of that name stays', async () => {
    const emulator = await startEmulator();
    await deploy(emulator);
    const { snapshots } = emulator.controls;
    snapshots.take({ name: 'whole' });
    const foreign = openSqlite(':memory:');
    foreign.exec('CREATE TABLE meta (key TEXT, value TEXT); PRAGMA user_version = 2');
    const empty = openSqlite(':memory:');
    for (const image of [
      Buffer.from('this is no database at all'.repeat(100)),
      foreign.serialize(),
      empty.serialize(),
    ]) {
      const document = {
        ...snapshots.export('whole'),
        sha256: createHash('sha256').update(image).digest('hex'),
        image: gzipSync(image).toString('base64'),
      };
      await expect(snapshots.import(document)).rejects.toThrow(/holds no world that this cloudemu can read/);
    }
    await deploy(emulator, { name: 'more', project_name: 'more' });
    await snapshots.restore('whole');
    expect((await call(emulator, 'GET', '/api/v1/containers')).body.data).toHaveLength(1);
  });

  it('says of a world that is dropped meanwhile that it has ended, not that the snapshot is bad', async () => {
    const emulator = await startEmulator();
    for (const act of ['compare', 'import'] as const) {
      const { controls, close } = await emulator.createWorld({ id: 'blue' });
      controls.snapshots.take({ name: 'before' });
      const document = controls.snapshots.export('before');
      controls.organizations.create({ name: 'Later' });
      const going = act === 'compare' ? controls.snapshots.compare('before') : controls.snapshots.import(document);
      const said = expect(going, act).rejects.toThrow(/^The world "blue" has ended$/);
      close();
      await said;
    }
  });

  it('that is unknown is 404 with the nearest name', async () => {
    const emulator = await startEmulator();
    emulator.controls.snapshots.take({ name: 'three-running' });
    const answer = await call(emulator, 'POST', '/_emulator/snapshots/three-runing/restore');
    expect(answer.status).toBe(404);
    expect(answer.body.error.message).toContain('did you mean "three-running"');
    for (const name of ['', '../x', 'a b', 'x'.repeat(65), '.hidden']) {
      expect(() => emulator.controls.snapshots.take({ name })).toThrow(/name must be 1 to 64/);
    }
  });

  it('reports its restore to open log streams', async () => {
    const emulator = await startEmulator();
    const { id } = await deploy(emulator);
    emulator.controls.snapshots.take({ name: 'begun' });
    const stream = await openStream(`${emulator.url}/api/v1/containers/${id}/logs/stream`, {
      authorization: `Bearer ${emulator.apiKey}`,
    });
    const told = (what: string): number =>
      stream.messages.filter(({ data }) => data.type === what || data.data?.status === what).length;
    await emulator.controls.clock.advance('1m');
    await expect.poll(() => told('running')).toBe(1);
    await emulator.controls.snapshots.restore('begun');
    await expect.poll(() => told('reset')).toBe(1);
    await emulator.controls.clock.advance('1m');
    await expect.poll(() => told('running')).toBe(2);
    stream.close();
  });
});

describe('a reset', () => {
  it('gives the world as it was created, including its clock, with an empty journal', async () => {
    const emulator = await startEmulator();
    const before = await state(emulator);
    await deploy(emulator);
    await emulator.controls.clock.advance('2h');
    await emulator.controls.reset();
    expect(await state(emulator)).toEqual(before);
    const { total, requests } = emulator.controls.requests.list({ limit: 100 });
    expect(total).toBe(4);
    expect(requests.some(({ operation }) => operation === 'containers.create')).toBe(false);
  });

  it('refuses a request that began before it, so that nothing leaks into after', async () => {
    const emulator = await startEmulator();
    const { port } = emulator;
    const body = JSON.stringify({ name: 'late', project_name: 'late', ecr_image_uri: image });
    const socket = connect(port, '127.0.0.1');
    const received: string[] = [];
    socket.on('data', (chunk) => received.push(String(chunk)));
    socket.write(
      `POST /api/v1/containers HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${emulator.apiKey}\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 10)}`,
    );
    // The server has read the head once this has gone through after it.
    await call(emulator, 'GET', '/api/v1/containers');
    await new Promise((resolve) => setImmediate(resolve));
    await emulator.controls.reset();
    socket.write(body.slice(10));
    await expect.poll(() => received.join('')).toContain('SERVICE_UNAVAILABLE');
    expect(received.join('')).toMatch(/^HTTP\/1.1 503 [\s\S]*Retry-After: 0\r\n/);
    socket.destroy();
    expect((await call(emulator, 'GET', '/api/v1/containers')).body.data).toEqual([]);
  });
});
