// Clients that create something whose answer gets lost, and what they send with it.

import { expect } from 'vitest';
import { callWith } from '../../../support/keys.js';
import { formOf, sample } from '../../../support/voice.js';
import { type Case, containers, type Kit, type Send, times, wanted } from './kit.js';

const rule = 'no-duplicate-create';
const lostAnswer = { network: 'reset' };

/** Creates, does something, and creates again. */
const createdTwice =
  (
    of: (kit: Kit) => Send,
    between: (send: Send, kit: Kit) => Promise<unknown> = async () => {},
    again: object = wanted,
  ) =>
  async (kit: Kit) => {
    kit.fail('containers.create', 1, lostAnswer, 'after');
    const send = of(kit);
    await send('POST', containers, wanted);
    await between(send, kit);
    await send('POST', containers, again);
  };

const voice = (send: Send, name: string) =>
  send('POST', '/api/v1/voice/clone', formOf({ name, cloneType: 'instant', file0: sample() }));

export const creatingCases: readonly Case[] = [
  ...(
    [
      ['fetch', (kit) => kit.fetch],
      ['a kept connection', (kit) => kit.agent()],
      ['a connection for each request', (kit) => kit.agent({ keepAlive: false })],
    ] as [string, (kit: Kit) => Send][]
  ).flatMap(([name, of]): Case[] => [
    {
      name: `creates again blindly, by ${name}`,
      why: 'it may be there, and nobody has looked',
      verdicts: { [rule]: 'fail' },
      client: createdTwice(of),
    },
    {
      name: `lists and creates again all the same, by ${name}`,
      why: 'the list has shown that it is there',
      verdicts: { [rule]: 'fail' },
      client: createdTwice(of, (send) => send('GET', containers)),
    },
    {
      name: `lists before it creates again what never was, by ${name}`,
      why: 'the list has shown that it is not there',
      verdicts: { [rule]: 'pass' },
      async client(kit) {
        kit.fail('containers.create', 1, lostAnswer, 'before');
        const send = of(kit);
        await send('POST', containers, wanted);
        await send('GET', containers);
        await send('POST', containers, wanted);
      },
    },
    {
      name: `has a time limit of its own and creates again blindly, by ${name}`,
      why: 'it may be there, and nobody has looked',
      verdicts: { [rule]: 'fail' },
      async client(kit) {
        const { emulator } = kit;
        const headers = { authorization: `Bearer ${emulator.apiKey}` };
        const body = JSON.stringify(wanted);
        // The first creation of a process takes long.
        await kit.fetch('POST', containers, { ...wanted, name: 'Mall', project_name: 'mall' });
        kit.fail('containers.create', 1, { network: 'hang' }, 'after');
        const limited = { method: 'POST', headers, body, signal: AbortSignal.timeout(1_000) };
        await expect(emulator.fetch(containers, limited)).rejects.toThrow(/timeout/);
        await of(kit)('POST', containers, wanted);
      },
    },
  ]),
  {
    name: 'creates again blindly after ten seconds',
    why: 'time shows nothing',
    verdicts: { [rule]: 'fail' },
    client: createdTwice(
      (kit) => kit.fetch,
      (_, kit) => kit.wait(10_000),
    ),
  },
  {
    name: 'looks at the balance before it creates again',
    why: 'a balance may be less for any reason',
    verdicts: { [rule]: 'fail' },
    client: createdTwice(
      (kit) => kit.fetch,
      (send) => send('GET', '/api/v1/credits/balance'),
    ),
  },
  {
    name: 'creates again blindly with another timestamp in it',
    why: 'the project is the same, and it is there',
    verdicts: { [rule]: 'fail' },
    client: createdTwice((kit) => kit.fetch, undefined, {
      ...wanted,
      environment_vars: { STARTED_AT: '2026-01-01T00:00:01Z' },
    }),
  },
  {
    name: 'lists, deletes it and creates it again',
    why: 'only one of them stays',
    verdicts: { [rule]: 'pass' },
    client: createdTwice(
      (kit) => kit.fetch,
      async (send) => send('DELETE', `${containers}/${(await send('GET', containers)).body.data[0].id}`),
    ),
  },
  {
    name: 'creates the same project under another name',
    why: 'it is there twice now',
    verdicts: { [rule]: 'fail' },
    client: createdTwice((kit) => kit.fetch, undefined, { ...wanted, name: 'Shop-2', project_name: 'shop-2' }),
  },
  {
    name: 'creates another project',
    why: 'it is something else',
    verdicts: { [rule]: 'pass' },
    client: createdTwice((kit) => kit.fetch, undefined, { ...wanted, project_name: 'mall' }),
  },
  {
    name: 'changes what it asks for after a creation that never was',
    why: 'nothing is there twice, and the content is another one',
    verdicts: { [rule]: 'pass' },
    async client({ fetch, fail }) {
      fail('containers.create', 1, lostAnswer, 'before');
      await fetch('POST', containers, wanted);
      await fetch('POST', containers, { ...wanted, port: 8080 });
    },
  },
  {
    name: 'creates again blindly after a 500 that stands for the answer',
    why: 'it was made all the same',
    verdicts: { [rule]: 'fail' },
    async client({ fetch, fail }) {
      fail('containers.create', 1, { error: 'INTERNAL_ERROR' }, 'after');
      for (let n = 0; n < 2; n++) await fetch('POST', containers, wanted);
    },
  },
  ...[2, 4].map(
    (count): Case => ({
      name: `creates the same ${count} times at once, of which the first answer is lost`,
      why: 'they were planned together',
      verdicts: { [rule]: 'pass' },
      async client({ fetch, fail }) {
        fail('containers.create', 1, lostAnswer, 'after');
        await Promise.all(times(count, () => fetch('POST', containers, wanted)));
      },
    }),
  ),
  {
    name: 'clones a voice again blindly',
    why: 'forms with equal parts are equal',
    verdicts: { [rule]: 'fail' },
    async client({ fetch, fail }) {
      fail('voice.clone', 1, lostAnswer, 'after');
      for (let n = 0; n < 2; n++) await voice(fetch, 'Ada');
    },
  },
  {
    name: 'clones another voice of equal length',
    why: 'forms are told apart by their parts',
    verdicts: { [rule]: 'pass' },
    async client({ fetch, fail }) {
      fail('voice.clone', 1, lostAnswer, 'after');
      for (const name of ['Ada', 'Bob']) await voice(fetch, name);
    },
  },
  {
    name: 'puts a live key into the environment of a container',
    why: 'the key is on its way to whoever reads that environment',
    verdicts: { 'no-live-key': 'fail' },
    client: ({ fetch }) =>
      fetch('POST', containers, { ...wanted, environment_vars: { CLOUD_KEY: `ek_live_${'0'.repeat(64)}` } }),
  },
  {
    name: 'puts a test key into the environment of a container',
    why: 'it is of no use elsewhere',
    verdicts: { 'no-live-key': 'pass' },
    client: ({ fetch, emulator }) =>
      fetch('POST', containers, { ...wanted, environment_vars: { CLOUD_KEY: emulator.apiKey } }),
  },
  ...[
    ['uses an expired key again', 'it was told', 'fail', 2] as const,
    ['gives an expired key up', 'the first refusal is how it learns', 'pass', 1] as const,
  ].map(
    ([name, why, verdict, uses]): Case => ({
      name,
      why,
      verdicts: { 'no-expired-credential': verdict },
      async client({ emulator, wait }) {
        const { apiKey } = emulator.controls.keys.create({ expiresIn: '10s' });
        await callWith(emulator, apiKey, 'GET', containers);
        for (let n = 0; n < uses; n++) {
          await wait(10_000);
          await callWith(emulator, apiKey, 'GET', containers);
        }
      },
    }),
  ),
];
