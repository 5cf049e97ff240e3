// Entries of the journal: what became of a request's answer, what the client did wrong, what was in it.

import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import type { JournalEntry, JournalMarker } from '../../../src/tools/journal/journal-entry.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';
import { openStream } from '../../support/sse.js';

const live = `ek_live_${'5'.repeat(64)}`;

function last(emulator: Emulator): JournalEntry {
  const [entry] = emulator.controls.requests.list({ limit: 1 }).requests;
  if (entry === undefined) throw new Error('the journal is empty');
  return entry;
}

/** The next marker of the journal. */
async function nextMarker(emulator: Emulator, since: number): Promise<JournalMarker> {
  for await (const record of emulator.controls.requests.follow({ after: since })) {
    if (record.kind === 'marker') return record;
  }
  throw new Error('the journal ended');
}

/** A request that can be given up; its end is nobody's fault. */
function sendSlowly(emulator: Emulator, headers: Record<string, string>): ClientRequest {
  const sent = request({
    host: '127.0.0.1',
    port: emulator.port,
    path: '/api/v1/containers',
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.apiKey}`, ...headers },
  });
  sent.on('error', () => {});
  return sent;
}

it('journal entries contain how long the client was asked to wait', async () => {
  const emulator = await startEmulator({ rateLimits: { perKey: 1 } });
  await call(emulator, 'GET', '/api/v1/containers');
  await call(emulator, 'GET', '/api/v1/containers');
  expect(last(emulator)).toMatchObject({ status: 429, errorCode: 'RATE_LIMITED', retryAfter: 60, outcome: 'answered' });
});

it('journal entries contain the address of a caller without credentials', async () => {
  const emulator = await startEmulator();
  await call(emulator, 'GET', '/api/v1/containers', undefined, { authorization: '' });
  expect(last(emulator)).toMatchObject({ caller: expect.stringMatching(/^address:.*127\.0\.0\.1$/), keyId: null });
});

it('journal entries show that a client disconnected before the response, without a status', async () => {
  const emulator = await startEmulator();
  const sent = sendSlowly(emulator, { 'content-length': '1000' });
  sent.write('{"name": "half');
  await once(sent, 'socket');
  // The request has reached the emulator once another one is answered.
  await call(emulator, 'GET', '/api/v1/credits/balance');
  sent.destroy();
  const follow = emulator.controls.requests.follow({ since: 1 });
  for await (const record of follow) {
    if (record.kind !== 'request' || record.operation !== 'containers.create') continue;
    expect(record).toMatchObject({ outcome: 'aborted', status: 0, keyId: expect.any(String) });
    break;
  }
});

it('journal entries show that a stream is open, and who ended it', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  const url = `${emulator.url}/api/v1/containers/${id}/logs/stream`;
  const headers = { authorization: `Bearer ${emulator.apiKey}` };
  const left = await openStream(url, headers);
  const opened = last(emulator);
  expect(opened).toMatchObject({
    operation: 'containers.streamLogs',
    outcome: 'streaming',
    status: 200,
    responseBody: null,
  });
  expect(opened.responseHeaders['content-type']).toContain('text/event-stream');
  left.close();
  expect(await nextMarker(emulator, opened.seq)).toMatchObject({
    event: 'stream-ended',
    subject: String(opened.seq),
    by: 'client',
  });
  await openStream(url, headers);
  const second = last(emulator);
  await call(emulator, 'DELETE', `/api/v1/containers/${id}`);
  expect(await nextMarker(emulator, second.seq)).toMatchObject({ subject: String(second.seq), by: 'server' });
});

it('journal entries count no stream for a HEAD request', async () => {
  const emulator = await startEmulator();
  const { id } = await deploy(emulator);
  await emulator.fetch(`/api/v1/containers/${id}/logs/stream`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${emulator.apiKey}` },
  });
  expect(last(emulator)).toMatchObject({ method: 'HEAD', outcome: 'answered' });
});

it('journal entries show that a fault kept the response from the client', async () => {
  const emulator = await startEmulator();
  const fault = { phase: 'after', effect: { network: 'reset' } };
  await expect(
    emulator.fetch('/api/v1/credits/balance', {
      headers: { authorization: `Bearer ${emulator.apiKey}`, 'x-emulator-fault': JSON.stringify(fault) },
    }),
  ).rejects.toThrow();
  const follow = emulator.controls.requests.follow({ since: 1 });
  for await (const record of follow) {
    expect(record).toMatchObject({ kind: 'request', outcome: 'lost', status: 0, fault: 'header' });
    break;
  }
});

it.each<[string, string, Record<string, string>, string[]]>([
  ['nothing', '/api/v1/containers', {}, []],
  ['a key in the query', '/api/v1/containers?x=ek_test_0123456789', {}, ['unknown-field', 'secret-in-url']],
  ['a key in the path', '/api/v1/containers/ek_test_0123456789', {}, ['secret-in-url']],
  ['a named secret in the query', '/api/v1/containers?token=abc', {}, ['unknown-field', 'secret-in-url']],
  ['a live key as bearer', '/api/v1/containers', { authorization: `Bearer ${live}` }, ['live-key']],
  ['a live key as X-API-Key', '/api/v1/containers', { 'x-api-key': live }, ['live-key']],
  ['a live key elsewhere', '/api/v1/containers', { 'x-other': `my ${live}` }, ['live-key']],
  ['a live key in the query', `/api/v1/containers?a=${live}`, {}, ['unknown-field', 'secret-in-url', 'live-key']],
  ['an unknown parameter', '/api/v1/containers?zzz=1', {}, ['unknown-field']],
])('a journal entry finds %s', async (_, path, headers, findings) => {
  const emulator = await startEmulator();
  await call(emulator, 'GET', path, undefined, headers);
  const entry = last(emulator);
  expect(entry.findings).toEqual(findings);
  for (const secret of ['0123456789', '555555']) expect(JSON.stringify(entry)).not.toContain(secret);
});

it('journal entries contain a finding for unknown fields, whether they are warned about or refused', async () => {
  for (const inputs of [false, true]) {
    const emulator = await startEmulator({ strict: { inputs } });
    await call(emulator, 'POST', '/api/v1/api-keys', { name: 'a', nmae: 'b' });
    expect(last(emulator)).toMatchObject({ status: inputs ? 400 : 201, findings: ['unknown-field'] });
  }
});

it('journal entries contain a finding for expired and deactivated credentials', async () => {
  const emulator = await startEmulator();
  const key = emulator.controls.keys.create({ expiresIn: '1m' });
  await emulator.controls.clock.advance('2m');
  await call(emulator, 'GET', '/api/v1/containers', undefined, { authorization: `Bearer ${key.apiKey}` });
  expect(last(emulator)).toMatchObject({ status: 401, findings: ['expired-credential'], caller: `key:${key.id}` });
  const off = emulator.controls.keys.create();
  await call(emulator, 'PATCH', `/api/v1/api-keys/${off.id}`, { is_active: false });
  await call(emulator, 'GET', '/api/v1/containers', undefined, { authorization: `Bearer ${off.apiKey}` });
  expect(last(emulator).findings).toEqual(['expired-credential']);
});

it('journal entries contain no finding for a live key that the emulator created', async () => {
  const emulator = await startEmulator();
  const { body } = await call(emulator, 'POST', '/api/v1/api-keys', { name: 'Live', environment: 'live' });
  await call(emulator, 'GET', '/api/v1/containers', undefined, { authorization: `Bearer ${body.plainKey}` });
  expect(last(emulator)).toMatchObject({ status: 200, findings: [] });
  await call(emulator, 'GET', '/api/v1/containers', undefined, {
    'x-api-key': emulator.apiKey,
    authorization: `Bearer ${live}`,
  });
  expect(last(emulator)).toMatchObject({ status: 200, findings: ['live-key'] });
});

it('journal entries contain equal hashes for equal bodies, and none for a body with a live key', async () => {
  const emulator = await startEmulator();
  const send = async (body: unknown): Promise<string | null> => {
    await call(emulator, 'POST', '/api/v1/app/agents', body);
    return last(emulator).requestBodyHash;
  };
  const first = await send({ name: 'a', password: 'one' });
  expect(await send({ name: 'a', password: 'one' })).toBe(first);
  expect(await send({ password: 'one', name: 'a' })).toBe(first);
  expect(await send({ name: 'a', password: 'two' })).not.toBe(first);
  expect(await send({ name: live })).toBe(await send({ name: live.replaceAll('5', '6') }));
  const long = { name: 'a', bio: 'x'.repeat(50_000) };
  expect(await send({ ...long, end: 1 })).not.toBe(await send({ ...long, end: 2 }));
  await call(emulator, 'GET', '/api/v1/containers');
  expect(last(emulator)).toMatchObject({ requestBody: null, requestBodyHash: null });
});

it('journal entries describe bodies that are not text, and bodies that were not read', async () => {
  const emulator = await startEmulator();
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(100)]), 'a.bin');
  await emulator.fetch('/nowhere', { method: 'POST', body: form });
  expect(last(emulator).requestBody).toMatch(/^<multipart\/form-data, \d{3} bytes>$/);
  const fields = new FormData();
  fields.set('password', 'hunter2');
  await call(emulator, 'POST', '/api/v1/containers', fields);
  expect(last(emulator)).toMatchObject({ status: 400, requestBody: expect.stringMatching(/^<multipart\/form-data, /) });
  const form2 = '--x\r\nContent-Disposition: form-data; name="password"\r\n\r\nhunter2\r\n--x--\r\n';
  await call(emulator, 'POST', '/api/v1/containers', form2);
  expect(last(emulator).requestBody).not.toContain('hunter2');
  await call(
    emulator,
    'POST',
    '/api/v1/containers',
    { name: 'a' },
    { authorization: '', 'content-type': 'application/json' },
  );
  expect(last(emulator)).toMatchObject({
    status: 401,
    requestBody: '{"name":"a"}',
    requestBodyHash: expect.any(String),
  });
  const secret = 'password=hunter2&name=a';
  await call(emulator, 'POST', '/nowhere', secret);
  const { requestBody, requestBodyHash } = last(emulator);
  expect(requestBody).toBe('<text/plain, 23 bytes>');
  await call(emulator, 'POST', '/nowhere', secret);
  expect(last(emulator).requestBodyHash).toBe(requestBodyHash);
  await call(emulator, 'POST', '/nowhere', 'password=hunter3&name=a');
  expect(last(emulator).requestBodyHash).not.toBe(requestBodyHash);
});

it('journal entries recognize equal forms whatever their boundaries, and different forms of equal size', async () => {
  const emulator = await startEmulator();
  const hashOf = async (path: string, name: string, text: string): Promise<string | null> => {
    const form = new FormData();
    form.set('name', name);
    form.set('file', new Blob([text]), 'a.mp3');
    await call(emulator, 'POST', path, form);
    // A form that was not read before the answer is read a moment later.
    await expect.poll(() => last(emulator).requestBodyHash).not.toBeNull();
    return last(emulator).requestBodyHash;
  };
  for (const path of ['/nowhere', '/api/v1/voice/clone']) {
    const one = await hashOf(path, 'one', 'abc');
    expect(one).toEqual(expect.any(String));
    expect(await hashOf(path, 'one', 'abc')).toBe(one);
    expect(await hashOf(path, 'two', 'abc')).not.toBe(one);
    expect(await hashOf(path, 'one', 'abd')).not.toBe(one);
  }
  expect(await hashOf('/nowhere', 'one', 'abc')).toBe(await hashOf('/api/v1/voice/clone', 'one', 'abc'));
});

it('journal entries contain at most the first 8 KB of a long body', async () => {
  const emulator = await startEmulator();
  const bio = 'ä'.repeat(100_000);
  await call(emulator, 'POST', '/api/v1/app/agents', { name: 'a', bio, password: 'hunter2' });
  const { requestBody } = last(emulator);
  expect(requestBody).toMatch(/^\{"name":"a","bio":"ää/);
  expect(requestBody).toMatch(/… \(cut: 100\d{3} characters in all\)$/);
  expect(Buffer.byteLength(requestBody ?? '')).toBeLessThanOrEqual(8_192);
});
