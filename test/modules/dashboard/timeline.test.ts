// The timeline: what happened, in order, page by page; and what is still to come, which then comes true.

import { afterEach, describe, expect, it } from 'vitest';
import { call, closeEmulators, deploy, startEmulator } from '../../support/emulator.js';

afterEach(closeEmulators);

const lines = (entries: readonly { kind: string; title: string; result: string }[]): string[] =>
  entries.map(({ kind, title, result }) => `${kind}: ${title} ${result}`.trim());

describe('what is to come', () => {
  it('comes true when the clock gets there', async () => {
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

  it('holds expiries and ends of windows, the earliest first', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    await call(emulator, 'GET', '/api/v1/containers');
    controls.keys.create({ name: 'short', expiresIn: '5m' });
    controls.sessions.create({ expiresIn: '2h' });
    controls.faults.add({ match: { operation: 'keys.*' }, when: { expiresIn: '30s' }, effect: { status: 503 } });
    const { ahead } = controls.timeline();
    expect(ahead.map(({ title }) => title.replace(/key [0-9a-f]{8}$/, 'key'))).toEqual([
      'Fault rule fault_1',
      'Rate limit “all” of key',
      'Key short',
      'Session',
    ]);
  });
});

describe('what happened', () => {
  it('is in the order in which it happened, also where the clock stands still', async () => {
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

  it('is told from a cursor on', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    await call(emulator, 'GET', '/api/v1/containers');
    const { cursor } = controls.timeline();
    await call(emulator, 'GET', '/api/v1/agents');
    await controls.clock.advance('5s');
    expect(lines(controls.timeline({ after: cursor }).entries)).toEqual([
      'request: GET /api/v1/agents 404',
      'clock: Time advanced by 5s',
    ]);
    expect(() => controls.timeline({ after: 'yesterday' })).toThrow(/cursor of an earlier answer/);
  });

  it('keeps what was before a restore in its place before it', async () => {
    const emulator = await startEmulator();
    const { controls } = emulator;
    controls.snapshots.take({ name: 'before' });
    await controls.clock.advance('1h');
    await call(emulator, 'GET', '/api/v1/containers');
    controls.snapshots.restore('before');
    await call(emulator, 'GET', '/api/v1/containers/none');
    expect(lines(controls.timeline().entries)).toEqual([
      'credits: Credits of a new world +1000',
      'request: GET /api/v1/containers 200',
      'marker: A snapshot was restored before',
      'request: GET /api/v1/containers/none 404',
    ]);
  });

  it('is found by all of its words', async () => {
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
