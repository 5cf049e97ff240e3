// The present state saved as a scenario of one's own: readable, and the same things in the same states when applied.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../../support/command.js';
import { damageRow } from '../../support/damage.js';
import { call, deploy, startEmulator } from '../../support/emulator.js';
import { pay } from '../../support/payments.js';

const look = ({ controls }: Awaited<ReturnType<typeof startEmulator>>) => ({
  containers: controls.containers
    .list()
    .map(({ project_name, name, status, mode }) => ({ project_name, name, status, mode })),
  organizations: controls.organizations.list().map(({ name, plan, credits }) => ({ name, plan, credits })),
  keys: controls.keys.list().map(({ name, usable }) => ({ name, usable })),
  now: controls.clock.get().now,
  config: controls.config(),
  full: controls.limits
    .list()
    .windows.filter(({ exhausted }) => exhausted)
    .map(({ bucket, resetsAt }) => ({ bucket, resetsAt })),
  faults: controls.faults.list().map(({ match, effect, phase }) => ({ match, effect, phase })),
});

async function busyWorld() {
  const emulator = await startEmulator({ containers: { failure: null } });
  const { controls } = emulator;
  await controls.scenarios.apply({
    settings: { prices: { deploy: 1 } },
    containers: [{ match: { project: 'flaky' }, mode: 'crash-loop' }],
  });
  await deploy(emulator, { environment_vars: { TOKEN: 'hunter2', EMULATOR_FAIL: 'oom-later' }, port: 8_080 });
  await controls.clock.advance('3h17m');
  const { id } = await deploy(emulator, { name: 'two', project_name: 'two', ecr_image_uri: 'r/two:v2' });
  await controls.clock.advance('1m');
  controls.containers.stop(id);
  await deploy(emulator, { name: 'Flaky one', project_name: 'flaky' });
  await controls.clock.advance('2s');
  await call(emulator, 'POST', '/api/v1/app/agents', { name: 'Ada', bio: 'Counts', isPublic: true });
  controls.organizations.create({ name: 'Other', plan: 'pro', credits: 3 });
  const key = controls.keys.create({ name: 'CI', permissions: ['apps'], expiresIn: '1h' });
  controls.faults.add({ match: { key: key.id }, when: { times: 3 }, effect: { network: 'reset' } });
  controls.limits.set({ operation: 'agents.list', limit: 3, window: '10s' });
  controls.limits.exhaust({ operation: 'agents.list', retryAfter: 30 });
  return emulator;
}

describe('a saved scenario', () => {
  it('is readable', async () => {
    const { controls } = await busyWorld();
    const { document, ...where } = controls.scenarios.save({ name: 'busy', title: 'A busy account' });
    expect(where).toEqual({ name: 'busy', source: 'memory', file: null });
    expect(document).toMatchObject({
      title: 'A busy account',
      clock: { start: '2026-01-01T03:18:02.000Z', frozen: true },
      settings: { prices: { deploy: 1 } },
      data: {
        credits: 997,
        keys: [{ name: 'CI', permissions: ['apps'], expiresIn: '1h' }],
        containers: [
          {
            project_name: 'web',
            ecr_image_uri: '127.0.0.1:4747/acme/web:v1',
            port: 8_080,
            environment_vars: { TOKEN: '********', EMULATOR_FAIL: 'oom-later' },
            age: '3h18m2s',
            status: 'failed',
            mode: 'oom-later',
          },
          { project_name: 'two', ecr_image_uri: 'r/two:v2', age: '1m2s', status: 'stopped' },
          { project_name: 'flaky', name: 'Flaky one', age: '2s', status: 'building', mode: 'crash-loop' },
        ],
        agents: [{ name: 'Ada', bio: 'Counts', isPublic: true, age: '0s' }],
        organizations: [{ name: 'Other', plan: 'pro', credits: 3 }],
      },
      containers: [{ match: { project: 'flaky' }, mode: 'crash-loop' }],
      faults: [{ match: { key: 'CI' }, when: { times: 3 }, phase: 'before', effect: { network: 'reset' } }],
      limits: [
        { operation: 'agents.list', limit: 3, window: '10s' },
        { exhaust: { operation: 'agents.list', retryAfter: 30 } },
      ],
    });
    expect(JSON.stringify(document)).not.toContain('hunter2');
  });

  it('gives the same things in the same states, and the same document again', async () => {
    const emulator = await busyWorld();
    const { controls } = emulator;
    const before = look(emulator);
    const { document } = controls.scenarios.save({ name: 'busy' });
    await controls.clock.advance('1d');
    await controls.scenarios.apply('busy');
    const fault = before.faults[0];
    const key = controls.faults.list()[0]?.match.key;
    expect(look(emulator)).toEqual({ ...before, faults: [{ ...fault, match: { key } }] });
    expect(controls.scenarios.save({ name: 'again' }).document).toEqual(document);
  });

  it.each(['crowded-account', 'rough-day', 'quota-reached', 'expired-credentials', 'rate-limited', 'restricted-key'])(
    'of %s is what that leads to',
    async (name) => {
      const emulator = await startEmulator();
      const { controls } = emulator;
      await controls.scenarios.apply(name);
      await controls.clock.advance('1s');
      const before = look(emulator);
      const { document } = controls.scenarios.save({ name: 'mine' });
      await controls.scenarios.apply({});
      await controls.scenarios.apply('mine');
      expect(look(emulator)).toEqual(before);
      expect(controls.scenarios.save({ name: 'mine' }).document).toEqual(document);
    },
  );
});

it('a world with more than a scenario can hold is saved as far as it goes', async () => {
  const emulator = await startEmulator();
  const { controls } = emulator;
  await call(emulator, 'POST', '/api/v1/api-keys', { name: 'For ever', expires_at: '9999-12-31T23:59:59Z' });
  for (let i = 0; i < 210; i++) controls.faults.add({ match: { operation: 'keys.delete' }, effect: { delay: 1 } });
  for (let i = 0; i < 3; i++)
    await controls.scenarios.apply({ containers: Array(100).fill({ match: { project: 'x' } }) }, { merge: true });
  await controls.clock.advance('365d');
  await controls.clock.advance('365d');
  const { document } = controls.scenarios.save({ name: 'much' });
  expect(document.data?.keys?.[0]?.expiresIn).toBe('36600d');
  expect([document.faults?.length, document.containers?.length]).toEqual([200, 200]);
  await controls.scenarios.apply('much');
});

it('a balance that a payment made larger than a scenario can give is saved as the largest', async () => {
  const emulator = await startEmulator();
  const { controls, organizationId } = emulator;
  const paying = () => controls.organizations.list().find(({ id }) => id !== organizationId);
  await pay(emulator);
  controls.organizations.credits(paying()?.id ?? '', { set: 1_000_000_000 });
  await pay(emulator);
  expect(paying()?.credits).toBe(1_000_000_010);
  expect(controls.scenarios.save({ name: 'rich' }).document.data?.organizations?.[0]?.credits).toBe(1_000_000_000);
});

it('a saved scenario leaves out settings of an older version that are refused now', async () => {
  const dataDir = tempDir();
  await (await startEmulator({ dataDir })).close();
  const older = { voice: { defaultVoice: 'narrator', chunked: true }, gone: 1 };
  damageRow(join(dataDir, 'world.db'), 'settings', JSON.stringify(older));
  const { controls } = await startEmulator({ dataDir, data: { scenarios: tempDir() } });
  expect(controls.scenarios.save({ name: 'older' }).document.settings).toEqual({ voice: { chunked: true } });
  await controls.scenarios.apply('older');
});

describe('the directory', () => {
  it('holds what was saved, and what people write into it', async () => {
    const scenarios = join(tempDir(), 'own');
    const emulator = await startEmulator({ data: { scenarios } });
    const { controls } = emulator;
    expect(existsSync(scenarios)).toBe(false);
    const saved = controls.scenarios.save({ name: 'mine', title: 'Mine' });
    expect(saved).toMatchObject({ source: 'own', file: join(scenarios, 'mine.json') });
    const written = readFileSync(join(scenarios, 'mine.json'), 'utf8');
    expect(JSON.parse(written)).toEqual(saved.document);
    writeFileSync(join(scenarios, 'mine.json'), written.replace('"Mine"', '"Ours"'));
    writeFileSync(join(scenarios, 'broken.json'), '{"faults": [}');
    writeFileSync(join(scenarios, 'wrong.json'), '{"falts": [], "containers": [{"mode": "oom"}]}');
    writeFileSync(join(scenarios, 'no name.json'), '{}');
    writeFileSync(join(scenarios, 'happy-path.json'), '{"title": "My own path"}');
    mkdirSync(join(scenarios, 'folder.json'));
    const own = controls.scenarios.list().filter(({ source }) => source === 'own');
    expect(own).toEqual([
      {
        name: 'broken',
        ...none(scenarios, 'broken'),
        problems: [expect.stringMatching(/broken.json: unexpected "}"/)],
      },
      { ...none(scenarios, 'happy-path'), name: 'happy-path', title: 'My own path', problems: [] },
      { ...none(scenarios, 'mine'), name: 'mine', title: 'Ours', problems: [] },
      { ...none(scenarios, 'no name'), name: 'no name', problems: [expect.stringMatching(/its name must be/)] },
      {
        ...none(scenarios, 'wrong'),
        name: 'wrong',
        problems: [
          'falts is unknown; did you mean "faults"?',
          expect.stringMatching(/^containers\[0\].mode must be a failure mode: .*, got "oom"/),
        ],
      },
    ]);
    const answer = await call(emulator, 'POST', '/_emulator/scenarios/broken');
    expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(await controls.scenarios.apply('mine')).toMatchObject({ name: 'mine', title: 'Ours' });
    expect(await controls.scenarios.apply('happy-path')).toMatchObject({ title: 'My own path' });
  });

  it('that cannot be written is reported', async () => {
    const file = join(tempDir(), 'file');
    writeFileSync(file, '');
    const { controls } = await startEmulator({ data: { scenarios: file } });
    expect(() => controls.scenarios.save({ name: 'x' })).toThrow(/x.json cannot be written \((ENOTDIR|EEXIST)\)/);
    expect(() => controls.scenarios.save({ name: '../x' })).toThrow(/name must be 1 to 64/);
  });

  it('is not needed: what is saved in memory is there for every world', async () => {
    const emulator = await startEmulator();
    emulator.controls.scenarios.save({ name: 'mine' });
    const { baseUrl } = await emulator.controls.worlds.create({ scenario: 'mine' });
    const answer = await fetch(`${baseUrl}/_emulator/scenarios/mine`);
    expect(await answer.json()).toMatchObject({ name: 'mine', source: 'memory', file: null });
  });

  function none(scenarios: string, name: string) {
    return { title: null, description: null, source: 'own', file: join(scenarios, `${name}.json`) };
  }
});
