// At a frozen clock everything has one instant: pages by cursor and streams contain each thing once, in the order in which it
// happened.

import { afterEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { call, closeEmulators, deploy, startEmulator } from '../../support/emulator.js';
import { formOf, sample, base as voices } from '../../support/voice.js';

afterEach(closeEmulators);

const short = ({ kind, title, result }: { kind: string; title: string; result: string }): string =>
  `${kind}: ${title} ${result}`.trim();

interface Step {
  act: (emulator: Emulator, ids: { job?: string }) => unknown;
  entries: string[];
}

const get: Step = {
  act: (emulator) => call(emulator, 'GET', '/api/v1/containers/none'),
  entries: ['request: GET /api/v1/containers/none 404'],
};

const onContainer = (project: string, kind: 'crash' | 'recover' | 'stop', result: string): Step => ({
  act: ({ controls }) => controls.containers[kind](project),
  entries: [`container: Container ${project} ${result}`],
});

const jump = (ms: number, entries: string[]): Step => ({
  act: ({ controls }) => controls.clock.advance(ms),
  entries: [...entries, `clock: Time advanced by ${ms / 1000}s`],
});

const steps: Step[] = [
  onContainer('b', 'crash', 'failed'),
  onContainer('a', 'crash', 'failed'),
  get,
  onContainer('a', 'recover', 'running'),
  onContainer('b', 'recover', 'running'),
  get,
  onContainer('b', 'stop', 'stopped'),
  {
    act: (emulator) => deploy(emulator, { name: 'c', project_name: 'c' }),
    entries: [
      'request: POST /api/v1/containers 202',
      'credits: Deployment of c -0.5',
      'container: Container c pending',
    ],
  },
  jump(1_000, ['container: Container c building']),
  onContainer('a', 'crash', 'failed'),
  get,
  {
    act: ({ controls }) => controls.containers.fail('c'),
    entries: ['container: Container c failed', 'credits: Deployment failed +0.5'],
  },
  onContainer('a', 'recover', 'running'),
  {
    act: async (emulator, ids) => {
      const response = await emulator.fetch(`${voices}/clone`, {
        method: 'POST',
        headers: { authorization: `Bearer ${emulator.apiKey}` },
        body: formOf({ name: 'Ann', cloneType: 'instant', file0: sample() }),
      });
      ids.job = ((await response.json()) as { job: { id: string } }).job.id;
    },
    entries: [
      'request: POST /api/v1/voice/clone 201',
      'credits: Cloning of Ann -10',
      'job: Cloning of voice Ann pending',
    ],
  },
  onContainer('b', 'recover', 'running'),
  {
    act: ({ controls }, ids) => controls.jobs.fail(ids.job ?? ''),
    entries: [
      'job: Cloning of voice Ann processing',
      'job: Cloning of voice Ann failed',
      'credits: Cloning of Ann failed +10',
    ],
  },
  onContainer('b', 'crash', 'failed'),
  get,
];

async function begin(): Promise<Emulator> {
  const times = { pending: '1s', building: '1s', deploying: '1s' };
  const emulator = await startEmulator({ containers: { timing: times } });
  for (const name of ['a', 'b']) await deploy(emulator, { name, project_name: name });
  await emulator.controls.clock.advance('1m');
  return emulator;
}

describe('the timeline', () => {
  it('contains each thing once, in its order, whole and from cursor to cursor', async () => {
    const emulator = await begin();
    let { cursor } = emulator.controls.timeline();
    const from = emulator.controls.timeline().entries.length;
    const ids: { job?: string } = {};
    const parts: string[] = [];
    for (const { act, entries } of steps) {
      await act(emulator, ids);
      const next = emulator.controls.timeline({ after: cursor });
      cursor = next.cursor;
      expect(next.entries.map(short)).toEqual(entries);
      parts.push(...next.entries.map(({ id }) => id));
    }
    const { entries } = emulator.controls.timeline();
    expect(entries.slice(from).map(short)).toEqual(steps.flatMap((step) => step.entries));
    expect(entries.slice(from).map(({ id }) => id)).toEqual(parts);
    // Pages of three, from the newest back.
    const pages: string[] = [];
    for (let before: string | undefined, more = true; more; before = pages[0]) {
      const page = emulator.controls.timeline({ limit: 3, before });
      pages.unshift(...page.entries.map(({ id }) => id));
      more = page.hasOlder;
    }
    expect(pages).toEqual(entries.map(({ id }) => id));
  });
});

describe('events', () => {
  it('tell of containers in the order in which things happened to them', async () => {
    const { controls } = await begin();
    const told: string[] = [];
    const reading = (async () => {
      for await (const { type, data } of controls.events())
        if (type === 'container') {
          told.push(`${data.project_name} ${data.status}`);
          if (told.length === 6) return;
        }
    })();
    for (const [project, kind] of [
      ...[
        ['b', 'crash'],
        ['a', 'crash'],
        ['b', 'recover'],
        ['a', 'recover'],
        ['b', 'stop'],
        ['a', 'stop'],
      ],
    ] as const)
      controls.containers[kind as 'crash'](project as string);
    await reading;
    expect(told).toEqual(['b failed', 'a failed', 'b running', 'a running', 'b stopped', 'a stopped']);
  });

  it('tell of what a jump of the clock brings in the order of time', async () => {
    const emulator = await begin();
    const { controls } = emulator;
    const told: string[] = [];
    const reading = (async () => {
      for await (const { type, data } of controls.events())
        if (type === 'container') {
          told.push(`${data.at} ${data.project_name} ${data.status}`);
          if (told.length === 8) return;
        }
    })();
    await deploy(emulator, { name: 'c', project_name: 'c' });
    await controls.clock.advance(500);
    await deploy(emulator, { name: 'd', project_name: 'd' });
    await controls.clock.advance('1m');
    await reading;
    expect(told).toEqual([...told].sort());
    expect(told.map((text) => text.slice(25))).toEqual([
      ...['c pending', 'd pending', 'c building', 'd building', 'c deploying', 'd deploying', 'c running', 'd running'],
    ]);
  });
});
