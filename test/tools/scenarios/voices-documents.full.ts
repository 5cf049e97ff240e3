// Voices, documents and replies of a scenario; and a scenario that an emulator is given as a document.

import { expect, it } from 'vitest';
import { createEmulator, type ScenarioInput } from '../../../src/index.js';
import { call, startEmulator, startWorld } from '../../support/emulator.js';

const scenario: ScenarioInput = {
  data: {
    credits: 4,
    voices: [
      { name: 'Ada', description: 'calm' },
      { name: 'Bob', cloneType: 'professional', isActive: false, age: '2d' },
    ],
    documents: [{ name: 'opening.md', content: 'We open at nine on weekdays.', age: '1d' }],
    replies: [{ text: 'Sunny' }, { model: 'gpt-*', error: 'MODEL_UNAVAILABLE', times: 2 }],
    organizations: [{ name: 'Other', voices: [{ name: 'Cy' }] }],
  },
};

it('a scenario has voices, documents and replies, which cost nothing and can be used', async () => {
  const world = await startWorld();
  await world.controls.scenarios.apply(scenario);
  const { voices } = (await call(world, 'GET', '/api/v1/voice/list?includeInactive=true')).body;
  expect(voices.map(({ name, isActive }: any) => [name, isActive])).toEqual([
    ['Ada', true],
    ['Bob', false],
  ]);
  expect(world.controls.voices.list()).toMatchObject([
    { name: 'Cy', ready: true },
    { name: 'Ada', ready: true },
    { name: 'Bob', createdAt: '2025-12-30T00:00:00.000Z' },
  ]);
  const query = { query: 'When do you open?', limit: 1 };
  const found = await call(world, 'POST', '/api/v1/knowledge/query', query);
  expect(JSON.stringify(found.body)).toContain('We open at nine');
  expect((await call(world, 'GET', '/api/v1/credits/balance')).body).toMatchObject({ balance: 4 });
  const chat = { model: 'gpt-5', messages: [{ role: 'user', content: 'Weather?' }] };
  const said = await call(world, 'POST', '/api/v1/chat/completions', chat);
  expect(said.body.choices[0].message.content).toBe('Sunny');
  expect(world.controls.replies.list()).toMatchObject([{ model: 'gpt-*', times: 2 }]);
});

it('a saved scenario keeps them, but for a reply that was given', async () => {
  const world = await startWorld();
  await world.controls.scenarios.apply(scenario);
  const { document } = world.controls.scenarios.save({ name: 'kept' });
  expect(document).toMatchObject({
    data: {
      voices: [
        { name: 'Bob', cloneType: 'professional', isActive: false, age: '2d' },
        { name: 'Ada', description: 'calm', cloneType: 'instant', age: '1h' },
      ],
      documents: [{ name: 'opening.md', content: 'We open at nine on weekdays.', type: 'text/markdown', age: '1d' }],
      replies: scenario.data?.replies,
    },
  });
  await world.controls.scenarios.apply('kept');
  expect(world.controls.voices.list()).toHaveLength(3);
});

it('the documents of a scenario have a bound, and what is wrong is named', async () => {
  const world = await startWorld();
  const long = { name: 'a.txt', content: 'x'.repeat(60_000) };
  const organizations = [{ name: 'Other', documents: [long] }];
  await expect(world.controls.scenarios.apply({ data: { documents: [long], organizations } })).rejects.toThrow(
    'data.documents must have at most 100000 characters in a scenario, got 120000 characters',
  );
  const wrong = { data: { replies: [{}], voices: [{ name: '' }] } };
  await expect(world.controls.scenarios.apply(wrong)).rejects.toThrow(/data.voices\[0\].name .*data.replies\[0\]/s);
});

it('createEmulator takes the document of a scenario, which a reset keeps, and writes no file', async () => {
  const emulator = await startEmulator({ scenario: { title: 'Poor', data: { credits: 1 } } });
  const balance = async (): Promise<number> => (await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance;
  expect(await balance()).toBe(1);
  emulator.controls.organizations.credits(emulator.organizationId, { set: 9 });
  await emulator.controls.reset();
  expect(await balance()).toBe(1);
  expect(emulator.controls.scenarios.list().every(({ source }) => source === 'shipped')).toBe(true);
  await expect(createEmulator({ configFile: false, scenario: { faults: [{ effect: {} }] } })).rejects.toThrow(
    /scenario: faults\[0\].effect must say what happens/,
  );
});
