// The timeline: what happened, in order, page by page; and what is still to come, which then comes true.

import { afterEach, describe, expect, it } from 'vitest';
import { itFull } from '../../support/campaign.js';
import { call, closeEmulators, deploy, startEmulator } from '../../support/emulator.js';

afterEach(closeEmulators);

const lines = (entries: readonly { kind: string; title: string; result: string }[]): string[] =>
  entries.map(({ kind, title, result }) => `${kind}: ${title} ${result}`.trim());

describe('what is to come', () => {
  it('happens when the clock reaches it', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    await deploy(emulator, { ecr_image_uri: 'acme/web:fail-oom-start' });
    const foreseen = controls
      .timeline()
      .ahead.filter(({ kind }) => kind === 'container')
      .map(({ at, result }) => [at, result]);
    expect(foreseen.at(-1)?.[1]).toBe('failed');
    const refund = controls.timeline().ahead.find(({ title }) => title.includes('refunded'));
    await controls.clock.advance('10m');
    const { entries, ahead } = controls.timeline();
    const happened = entries.filter(({ kind }) => kind === 'container').map(({ at, result }) => [at, result]);
    expect(happened.slice(1)).toEqual(foreseen);
    expect(entries.find(({ kind, result }) => kind === 'credits' && result === '+0.5')?.at).toBe(refund?.at);
    expect(ahead.filter(({ kind }) => kind === 'container' || kind === 'credits')).toEqual([]);
  });

  it('contains expiries and ends of rate windows, the earliest first', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    await call(emulator, 'GET', '/api/v1/containers');
    controls.keys.create({ name: 'short', expiresIn: '5m' });
    controls.sessions.create({ expiresIn: '2h' });
    controls.faults.add({ match: { operation: 'keys.*' }, when: { expiresIn: '30s' }, effect: { status: 503 } });
    const { ahead } = controls.timeline();
    expect(ahead.map(({ title }) => title)).toEqual([
      'Fault rule fault_1',
      'Rate limit “all” of Seeded test key',
      'Key short',
      'Session',
    ]);
  });
});

describe('what happened', () => {
  it('is refused for a kind that there is not', async () => {
    const { controls } = await startEmulator();
    expect(() => controls.timeline({ kinds: 'request,containers' })).toThrow(
      /kinds must be one or more of request, container, agent, job/,
    );
  });

  it('names the operation of a request, and the project of the container that it concerns', async () => {
    const emulator = await startEmulator();
    const { id } = await deploy(emulator, { name: 'shop', project_name: 'shop' });
    await call(emulator, 'GET', `/api/v1/containers/${id}`);
    await call(emulator, 'GET', '/api/v1/containers/none');
    const requests = emulator.controls.timeline({ kinds: 'request' }).entries;
    expect(requests.map(({ operation, project }) => [operation, project])).toEqual([
      ['containers.create', 'shop'],
      ['containers.get', 'shop'],
      ['containers.get', null],
    ]);
  });

  it('has the same newest entries however few of many are asked for', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    for (let round = 0; round < 12; round++) {
      await deploy(emulator, { name: `web-${round}`, project_name: `web-${round}` });
      await call(emulator, 'GET', '/api/v1/containers');
      await controls.clock.advance('7s');
    }
    for (const kinds of [undefined, 'request', 'container,credits', 'clock']) {
      const { entries } = controls.timeline({ kinds, limit: 1_000 });
      const newest = controls.timeline({ kinds, limit: 2 });
      expect([newest.entries, newest.hasOlder]).toEqual([entries.slice(-2), true]);
      const older = controls.timeline({ kinds, limit: 2, before: newest.entries[0]?.id });
      expect(older.entries).toEqual(entries.slice(-4, -2));
    }
  });

  it('is in the order in which it happened, even with a frozen clock', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    await deploy(emulator);
    await call(emulator, 'GET', '/api/v1/containers/none');
    await controls.clock.advance('1s');
    await call(emulator, 'GET', '/api/v1/containers');
    const { entries } = controls.timeline({ kinds: 'request,credits,clock' });
    expect(lines(entries).slice(-5)).toEqual([
      'request: POST /api/v1/containers 202',
      'credits: Deployment of web -0.5',
      'request: GET /api/v1/containers/none 404',
      'clock: Time advanced by 1s',
      'request: GET /api/v1/containers 200',
    ]);
  });

  it('comes page by page, each entry once', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    for (let i = 0; i < 25; i++) await call(emulator, 'GET', `/api/v1/containers?page=${i + 1}`);
    const found: string[] = [];
    let before: string | undefined;
    for (let pages = 0; pages < 10; pages++) {
      const page = controls.timeline({ limit: 10, before, kinds: 'request' });
      found.unshift(...page.entries.map(({ title }) => title));
      before = page.entries[0]?.id;
      if (!page.hasOlder) break;
    }
    expect(found).toEqual(Array.from({ length: 25 }, (_, i) => `GET /api/v1/containers?page=${i + 1}`));
  });

  it('is returned from a cursor on', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    await call(emulator, 'GET', '/api/v1/containers');
    const { cursor } = controls.timeline();
    await call(emulator, 'GET', '/api/v1/agents');
    await controls.clock.advance('5s');
    expect(lines(controls.timeline({ after: cursor }).entries)).toEqual([
      'request: GET /api/v1/agents 405',
      'clock: Time advanced by 5s',
    ]);
    expect(() => controls.timeline({ after: 'yesterday' })).toThrow(/cursor of an earlier response/);
  });

  it('is returned from a cursor on for a container that had settled long before, too', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    const { id } = await deploy(emulator);
    controls.clock.freeze();
    await controls.clock.advance('1h');
    controls.snapshots.take({ name: 'settled' });
    const follow = (): { seen: () => [past: string[], future: string[]] } => {
      const { cursor } = controls.timeline();
      const isOfIt = ({ subject }: { subject: string | null }): boolean => subject === id;
      const results = (entries: readonly { subject: string | null; result: string; kind: string }[]): string[] =>
        entries.filter((entry) => isOfIt(entry) && entry.kind === 'container').map(({ result }) => result);
      return {
        seen() {
          const { entries, ahead } = controls.timeline({ after: cursor });
          return [results(entries), results(ahead)];
        },
      };
    };
    const settled = follow();
    expect(settled.seen()).toEqual([[], []]);
    await controls.clock.advance('1s');
    controls.containers.stop(id);
    expect(settled.seen()).toEqual([['stopped'], []]);
    await controls.snapshots.restore('settled');
    const restored = follow();
    await controls.clock.advance('1s');
    expect(restored.seen()).toEqual([[], []]);
    await deploy(emulator);
    const [, future] = restored.seen();
    expect(future.at(-1)).toBe('running');
    await controls.clock.advance('10m');
    expect(restored.seen()).toEqual([['pending', ...future], []]);
  });

  itFull('costs a reader with a cursor little CPU, however many containers have settled', async () => {
    const emulator = await startEmulator({ config: { quotas: { enabled: false }, rateLimits: { enabled: false } } });
    const { controls } = emulator;
    for (let i = 0; i < 300; i++) await deploy(emulator, { name: `web-${i}`, project_name: `web-${i}` });
    await controls.clock.advance('1h');
    const { cursor } = controls.timeline();
    await controls.clock.advance('1s');
    const cpuOf = (act: () => unknown): number => {
      const before = process.cpuUsage();
      for (let i = 0; i < 20; i++) act();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const whole = cpuOf(() => controls.timeline());
    expect(cpuOf(() => controls.timeline({ after: cursor }))).toBeLessThan(whole / 3);
  });

  it('is shown as of each point of the history as it was shown then', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    const then: { point: number; shown: unknown }[] = [];
    const note = (): void => {
      const { now, entries, ahead } = controls.timeline();
      then.push({ point: controls.history.list({ limit: 1 }).last ?? 0, shown: { now, entries, ahead } });
    };
    await deploy(emulator, { name: 'shop', project_name: 'shop' });
    note();
    controls.snapshots.take({ name: 'before' });
    controls.faults.add({ match: { operation: 'containers.get' }, effect: { status: 503 } });
    await call(emulator, 'GET', '/api/v1/containers/shop');
    note();
    await controls.clock.advance('10m');
    note();
    // The history of the clock hears of a change when the present turn ends.
    await Promise.resolve(controls.clock.resume({ speed: 1_000 }));
    await Promise.resolve(controls.clock.freeze());
    note();
    await call(emulator, 'POST', '/api/v1/eliza/agents', { agentName: 'Support', alwaysOn: true });
    note();
    controls.containers.stop('shop');
    note();
    await controls.snapshots.restore('before');
    note();
    await controls.clock.advance('1s');
    note();
    await call(emulator, 'DELETE', `/api/v1/containers/${controls.containers.list()[0]?.id}`);
    note();
    for (const { point, shown } of then) {
      const { now, entries, ahead } = controls.timeline({ point });
      expect({ point, shown: { now, entries, ahead } }).toEqual({ point, shown });
    }
    expect(() => controls.timeline({ point: 1_000 })).toThrow(/The history has no point 1000/);
    expect(() => controls.timeline({ point: 1, after: '0.0.0.0.0' })).toThrow(/cannot be given with `point`/);
  });

  it('keeps entries from before a restore before it', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    controls.snapshots.take({ name: 'before' });
    await controls.clock.advance('1h');
    await call(emulator, 'GET', '/api/v1/containers');
    await controls.snapshots.restore('before');
    await call(emulator, 'GET', '/api/v1/containers/none');
    expect(lines(controls.timeline().entries)).toEqual([
      'credits: Credits of a new world +1000',
      'request: GET /api/v1/containers 200',
      'marker: A snapshot was restored before',
      'request: GET /api/v1/containers/none 404',
    ]);
  });

  it('is found by any of its words', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    await deploy(emulator);
    await call(emulator, 'GET', '/api/v1/containers/none');
    expect(lines(controls.timeline({ search: 'NOT_FOUND containers.get' }).entries)).toEqual([
      'request: GET /api/v1/containers/none 404',
    ]);
    expect(controls.timeline({ search: 'web agent' }).entries).toEqual([]);
  });
});
