// Fault rules that change fields of a response: which fields, in which responses, and what they say where they find none.

import { describe, expect, it } from 'vitest';
import { call, startWorld } from '../../support/emulator.js';

const list = '/api/v1/containers';
const shop = { name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry.local/shop:v1' };

it('set changes fields of a response, adds others, and leaves what is stored as it is', async () => {
  const world = await startWorld();
  const { body: made } = await call(world, 'POST', list, shop);
  const set = { '/data/status': 'archived', '/data/url': null, '/data/tier': { name: 'gold' }, '/data/a~1b': 1 };
  const rule = world.controls.faults.add({
    match: { operation: 'containers.get' },
    when: { times: 1 },
    effect: { set },
  });
  expect(rule).toMatchObject({ phase: 'after', effect: { set } });
  const path = `${list}/${made.data.id}`;
  const { body, headers } = await call(world, 'GET', path);
  expect(body.data).toMatchObject({
    id: made.data.id,
    status: 'archived',
    url: null,
    tier: { name: 'gold' },
    'a/b': 1,
  });
  expect([headers.get('x-emulator-fault'), headers.get('x-emulator-warning')]).toEqual([rule.id, null]);
  expect((await call(world, 'GET', path)).body.data.status).not.toBe('archived');
  const [, entry] = world.controls.requests.list().requests;
  expect(entry).toMatchObject({
    fault: rule.id,
    outcome: 'answered',
    responseBody: expect.stringContaining('archived'),
  });
  expect(world.controls.faults.get(rule.id)).toMatchObject({ hits: 1, state: 'spent' });
});

it('drop leaves out the last entries of a list, and set changes one of those that are left', async () => {
  const world = await startWorld();
  for (const name of ['a', 'b', 'c']) await call(world, 'POST', list, { ...shop, name, project_name: name });
  const namesWith = async (effect: object): Promise<string[]> => {
    const header = { 'x-emulator-fault': JSON.stringify({ effect }) };
    const { body } = await call(world, 'GET', list, undefined, header);
    return body.data.map(({ project_name: name }: { project_name: string }) => name);
  };
  const [first, second] = await namesWith({ delay: 1 });
  expect(await namesWith({ drop: { '/data': 1 } })).toEqual([first, second]);
  expect(await namesWith({ drop: { '/data': 9 } })).toEqual([]);
  expect(await namesWith({ set: { '/data': [] } })).toEqual([]);
  expect(await namesWith({ drop: { '/data': 2 }, set: { '/data/0/project_name': 'z' } })).toEqual(['z']);
});

it('a rule that changes fields does not fire where it finds none, and says so', async () => {
  const world = await startWorld();
  const { id } = world.controls.faults.add({ effect: { set: { '/data/0/status': 'x', '/nothing/there': 1 } } });
  const { body, headers } = await call(world, 'GET', list);
  expect(body).toMatchObject({ success: true, data: [] });
  expect([headers.get('x-emulator-fault'), headers.get('x-emulator-warning')]).toEqual([
    null,
    `fault ${id} has no effect here: the response has nothing that could have a field /data/0/status; fault ${id} has no effect here: the response has nothing that could have a field /nothing/there`,
  ]);
  expect(world.controls.requests.list().requests[0]).toMatchObject({
    fault: null,
    warnings: [{}, {}].map(() => expect.stringContaining('has no effect here')),
  });
  expect(world.controls.faults.neverFired()).toMatchObject([{ id, hits: 0, seen: 1 }]);
  await call(world, 'POST', list, shop);
  world.controls.faults.clear();
  const part = world.controls.faults.add({ effect: { set: { '/data/0/status': 'x', '/data/-1/status': 'y' } } });
  const partly = await call(world, 'GET', list);
  expect(partly.body.data[0].status).toBe('x');
  expect(partly.headers.get('x-emulator-warning')).toMatch(/\/data\/-1\/status$/);
  expect(world.controls.faults.get(part.id).hits).toBe(1);
});

it.each<[string, string, object | undefined, string]>([
  [
    'a stream',
    '/api/v1/chat/completions',
    { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'x' }] },
    'is not JSON',
  ],
  ['a sound', '/api/v1/voice/tts', { text: 'x', voiceId: 'EXAVITQu4vr4xnSDxMaL' }, 'is not JSON'],
])('a rule that changes fields leaves %s as it is', async (_, path, body, why) => {
  const world = await startWorld();
  const plain = await call(await startWorld(), 'POST', path, body);
  world.controls.faults.add({ effect: { set: { '/id': 'other' } } });
  const { status, text, headers } = await call(world, 'POST', path, body);
  expect([status, text.length, headers.get('x-emulator-fault')]).toEqual([200, plain.text.length, null]);
  // A stream has sent its headers before its first event.
  expect(headers.get('x-emulator-warning') ?? world.controls.requests.list().requests[0]?.warnings[0]).toContain(why);
});

it('a changed response may be delayed, have other headers, and be cut in half', async () => {
  const world = await startWorld();
  const effect = { set: { '/data': 'x'.repeat(100) }, headers: { ETag: '"1"' }, delay: 1, network: 'malformed' };
  const { text, headers } = await call(world, 'GET', list, undefined, {
    'x-emulator-fault': JSON.stringify({ effect }),
  });
  expect(headers.get('etag')).toBe('"1"');
  expect(text).toMatch(/^\{"success":true,"data":"x+$/);
});

it('remove leaves out fields and entries, and warns of those that are not there', async () => {
  const world = await startWorld();
  await call(world, 'POST', list, shop);
  const remove = ['/data/0/project_name', '/data/0/nothing', '/success'];
  world.controls.faults.add({ match: { operation: 'containers.list' }, effect: { remove } });
  const { body, headers } = await call(world, 'GET', list);
  expect(body.success).toBeUndefined();
  expect(body.data[0]).toMatchObject({ name: 'Shop' });
  expect(body.data[0]).not.toHaveProperty('project_name');
  expect(headers.get('x-emulator-warning')).toContain('the response has no field /data/0/nothing');
});

describe('refuses', () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`/${index}`, 1]));
  it.each<[string, object, string]>([
    ['no field', { set: {} }, 'effect.set must name a field of the response by its JSON Pointer'],
    ['the whole response', { set: { '': 1 } }, 'must name a field: `body` replaces the whole response'],
    ['a name alone', { set: { status: 1 } }, 'effect.set.status must be a JSON Pointer, which begins with a slash'],
    ['a wrong escape', { set: { '/a~2': 1 } }, 'effect.set./a~2 must write ~ as ~0'],
    ['the entry after the last', { set: { '/data/-': 1 } }, 'must name an entry that is there by its number'],
    ['a prototype', { set: { '/__proto__/x': 1 } }, 'must not name __proto__'],
    ['too many fields', { set: many }, 'effect.set must have at most 50 fields'],
    ['no pointer', { remove: ['status'] }, 'effect.remove.status must be a JSON Pointer'],
    ['long values', { set: { '/a': 'x'.repeat(65_536) } }, 'effect.set must be at most 64 KB of JSON'],
    ['what is not JSON', { set: { '/a': () => 1 } }, 'effect.set must have values of JSON'],
    ['a long pointer', { drop: { [`/${'a'.repeat(500)}`]: 1 } }, 'must be at most 500 characters'],
    ['no entry', { drop: { '/data': 0 } }, 'effect.drop./data'],
    [
      'its own response',
      { set: { '/a': 1 }, status: 503 },
      'effect.set changes the platform\u2019s own response: leave out `status`',
    ],
    [
      'no response',
      { drop: { '/a': 1 }, network: 'reset' },
      'effect.drop must be left out: the network fault reset leaves no response',
    ],
  ])('%s', async (_, effect, message) => {
    const world = await startWorld();
    expect(() => world.controls.faults.add({ effect } as never)).toThrow(message.replace('\u2019', "'"));
  });

  it('another phase than after', async () => {
    const world = await startWorld();
    const effect = { set: { '/a': 1 } };
    for (const phase of ['before', 'partial'] as const)
      expect(() => world.controls.faults.add({ phase, effect })).toThrow('phase must be after for set');
  });
});
