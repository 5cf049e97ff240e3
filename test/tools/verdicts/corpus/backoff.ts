// Clients whose requests keep failing.

import { formOf, sample } from '../../../support/voice.js';
import { type Case, containers, type Kit, retrying, type Send, times } from './kit.js';

const rule = 'backoff-grows';
/** So many that some come at once one after the other even where the machine is busy. */
const atOnce = times(24, () => 0);
const list = (send: Send) => () => send('GET', containers);

const failing =
  (waits: readonly number[], of: (kit: Kit) => Send = (kit) => kit.fetch, effect?: object) =>
  async (kit: Kit) => {
    kit.fail('containers.list', waits.length, effect);
    await retrying(list(of(kit)), waits, kit);
  };

const byWaits = (
  rows: readonly [name: string, why: string, waits: readonly number[], verdict: Case['verdicts'][string]][],
) =>
  rows.flatMap(([name, why, waits, verdict]): Case[] => [
    { name: `${name}, by fetch`, why, verdicts: { [rule]: verdict }, client: failing(waits) },
    {
      name: `${name}, by a kept connection`,
      why,
      verdicts: { [rule]: verdict },
      client: failing(waits, (kit) => kit.agent()),
    },
  ]);

/** Workers with a client each, who try at these instants. */
const workers = (clients: readonly Send[], plans: readonly (readonly number[])[], kit: Kit) =>
  kit.schedule(
    clients.flatMap((send, index) =>
      (plans[index] ?? []).map((ms): [number, () => Promise<unknown>] => [ms, list(send)]),
    ),
  );

export const backoffCases: readonly Case[] = [
  ...byWaits([
    ['doubles its waits', 'they grow', [1_000, 2_000, 4_000, 8_000], 'pass'],
    [
      'doubles them with jitter of -25 and +25 %',
      'jitter of a quarter both ways',
      [1_250, 1_500, 5_000, 6_000],
      'pass',
    ],
    ['doubles them with jitter, three tries', 'as much can be told', [1_250, 1_500, 3_100], 'pass'],
    ['waits a second longer each time', 'they grow', [1_000, 2_000, 3_000, 4_000], 'pass'],
    ['doubles its waits up to a limit', 'a limit is no shrinking', [1_000, 2_000, 4_000, 4_000, 4_000], 'pass'],
    ['waits a second each time', 'they do not grow', [1_000, 1_000, 1_000, 1_000], 'fail'],
    ['waits about a second each time', 'jitter is no growth', [1_250, 800, 1_100, 900, 1_240], 'fail'],
    ['keeps coming at once', 'it does not wait', atOnce, 'fail'],
    ['waits less and less', 'they shrink', [4_000, 2_000, 1_000, 500], 'fail'],
    ['fails once an hour ago', 'that was another piece of work', [3_600_000, 1_000, 2_000, 4_000], 'pass'],
    [
      'is a job of every ten minutes',
      'each is work of its own',
      [600_000, 600_000, 600_000],
      ['pass', 'not-exercised'],
    ],
    [
      'is a job of every ten minutes that tries three times',
      'the wait for the next job belongs to neither',
      [1_000, 2_000, 597_000, 1_000, 2_000, 597_000, 1_000, 2_000],
      'pass',
    ],
    [
      'fails twice, and twice an hour later',
      'no request failed three times',
      [1_000, 3_599_000, 1_000],
      'not-exercised',
    ],
  ]),
  {
    name: 'comes again at once by a connection for each request',
    why: 'one after the other, and nothing else open',
    verdicts: { [rule]: 'fail' },
    client: failing(atOnce, (kit) => kit.agent({ keepAlive: false })),
  },
  {
    name: 'comes again at once when its connection breaks',
    why: 'no answer is a failure, too',
    verdicts: { [rule]: 'fail' },
    client: failing(atOnce, (kit) => kit.fetch, { network: 'reset' }),
  },
  {
    name: 'doubles its waits when its connection breaks',
    why: 'no answer is a failure, too',
    verdicts: { [rule]: 'pass' },
    client: failing([1_000, 2_000, 4_000], (kit) => kit.agent(), { network: 'close' }),
  },
  {
    name: 'succeeds between its failures',
    why: 'a success begins anew',
    verdicts: { [rule]: 'not-exercised' },
    async client(kit) {
      kit.emulator.controls.faults.add({
        match: { operation: 'containers.list' },
        when: { every: 2 },
        effect: { error: 'SERVICE_UNAVAILABLE' },
      });
      for (let n = 0; n < 10; n++) await kit.fetch('GET', containers);
    },
  },
  {
    name: 'has two workers with one key, each with a connection and doubled waits, in step',
    why: 'each backs off; their requests are equal, but not one after the other',
    verdicts: { [rule]: 'pass' },
    async client(kit) {
      kit.fail('containers.list', 8);
      await workers(
        [kit.agent(), kit.agent()],
        times(2, () => [0, 1_000, 3_000, 7_000]),
        kit,
      );
    },
  },
  {
    name: 'has two workers with one key, each with a connection and doubled waits, out of step',
    why: 'each connection shows a worker that backs off',
    verdicts: { [rule]: 'pass' },
    async client(kit) {
      kit.fail('containers.list', 9);
      const plans = [
        [0, 1_000, 3_000, 7_000],
        [0, 1_500, 4_500, 10_500],
      ];
      await workers([kit.agent(), kit.agent()], plans, kit);
    },
  },
  {
    name: 'has two workers with one key that share the pool of fetch, in step',
    why: 'each backs off',
    verdicts: { [rule]: 'pass' },
    async client(kit) {
      kit.fail('containers.list', 8);
      await workers(
        [kit.fetch, kit.fetch],
        times(2, () => [0, 1_000, 3_000, 7_000]),
        kit,
      );
    },
  },
  {
    name: 'fails with twelve equal requests at once',
    why: 'none is a repetition of another',
    verdicts: { [rule]: 'not-exercised' },
    async client({ fetch, fail }) {
      fail('containers.list', 12);
      await Promise.all(times(12, list(fetch)));
    },
  },
  {
    name: 'fails with twelve equal requests through a pool of two',
    why: 'planned work and repetitions look alike',
    verdicts: { [rule]: 'unclear' },
    async client({ agent, fail }) {
      fail('containers.list', 12);
      const send = agent({ keepAlive: true, maxSockets: 2 });
      await Promise.all(times(12, list(send)));
    },
  },
  {
    name: 'fails with four different bodies of equal length, one after the other',
    why: 'they are different requests, though the emulator has not read them before it answered',
    verdicts: { [rule]: 'not-exercised' },
    async client({ fetch, fail }) {
      fail('agents.create', 4);
      for (const name of ['ada', 'bob', 'cyd', 'dan']) await fetch('POST', '/api/v1/app/agents', { name });
    },
  },
  {
    name: 'fails with four different forms of equal length, one after the other',
    why: 'their parts differ',
    verdicts: { [rule]: 'not-exercised' },
    async client({ fetch, fail }) {
      fail('voice.clone', 4);
      for (const name of ['Ada', 'Bob', 'Cyd', 'Dan'])
        await fetch('POST', '/api/v1/voice/clone', formOf({ name, cloneType: 'instant', file0: sample() }));
    },
  },
  {
    name: 'sends one form again and again at once',
    why: 'its parts are equal, whatever boundaries it has, and each comes by the one connection after the answer to the last',
    verdicts: { [rule]: 'fail' },
    async client({ agent, fail }) {
      fail('voice.clone', 12);
      const send = agent();
      for (let n = 0; n < 13; n++)
        await send('POST', '/api/v1/voice/clone', formOf({ name: 'Ada', cloneType: 'instant', file0: sample() }));
    },
  },
];
