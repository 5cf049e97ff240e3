// Clients that are told to wait.

import { agents, type Case, containers, type Kit, refusal, retrying, type Send, times, wanted } from './kit.js';

const list = (send: Send) => () => send('GET', containers);
const refusedOnce = (kit: Kit): void => kit.fail('containers.list', 1, refusal);

/** One client by each transport. */
const transports: [name: string, of: (kit: Kit) => Send][] = [
  ['fetch', (kit) => kit.fetch],
  ['fetch whose answers nobody reads', (kit) => kit.careless],
  ['a kept connection', (kit) => kit.agent()],
  ['a pool of four connections', (kit) => kit.agent({ keepAlive: true, maxSockets: 4 })],
  ['a connection for each request', (kit) => kit.agent({ keepAlive: false })],
];

/** A burst of equal requests, of which two are let in. */
const burst = (count: number, of: (kit: Kit) => Send) => async (kit: Kit) => {
  kit.emulator.controls.limits.set({ operation: 'containers.list', limit: 2, window: '1m' });
  const send = of(kit);
  await Promise.all(times(count, list(send)));
};

export const retryAfterCases: readonly Case[] = [
  ...transports.flatMap(([name, of]): Case[] => [
    {
      name: `waits as told, by ${name}`,
      why: 'it comes when the time is over',
      verdicts: { 'retry-after-obeyed': 'pass' },
      async client(kit) {
        refusedOnce(kit);
        await retrying(list(of(kit)), [30_000], kit);
      },
    },
    {
      name: `comes again at once, by ${name}`,
      why: 'it had the whole answer, which was held back long enough for anything planned to arrive before',
      verdicts: { 'retry-after-obeyed': 'fail' },
      async client(kit) {
        refusedOnce(kit);
        await retrying(list(of(kit)), [0], kit);
      },
    },
    {
      name: `waits half of the time, by ${name}`,
      why: 'half is too early',
      verdicts: { 'retry-after-obeyed': 'fail' },
      async client(kit) {
        refusedOnce(kit);
        await retrying(list(of(kit)), [15_000], kit);
      },
    },
  ]),
  {
    name: 'waits until X-RateLimit-Reset',
    why: 'it is a documented header, and earlier than Retry-After, which is rounded up',
    verdicts: { 'retry-after-obeyed': 'pass' },
    async client({ emulator, fetch, wait }) {
      emulator.controls.limits.set({ operation: 'containers.list', limit: 1, window: '10s' });
      await fetch('GET', containers);
      await wait(300);
      const { status, headers } = await fetch('GET', containers);
      if (status !== 429) throw new Error(`it was ${status}`);
      await wait(Date.parse(headers['x-ratelimit-reset'] ?? '') - Date.now() + 1);
      await fetch('GET', containers);
    },
  },
  {
    name: 'gives up when it is refused',
    why: 'nobody has to try again',
    verdicts: { 'retry-after-obeyed': 'pass' },
    async client(kit) {
      refusedOnce(kit);
      await kit.fetch('GET', containers);
    },
  },
  {
    name: 'repeats a POST at once, whose body was not read before it was refused',
    why: 'the body is read after the answer, and is the same',
    verdicts: { 'retry-after-obeyed': 'fail' },
    async client(kit) {
      kit.fail('containers.create', 1, refusal);
      await retrying(() => kit.fetch('POST', containers, wanted), [0], kit);
    },
  },
  {
    name: 'repeats a POST with its keys in another order',
    why: 'equal documents are equal requests',
    verdicts: { 'retry-after-obeyed': 'fail' },
    async client({ agent, fail }) {
      fail('containers.create', 1, refusal);
      const send = agent();
      await send('POST', containers, wanted);
      await send('POST', containers, Object.fromEntries(Object.entries(wanted).reverse()));
    },
  },
  {
    name: 'goes on with other things of the operation, alone and one after the other',
    why: 'the limit is that of the operation, and only one worker is at work',
    verdicts: { 'retry-after-obeyed': 'fail' },
    async client({ agent, fail }) {
      fail('agents.create', 1, refusal);
      const send = agent();
      for (const name of ['ada', 'bob']) await send('POST', '/api/v1/app/agents', { name });
    },
  },
  {
    name: 'sends two different things of equal length at once',
    why: 'they were planned together, and neither is the other',
    verdicts: { 'retry-after-obeyed': 'pass' },
    async client({ fetch, fail }) {
      fail('agents.create', 1, refusal);
      await Promise.all(['ada', 'bob'].map((name) => fetch('POST', '/api/v1/app/agents', { name })));
    },
  },
  {
    name: 'does something else meanwhile',
    why: 'a forced 429 is about its operation only',
    verdicts: { 'retry-after-obeyed': 'pass' },
    async client(kit) {
      refusedOnce(kit);
      await kit.fetch('GET', containers);
      await kit.fetch('GET', agents);
    },
  },
  ...[2, 3, 5, 12].flatMap((count): Case[] => [
    {
      name: `sends ${count} equal requests at once, by fetch`,
      why: 'they were planned together: none repeats another',
      verdicts: { 'retry-after-obeyed': ['pass', 'not-exercised'] },
      client: burst(count, (kit) => kit.fetch),
    },
    {
      name: `sends ${count} equal requests at once, a connection each`,
      why: 'they were planned together: none repeats another',
      verdicts: { 'retry-after-obeyed': ['pass', 'not-exercised'] },
      client: burst(count, (kit) => kit.agent({ keepAlive: true })),
    },
  ]),
  {
    name: 'sends two equal requests at once, the second of which waits to be accepted while the process stands still',
    why: 'it was on its way when the first was refused, although the time to answer had come before it was read',
    verdicts: { 'retry-after-obeyed': ['pass', 'not-exercised'] },
    async client(kit) {
      kit.fail('containers.list', 2, refusal);
      const send = kit.agent({ keepAlive: true });
      const first = list(send)();
      // Until the first has come to the emulator, which holds back its answer.
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      const second = list(send)();
      await Promise.resolve();
      const until = performance.now() + 100;
      while (performance.now() < until);
      await Promise.all([first, second]);
    },
  },
  ...[2, 4].map(
    (maxSockets): Case => ({
      name: `sends 12 equal requests through a pool of ${maxSockets}`,
      why: 'they were planned together, but those behind the first were sent after answers: nobody can tell',
      verdicts: { 'retry-after-obeyed': 'unclear', 'backoff-grows': 'unclear' },
      client: burst(12, (kit) => kit.agent({ keepAlive: true, maxSockets })),
    }),
  ),
  {
    name: 'says in x-stainless-retry-count that it comes again, at once',
    why: 'the header says so, whatever connection it came by',
    verdicts: { 'retry-after-obeyed': 'fail' },
    async client({ agent, fail }) {
      fail('containers.list', 1, refusal);
      const send = agent({ keepAlive: true });
      await Promise.all([send('GET', containers), send('GET', containers)]);
      await send('GET', containers, undefined, { 'x-stainless-retry-count': '1' });
    },
  },
  {
    name: 'says in x-stainless-retry-count that it comes again, when it is time',
    why: 'it has waited',
    verdicts: { 'retry-after-obeyed': 'pass' },
    async client(kit) {
      refusedOnce(kit);
      await kit.fetch('GET', containers);
      await kit.wait(30_000);
      await kit.fetch('GET', containers, undefined, { 'x-stainless-retry-count': '1' });
    },
  },
  {
    name: 'comes again at once with ?_=1',
    why: 'a parameter that the operation does not know makes no other request of it',
    verdicts: { 'retry-after-obeyed': 'fail', 'no-unknown-fields': 'fail' },
    async client(kit) {
      refusedOnce(kit);
      for (const query of ['', '?_=1']) await kit.fetch('GET', containers + query);
    },
  },
  {
    name: 'waits after a 503 that says how long',
    why: 'Retry-After holds for 503 as well',
    verdicts: { 'retry-after-obeyed': 'pass' },
    async client(kit) {
      kit.fail('containers.list', 1, { error: 'SERVICE_UNAVAILABLE', retryAfter: 5 });
      await retrying(list(kit.fetch), [5_000], kit);
    },
  },
  {
    name: 'comes again at once after a 503 that says how long',
    why: 'Retry-After holds for 503 as well',
    verdicts: { 'retry-after-obeyed': 'fail' },
    async client(kit) {
      kit.fail('containers.list', 1, { error: 'SERVICE_UNAVAILABLE', retryAfter: 5 });
      await retrying(list(kit.fetch), [0], kit);
    },
  },
  {
    name: 'has three workers with one key, each of which waits as told',
    why: 'whoever was told has waited',
    verdicts: { 'retry-after-obeyed': 'pass' },
    async client(kit) {
      kit.fail('agents.create', 3, refusal);
      const workers = times(3, (index) => {
        const send = kit.agent();
        return () => send('POST', '/api/v1/app/agents', { name: `agent ${index}` });
      });
      await kit.schedule([0, 30_000].flatMap((ms) => workers.map((work): [number, typeof work] => [ms, work])));
    },
  },
];
