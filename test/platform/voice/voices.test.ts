// Listing, showing, changing and deleting voices, and whose they are.

import { beforeEach, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { call, startWorld } from '../../support/emulator.js';
import { base, clone, sarah } from '../../support/voice.js';

let world: EmulatorWorld;
beforeEach(async () => {
  world = await startWorld({ voice: { cloning: { timing: 'instant' } } });
});

const list = async (query = '', headers = {}) =>
  (await call(world, 'GET', `${base}/list${query}`, undefined, headers)).body;
const named = async (name: string, cloneType = 'instant'): Promise<string> =>
  (await clone(world, { name, cloneType })).body.id;

it('the list of voices holds cloned ones, newest first, page by page', async () => {
  for (const name of ['a', 'b', 'c']) await named(name);
  const all = await list();
  expect(all).toMatchObject({ success: true, total: 3, limit: 50, offset: 0, hasMore: false });
  const names = (voices: { name: string }[]) => voices.map(({ name }) => name);
  expect(names(all.voices)).toEqual(['c', 'b', 'a']);
  const page = await list('?limit=1&offset=1');
  expect([names(page.voices), page.total, page.hasMore]).toEqual([['b'], 3, true]);
  expect(await list('?offset=3')).toMatchObject({ voices: [], total: 3, hasMore: false });
});

it('a voice names the provider’s id after the provider of the settings', async () => {
  world = await startWorld({
    service: { legacyVoiceProvider: 'acme' },
    voice: { cloning: { timing: 'instant' } },
  });
  await named('Ada');
  expect((await list()).voices[0]).toHaveProperty('acmeVoiceId');
});

it('the list of voices filters by type and shows what is switched off only when asked', async () => {
  const [off, professional] = [await named('off'), await named('pro', 'professional')];
  await call(world, 'PATCH', `${base}/${off}`, { isActive: false });
  const ids = async (query: string) => (await list(query)).voices.map(({ id }: { id: string }) => id);
  expect(await ids('')).toEqual([professional]);
  expect(await ids('?includeInactive=true')).toEqual([professional, off]);
  expect(await ids('?includeInactive=true&cloneType=instant')).toEqual([off]);
  expect(await ids('?cloneType=professional')).toEqual([professional]);
});

it('the list of voices holds the provider’s own when asked, after the cloned ones', async () => {
  const id = await named('Ada');
  const { voices, total } = await list('?includePremade=true');
  expect(voices[0].id).toBe(id);
  expect(voices.slice(1).every(({ category }: { category: string }) => category === 'premade')).toBe(true);
  expect(voices.map((voice: Record<string, string>) => voice.elevenlabsVoiceId)).toContain(sarah);
  expect(total).toBe(voices.length);
  expect((await list()).total).toBe(1);
});

it.each(['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'cloneType=quick', 'includeInactive=maybe'])(
  'the list of voices is 400 for ?%s',
  async (query) => {
    const answer = await call(world, 'GET', `${base}/list?${query}`);
    expect([answer.status, answer.body.error.details[0].path]).toEqual([400, `query.${query.split('=')[0]}`]);
  },
);

it('a voice is shown under its id and the provider’s', async () => {
  const id = await named('Ada');
  const { voice } = (await call(world, 'GET', `${base}/${id}`)).body;
  expect(voice).toMatchObject({ id, organizationId: world.organizationId, creationCost: 10, samples: [{}] });
  expect((await call(world, 'GET', `${base}/${voice.elevenlabsVoiceId}`)).body.voice).toEqual(voice);
  const premade = (await call(world, 'GET', `${base}/${sarah}`)).body.voice;
  expect(premade).toMatchObject({ name: 'Sarah', category: 'premade', isActive: true, organizationId: null });
  expect((await call(world, 'GET', `${base}/${premade.id}`)).body.voice).toEqual(premade);
});

it('a voice is 400 for what is no id, and 404 for one that is unknown', async () => {
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const at = (id: string) => call(world, method, `${base}/${id}`, method === 'PATCH' ? {} : undefined);
    for (const id of ['nothing', '%00', 'x'.repeat(500)]) {
      const { status, body } = await at(id);
      expect([status, body.error.details?.[0].path]).toEqual([400, 'path.id']);
    }
    for (const id of ['00000000-0000-4000-8000-000000000000', 'A'.repeat(20)]) expect((await at(id)).status).toBe(404);
  }
});

it('a voice takes settings of at most 10,000 characters, however they come', async () => {
  const id = await named('Ada');
  const patch = (length: number) =>
    call(world, 'PATCH', `${base}/${id}`, { settings: { a: 'x'.repeat(length - '{"a":""}'.length) } });
  expect((await patch(10_000)).status).toBe(200);
  const refused = await patch(10_001);
  expect(refused.status).toBe(400);
  expect(refused.body.error.details[0]).toMatchObject({
    path: 'settings',
    message: expect.stringContaining('at most 10000 characters'),
  });
});

it('a change of a voice changes what is given, and nothing else', async () => {
  const id = await named('Ada');
  await world.controls.clock.advance('1h');
  const { status, body } = await call(world, 'PATCH', `${base}/${id}`, { name: ' Grace ', description: 'Clear' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    success: true,
    voice: { name: 'Grace', description: 'Clear', isActive: true, updatedAt: '2026-01-01T01:00:00.000Z' },
  });
  const off = await call(world, 'PATCH', `${base}/${id}`, {
    isActive: false,
    description: null,
    settings: { a: 1 },
  });
  expect(off.body.voice).toMatchObject({ name: 'Grace', description: '', isActive: false, settings: { a: 1 } });
  const silent = await call(world, 'POST', `${base}/tts`, { text: 'x', voiceId: id });
  expect([silent.status, silent.body.error.message]).toEqual([400, expect.stringContaining('switched off')]);
  const bad = await call(world, 'PATCH', `${base}/${id}`, { name: '', isActive: 'no' });
  expect(bad.body.error.details.map(({ path }: { path: string }) => path)).toEqual(['name', 'isActive']);
});

it('a voice is deleted at once; the provider’s cannot be changed', async () => {
  const id = await named('Ada');
  const gone = await call(world, 'DELETE', `${base}/${id}`);
  expect(gone.body).toEqual({ success: true, message: 'Voice deleted successfully' });
  expect((await call(world, 'GET', `${base}/${id}`)).status).toBe(404);
  expect((await call(world, 'DELETE', `${base}/${id}`)).status).toBe(404);
  expect((await call(world, 'POST', `${base}/tts`, { text: 'x', voiceId: id })).status).toBe(400);
  for (const method of ['DELETE', 'PATCH'])
    expect((await call(world, method, `${base}/${sarah}`, method === 'PATCH' ? {} : undefined)).status).toBe(403);
});

it('a voice that is deleted before it is ready returns its charge, once', async () => {
  world = await startWorld();
  const id = await named('Ada');
  await call(world, 'DELETE', `${base}/${id}`);
  expect(world.controls.ledger().at(-1)).toMatchObject({ type: 'refund', amount: 10, balanceAfter: 1_000 });
  expect(world.controls.jobs.list()).toMatchObject([{ status: 'failed', error: expect.stringContaining('deleted') }]);
  await world.controls.clock.advance('1h');
  expect(world.controls.ledger()).toHaveLength(3);
});

it('voices of organizations are kept apart', async () => {
  const id = await named('Ada');
  const { apiKey } = world.controls.organizations.create({ credits: 100 });
  const other = { authorization: `Bearer ${apiKey}` };
  expect(await list('', other)).toMatchObject({ voices: [], total: 0 });
  expect((await call(world, 'GET', `${base}/jobs?all=true`, undefined, other)).body.jobs).toEqual([]);
  for (const method of ['GET', 'DELETE'])
    expect((await call(world, method, `${base}/${id}`, undefined, other)).status).toBe(404);
  expect((await call(world, 'POST', `${base}/tts`, { text: 'x', voiceId: id }, other)).status).toBe(400);
});
