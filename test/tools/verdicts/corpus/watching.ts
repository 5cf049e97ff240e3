// Clients that watch what is under way, and what has ended.

import { formOf, sample } from '../../../support/voice.js';
import { type Case, containers, type Kit, type Send, times, wanted } from './kit.js';

const polls = 'poll-interval-obeyed';
const quiet = 'quiet-after-end';
const slow = { containers: { timing: 'realistic' } } as const;

async function deploy(send: Send, fields: object = {}): Promise<{ id: string; every: number }> {
  const { body } = await send('POST', containers, { ...wanted, ...fields });
  return { id: body.data.id, every: body.polling.intervalMs };
}

/** Looks four times, so far apart. */
async function watch(kit: Kit, look: (n: number) => Promise<unknown>, every: number): Promise<void> {
  for (const n of times(4, (index) => index)) {
    await look(n);
    await kit.wait(every);
  }
}

const looks: [name: string, path: (id: string, n: number) => string][] = [
  ['get', (id) => `${containers}/${id}`],
  ['list', () => containers],
  ['health', (id) => `${containers}/${id}/health`],
  ['logs', (id) => `${containers}/${id}/logs`],
  ['logs since the previous poll', (id, n) => `${containers}/${id}/logs?since=2026-01-01T00:00:0${n}Z`],
  ['deployments', (id) => `${containers}/${id}/deployments`],
  ['metrics', (id) => `${containers}/${id}/metrics`],
];

const polling = looks.flatMap(([name, path]): Case[] => [
  {
    name: `watches a deployment by ${name}, each second`,
    why: 'ten seconds are advised, by whatever operation it looks',
    verdicts: { [polls]: 'fail' },
    settings: slow,
    async client(kit) {
      const { id } = await deploy(kit.fetch);
      await watch(kit, (n) => kit.fetch('GET', path(id, n)), 1_000);
    },
  },
  {
    name: `watches a deployment by ${name}, as advised`,
    why: 'it keeps the interval',
    verdicts: { [polls]: 'pass' },
    settings: slow,
    async client(kit) {
      const { id, every } = await deploy(kit.fetch);
      await watch(kit, (n) => kit.fetch('GET', path(id, n)), every);
    },
  },
]);

const clone = (send: Send) =>
  send('POST', '/api/v1/voice/clone', formOf({ name: 'Ada', cloneType: 'professional', file0: sample() }));

const voices: [name: string, path: (id: string) => string][] = [
  ['jobs', () => '/api/v1/voice/jobs'],
  ['get', (id) => `/api/v1/voice/${id}`],
  ['list', () => '/api/v1/voice/list'],
];

const cloning = voices.flatMap(([name, path]): Case[] => [
  {
    name: `watches the cloning of a voice by ${name}, each tenth of what is advised`,
    why: 'the answer to the clone has said how often',
    verdicts: { [polls]: 'fail' },
    async client(kit) {
      const { body } = await clone(kit.fetch);
      await watch(kit, () => kit.fetch('GET', path(body.id)), body.polling.intervalMs / 10);
    },
  },
  {
    name: `watches the cloning of a voice by ${name}, as advised`,
    why: 'it keeps the interval',
    verdicts: { [polls]: 'pass' },
    async client(kit) {
      const { body } = await clone(kit.fetch);
      await watch(kit, () => kit.fetch('GET', path(body.id)), body.polling.intervalMs);
    },
  },
]);

const agents = '/api/v1/eliza/agents';
const provisioned: [name: string, path: (data: { id: string; jobId: string }) => string][] = [
  ['job', ({ jobId }) => `/api/v1/jobs/${jobId}`],
  ['get', ({ id }) => `${agents}/${id}`],
  ['list', () => agents],
];

const provisioning = provisioned.flatMap(([name, path]): Case[] =>
  ([10, 1] as const).map((part) => ({
    name: `watches the provisioning of a hosted agent by ${name}, ${part === 1 ? 'as' : 'each tenth of what is'} advised`,
    why: 'the answer to the creation has said how often',
    settings: { hostedAgents: { timing: 'realistic' } },
    verdicts: { [polls]: part === 1 ? 'pass' : 'fail' },
    async client(kit) {
      const { body } = await kit.fetch('POST', agents, { agentName: 'Ada', alwaysOn: true });
      await watch(kit, () => kit.fetch('GET', path(body.data)), body.polling.intervalMs / part);
    },
  })),
);

/** Deploys what fails, is told so, and looks again at these waits. */
const afterFailure =
  (waits: readonly number[], of: (kit: Kit) => Send = (kit) => kit.fetch) =>
  async (kit: Kit) => {
    const send = of(kit);
    const { id } = await deploy(send, { ecr_image_uri: 'r/a:fail-exec-format' });
    await kit.wait(60_000);
    for (const ms of [0, ...waits]) {
      await kit.wait(ms);
      await send('GET', `${containers}/${id}`);
    }
  };

/** Deploys what fails, and lists at these waits, with what happens before each list. */
const listing =
  (waits: readonly number[], before: (kit: Kit, n: number) => Promise<unknown> = async () => undefined) =>
  async (kit: Kit) => {
    await deploy(kit.fetch, { ecr_image_uri: 'r/a:fail-exec-format' });
    await kit.wait(60_000);
    for (const [n, ms] of waits.entries()) {
      await kit.wait(ms);
      await before(kit, n);
      await kit.fetch('GET', containers);
    }
  };

export const watchingCases: readonly Case[] = [
  ...polling,
  ...cloning,
  ...provisioning,
  {
    name: 'looks each second by a connection for each request',
    why: 'several looks in the time of one, at equal distances, come from one loop',
    verdicts: { [polls]: 'fail' },
    settings: slow,
    async client(kit) {
      const send = kit.agent({ keepAlive: false });
      const { id } = await deploy(send);
      for (let n = 0; n < 8; n++) {
        await send('GET', `${containers}/${id}`);
        await kit.wait(1_000);
      }
    },
  },
  {
    name: 'looks at half of the advised interval by a connection for each request',
    why: 'no two clients come in turn at gaps that are so equal',
    verdicts: { [polls]: 'fail' },
    settings: slow,
    async client(kit) {
      const send = kit.agent({ keepAlive: false });
      const { id, every } = await deploy(send);
      for (let n = 0; n < 7; n++) {
        await send('GET', `${containers}/${id}`);
        await kit.wait(every / 2);
      }
    },
  },
  {
    name: 'is five shells with one key, each of which looks as often as advised by a connection for each request',
    why: 'nothing tells them from one that looks too often, but their distances differ',
    verdicts: { [polls]: 'unclear' },
    settings: slow,
    async client(kit) {
      const send = kit.agent({ keepAlive: false });
      const { id, every } = await deploy(send);
      const looks = [0, 0.04, 0.31, 0.38, 0.83].flatMap((part) => times(3, (n) => (n + part) * every));
      await kit.schedule(looks.sort((a, b) => a - b).map((ms) => [ms, () => send('GET', `${containers}/${id}`)]));
    },
  },
  {
    name: 'looks by get, health and logs in turn, each as often as advised',
    why: 'each operation shows something else',
    verdicts: { [polls]: 'pass' },
    settings: slow,
    async client(kit) {
      const { id, every } = await deploy(kit.fetch);
      const all = ['', '/health', '/logs'].map((part) => `${containers}/${id}${part}`);
      await watch(kit, () => Promise.all(all.map((path) => kit.fetch('GET', path))), every);
    },
  },
  {
    name: 'watches two deployments in turn, each as often as advised',
    why: 'each has an interval of its own',
    verdicts: { [polls]: 'pass' },
    settings: slow,
    async client(kit) {
      const one = await deploy(kit.fetch);
      const two = await deploy(kit.fetch, { name: 'Other', project_name: 'other' });
      for (let n = 0; n < 3; n++) {
        for (const { id } of [one, two]) await kit.fetch('GET', `${containers}/${id}`);
        await kit.wait(one.every);
      }
    },
  },
  {
    name: 'watches with ?_=1, ?_=2 and so on, each second',
    why: 'a parameter that nobody knows shows nothing else',
    verdicts: { [polls]: 'fail', 'no-unknown-fields': 'fail' },
    settings: slow,
    async client(kit) {
      const { id } = await deploy(kit.fetch);
      await watch(kit, (n) => kit.fetch('GET', `${containers}/${id}?_=${n}`), 1_000);
    },
  },
  {
    name: 'lists each second when nothing is under way',
    why: 'there is nothing to wait for',
    verdicts: { [polls]: 'not-exercised' },
    client: (kit) => watch(kit, () => kit.fetch('GET', containers), 1_000),
  },
  {
    name: 'polls on each ten seconds when it has failed',
    why: 'the end was told',
    verdicts: { [quiet]: 'fail' },
    client: afterFailure([10_000, 10_000, 10_000]),
  },
  {
    name: 'polls on each ten seconds by a kept connection when it has failed',
    why: 'the end was told',
    verdicts: { [quiet]: 'fail' },
    client: afterFailure([10_000, 10_000, 10_000], (kit) => kit.agent()),
  },
  {
    name: 'looks twice more when it has failed',
    why: 'two further looks are let pass',
    verdicts: { [quiet]: 'pass' },
    client: afterFailure([10_000, 10_000]),
  },
  {
    name: 'looks once a minute when it has failed',
    why: 'a look a minute is no polling',
    verdicts: { [quiet]: 'pass' },
    client: afterFailure([60_000, 60_000, 60_000, 60_000, 60_000]),
  },
  {
    name: 'looks once an hour when it has failed',
    why: 'a look an hour is no polling',
    verdicts: { [quiet]: 'pass' },
    client: afterFailure([3_600_000, 3_600_000, 3_600_000, 3_600_000]),
  },
  {
    name: 'polls on each ten seconds when it is deleted',
    why: 'it is gone',
    verdicts: { [quiet]: 'fail' },
    async client(kit) {
      const { id } = await deploy(kit.fetch);
      await kit.fetch('DELETE', `${containers}/${id}`);
      for (let n = 0; n < 4; n++) {
        await kit.wait(10_000);
        await kit.fetch('GET', `${containers}/${id}`);
      }
    },
  },
  {
    name: 'polls on by the list each ten seconds when it has failed',
    why: 'the list has told the end, as a GET does',
    verdicts: { [quiet]: 'fail' },
    client: listing(times(6, () => 10_000)),
  },
  {
    name: 'lists twice more when it has failed',
    why: 'two further looks are let pass',
    verdicts: { [quiet]: 'pass' },
    client: listing(times(3, () => 10_000)),
  },
  {
    name: 'lists once a minute when it has failed',
    why: 'a look a minute is no polling',
    verdicts: { [quiet]: 'pass' },
    client: listing(times(6, () => 60_000)),
  },
  {
    name: 'lists after each change that it makes, when something has failed',
    why: 'it looks at what it has changed',
    verdicts: { [quiet]: ['pass', 'not-exercised'] },
    client: listing(
      times(6, () => 1_000),
      (kit, n) => kit.fetch('POST', '/api/v1/api-keys', { name: `key ${n}` }),
    ),
  },
  {
    name: 'lists each second where somebody else has failed before it came',
    why: 'it waits for nothing: it shows what there is',
    verdicts: { [quiet]: 'not-exercised' },
    async client(kit) {
      await listing([])(kit);
      kit.emulator.controls.requests.clear();
      for (let n = 0; n < 8; n++) {
        await kit.wait(1_000);
        await kit.fetch('GET', containers);
      }
    },
  },
];
