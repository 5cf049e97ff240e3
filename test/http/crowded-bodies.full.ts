// A body of 16 MB may hold millions of names or entries: whoever sends it must not keep the others waiting.

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { call, closeEmulators, deploy, getContainer, startEmulator, startWorld } from '../support/emulator.js';
import { nobody } from '../support/sessions.js';

afterEach(closeEmulators);

const filled = (piece: string): string =>
  Array(Math.floor(16_000_000 / (piece.length + 1)))
    .fill(piece)
    .join(',');
const deep = `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`;

it.each([
  ['names', '/api/auth/cli-session', `{${filled('"k":1')}}`, '50,000 names, objects and lists'],
  ['objects', '/api/auth/cli-session', `[${filled('{}')}]`, '50,000 names, objects and lists'],
  ['nested objects', '/api/auth/cli-session', `[${filled(deep)}]`, '50,000 names, objects and lists'],
  [
    'names, of a control operation',
    '/_emulator/faults',
    `{${filled('"k":1').slice(0, 4_000_000 - 3)}}`,
    '50,000 names, objects and lists',
  ],
  ['entries', '/api/auth/cli-session', `[${filled('1')}]`, '200,000 commas'],
])('a body of millions of %s is refused, and others are answered', async (_, path, body, what) => {
  const world = await startWorld();
  const [refused, other] = await Promise.all([
    call(world, 'POST', path, body, nobody),
    call(world, 'GET', '/api/v1/credits/balance'),
  ]);
  expect([refused.status, refused.body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(refused.body.error.message).toBe(
    `Invalid request data: body holds more than ${what}, the most that is read: send it in parts`,
  );
  expect(other.status).toBe(200);
});

it('an image of 12 MB and a conversation of two thousand messages are accepted', async () => {
  const world = await startWorld();
  const send = (messages: object[]) => call(world, 'POST', '/api/v1/chat/completions', { model: 'gpt-4o', messages });
  const url = `data:image/png;base64,${'A'.repeat(12_000_000)}`;
  expect((await send([{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }])).status).toBe(200);
  const messages = Array.from({ length: 2_000 }, (_, i) =>
    i % 2 === 0
      ? { role: 'user', content: [{ type: 'text', text: 'a: {b}, [c]' }] }
      : { role: 'assistant', content: 'yes' },
  );
  expect((await send(messages)).status).toBe(200);
});

it('a form with too many fields is refused', async () => {
  const world = await startWorld();
  const { status, body } = await call(world, 'POST', '/auth/login', 'a&'.repeat(2_000), {
    ...nobody,
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  });
  expect([status, body.error.message]).toEqual([400, 'Invalid request data: body must have at most 1000 fields']);
});

it.each([
  ['a form', '/auth/login', 'application/x-www-form-urlencoded', 100_000, 'The form is larger than 65536 bytes'],
  ['a control operation', '/_emulator/faults', 'application/json', 5_000_000, 'The body is larger than 4194304 bytes'],
])('a long body of %s is refused', async (_, path, type, length, message) => {
  const world = await startWorld();
  const headers = { ...nobody, 'content-type': type, accept: 'application/json' };
  const { status, body } = await call(world, 'POST', path, JSON.stringify('x'.repeat(length)), headers);
  expect([status, body.error.message]).toEqual([413, message]);
});

it.each([
  ['texts', [...Array(100_000).fill('a')], 'input must have at most 2048 entries'],
  ['texts, some of them wrong', [...Array(100_000).fill('a'), 1], 'input must have at most 2048 entries'],
  ['lists of tokens', [...Array(20_000).fill([1])], 'input must have at most 2048 entries'],
])('too many %s to embed are refused for their length, not for their mistakes', async (_, input, message) => {
  const world = await startWorld();
  const { status, body } = await call(world, 'POST', '/api/v1/embeddings', { input });
  expect(status).toBe(400);
  expect(body.error.details).toHaveLength(1);
  expect(body.error.message).toContain(message);
});

it('a long input is refused as exceeding the model’s number of tokens', async () => {
  const world = await startWorld();
  const { body } = await call(world, 'POST', '/api/v1/embeddings', { input: Array(199_000).fill(1) });
  expect(body.error.code).toBe('CONTEXT_LENGTH');
});

async function statusOf(url: string, key: string, body: Buffer, agent: Agent | false): Promise<number | undefined> {
  const sent = request(url, { method: 'POST', agent, headers: { 'X-API-Key': key } });
  sent.end(body);
  // The response comes first: whoever closes the emulator then cuts off what is still being sent.
  const isOver = once(sent, 'close');
  const [response]: IncomingMessage[] = await once(sent, 'response');
  await once((response as IncomingMessage).resume(), 'end');
  await isOver;
  return response?.statusCode;
}

it('bodies that are too large are refused so that their sender reads why, and the connection is used again', async () => {
  const { url, apiKey } = await startWorld();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const seen: (number | undefined)[] = [];
  for (const body of [...Array(6).fill(Buffer.alloc(17_000_000, ' ')), Buffer.from('{"name":"After"}')])
    seen.push(await statusOf(`${url}/api/v1/app/agents`, apiKey, body, agent));
  agent.destroy();
  expect(seen).toEqual([413, 413, 413, 413, 413, 413, 201]);
});

// Clients without an agent, such as superagent, send Connection: close.
it.each([
  ['/api/v1/app/agents', '', 401],
  ['/api/v1/voice/stt', '', 401],
  ['/api/v1/nope', '', 404],
  ['/api/v1/app/agents', 'key', 413],
])('the response to %s is sent before the connection of a body that is not read closes', async (path, as, status) => {
  const { url, apiKey } = await startWorld();
  const body = Buffer.alloc(17_000_000, ' ');
  for (let n = 0; n < 6; n++)
    expect(await statusOf(url + path, as === '' ? 'ek_test_none' : apiKey, body, false)).toBe(status);
});

// Most clients read the response only once they have sent everything.
it.each([
  ['POST', '/w/nope/_emulator/faults', 404],
  ['GET', '/_emulator/clock', 200],
  ['GET', '/_emulator/openapi.json', 200],
  ['GET', '/_emulator/', 200],
  ['GET', '/_emulator/metrics', 200],
  ['POST', '/health of a container', 200],
])('the connection of %s %s is kept until the body that nobody reads has come', async (method, path, status) => {
  const emulator = await startEmulator({ timing: 'instant' });
  const [, ownPath] = /(.*) of a container$/.exec(path) ?? [];
  const { id } = await deploy(emulator);
  const base = ownPath === undefined ? emulator.url : (await getContainer(emulator, id)).url;
  const { hostname, port } = new URL(base);
  const length = 500_000;
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  let text = '';
  socket.on('data', (part) => {
    text += part;
  });
  const ended = once(socket, 'end');
  const head = `Host: 127.0.0.1\r\nConnection: close\r\nContent-Length: ${length}`;
  socket.write(`${method} ${ownPath ?? path} HTTP/1.1\r\n${head}\r\n\r\n${' '.repeat(1_000)}`);
  const isWhole = (): boolean => {
    const [, sent = '-1'] = /^content-length: (\d+)/im.exec(text) ?? [];
    return Buffer.byteLength(text.slice(text.indexOf('\r\n\r\n') + 4)) === Number(sent);
  };
  await expect.poll(isWhole).toBe(true);
  // Whoever has closed the connection has said so by the time that another request is answered.
  await fetch(new URL(ownPath ?? '/_emulator/health', base));
  expect([Number(text.slice(9, 12)), socket.readableEnded]).toEqual([status, false]);
  socket.end(' '.repeat(length - 1_000));
  await ended;
});

it('the connection of a client that reads the response and leaves without sending the rest is let go', async () => {
  const { url, apiKey } = await startWorld();
  const { hostname, port } = new URL(url);
  for (const line of ['HTTP/1.0', 'HTTP/1.1']) {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.write(
      `POST /api/v1/app/agents ${line}\r\nHost: x\r\nConnection: close\r\nX-API-Key: ${apiKey}x\r\nContent-Length: 9000000\r\n\r\n{`,
    );
    const [part] = await once(socket, 'data');
    expect(String(part)).toContain('401');
    socket.end();
    await once(socket.resume(), 'end');
  }
});

it('the numbers of all vectors of a request, and the length of a text of few tokens, are bounded', async () => {
  const world = await startWorld();
  const embed = async (body: object) => {
    const { status, body: answer } = await call(world, 'POST', '/api/v1/embeddings', body);
    return [status, answer.error?.message ?? answer.data.length];
  };
  const large = { model: 'text-embedding-3-large', input: Array(521).fill('x') };
  expect(await embed(large)).toEqual([400, expect.stringContaining('at most 1,600,000 numbers of vectors')]);
  expect(await embed({ ...large, encoding_format: 'base64' })).toEqual([200, 521]);
  const spaces = { model: 'text-embedding-3-small', input: ['x', ' '.repeat(200_001)] };
  expect(await embed(spaces)).toEqual([400, 'Invalid request data: input[1] must have at most 200000 characters']);
});
