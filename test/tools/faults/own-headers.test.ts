// Headers that a fault rule sends: on what answers they are, what they replace, and what no rule may send.

import { describe, expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';

const date = 'Wed, 21 Oct 2026 07:28:00 GMT';
const list = '/api/v1/containers';

it('headers of a fault rule send Retry-After as a date with an error, in place of its own', async () => {
  const world = await startWorld();
  world.controls.faults.add({ effect: { error: 'RATE_LIMITED', headers: { 'retry-after': date, 'X-Hint': 'later' } } });
  const { status, headers, body } = await call(world, 'GET', list);
  expect([status, headers.get('retry-after'), headers.get('x-hint')]).toEqual([429, date, 'later']);
  expect(body.error.code).toBe('RATE_LIMITED');
  const [entry] = world.controls.requests.list().requests;
  const wait = (Date.parse(date) - (entry?.wall ?? 0)) / 1_000;
  expect(entry?.retryAfter).toBe(Math.max(0, Math.ceil(wait)));
  expect(entry?.responseHeaders['retry-after']).toBe(date);
});

it.each([
  ['JSON', list],
  ['a stream', '/api/v1/chat/completions'],
  ['the whole list in pieces', '/api/v1/models'],
])('headers of a fault rule are sent with the real response: %s', async (_, path) => {
  const world = await startWorld();
  world.controls.faults.add({ effect: { headers: { 'Content-Type': 'text/html', 'X-Cache': 'HIT' } } });
  const body = path.endsWith('completions')
    ? { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'x' }] }
    : undefined;
  const plain = await call(await startWorld(), body === undefined ? 'GET' : 'POST', path, body);
  const { status, headers, text } = await call(world, body === undefined ? 'GET' : 'POST', path, body);
  expect(status).toBe(200);
  expect([headers.get('content-type'), headers.get('x-cache')]).toEqual(['text/html', 'HIT']);
  expect(text.length).toBe(plain.text.length);
});

it('headers of a fault are sent for one request, as its X-Emulator-Fault says, and with a body or a damaged one', async () => {
  const world = await startWorld();
  const once = (effect: object) =>
    call(world, 'GET', list, undefined, { 'x-emulator-fault': JSON.stringify({ effect }) });
  const busy = await once({ status: 503, body: 'busy', headers: { 'Retry-After': date, 'Content-Type': 'text/x' } });
  expect([busy.status, busy.text]).toEqual([503, 'busy']);
  expect([busy.headers.get('retry-after'), busy.headers.get('content-type')]).toEqual([date, 'text/x']);
  const cut = await once({ network: 'malformed', headers: { ETag: '"1"' } });
  expect(cut.headers.get('etag')).toBe('"1"');
  expect((await once({ headers: { A: '1' } })).headers.get('a')).toBe('1');
  expect((await call(world, 'GET', list)).headers.get('a')).toBeNull();
});

describe('refuses', () => {
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`X-${index}`, '1']));
  it.each<[string, Record<string, string>, string]>([
    ['a name that is none', { 'X Y': '1' }, 'effect.headers.X Y is no name of a header'],
    ['a second line', { 'X-A': 'a\r\nSet-Cookie: b' }, 'effect.headers.X-A must be one line of Latin-1 characters'],
    ['a character beyond Latin-1', { 'X-A': '\u20ac' }, 'effect.headers.X-A must be one line of Latin-1 characters'],
    ['Content-Length', { 'content-length': '1' }, 'effect.headers.content-length is not for a rule to send'],
    [
      'what belongs to a connection',
      { 'Transfer-Encoding': 'x' },
      'effect.headers.Transfer-Encoding is not for a rule',
    ],
    [
      'what the emulator says',
      { 'X-Emulator-Fault': 'x' },
      'effect.headers.X-Emulator-Fault is not for a rule to send',
    ],
    ['a name twice', { 'X-A': '1', 'x-a': '2' }, 'effect.headers.x-a is there twice'],
    ['too many', many, 'effect.headers must have at most 20 headers'],
    ['too long ones', { 'X-A': 'a'.repeat(4_094) }, 'effect.headers must have at most 4096 characters'],
    ['none', {}, 'effect.headers must name a header'],
  ])('%s', async (_, headers, message) => {
    const world = await startWorld();
    expect(() => world.controls.faults.add({ effect: { headers } })).toThrow(message);
    const fault = JSON.stringify({ effect: { headers } });
    if (fault.length > 4_000 || /[^\x20-\x7e]/.test(fault)) return;
    const { status, body } = await call(world, 'GET', list, undefined, { 'x-emulator-fault': fault });
    expect([status, body.error.details[0].path]).toEqual([400, `X-Emulator-Fault.${message.split(/ (is|must) /)[0]}`]);
  });

  it('headers of a response that nobody gets', async () => {
    const world = await startWorld();
    expect(() => world.controls.faults.add({ effect: { network: 'reset', headers: { A: '1' } } })).toThrow(
      'effect.headers must be left out: the network fault reset leaves no response',
    );
  });
});
