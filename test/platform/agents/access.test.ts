// Whose agents one may see and change: another organization's, a colleague's, and with restricted keys.

import { expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { agentsPath, as, createAgent, listed, publishPath } from '../../support/agents.js';
import { type Answer, call, type Platform, startWorld } from '../../support/emulator.js';
import { startWithSecondCaller } from '../../support/second-caller.js';

const acts: [name: string, method: string, path: (id: string) => string][] = [
  ['get', 'GET', (id) => `${agentsPath}/${id}`],
  ['clone', 'POST', (id) => `${agentsPath}/${id}/clone`],
  ['delete', 'DELETE', (id) => `${agentsPath}/${id}`],
  ['stats', 'GET', (id) => `${agentsPath}/${id}/stats`],
  ['publish', 'POST', publishPath],
  ['unpublish', 'DELETE', publishPath],
];
const open = acts.slice(0, 2);
const ownersOnly = acts.slice(2);

function act(emulator: Platform, [, method, path]: (typeof acts)[number], id: string, apiKey: string): Promise<Answer> {
  return call(emulator, method, path(id), undefined, as(apiKey));
}

async function withOther(): Promise<{ emulator: EmulatorWorld; apiKey: string }> {
  const emulator = await startWorld();
  return { emulator, apiKey: emulator.controls.organizations.create({ name: 'Other' }).apiKey };
}

it.each(acts)('the agents’ API answers 404 to %s of another organization’s private agent', async (...one) => {
  const { emulator, apiKey } = await withOther();
  const { id } = await createAgent(emulator);
  const answer = await act(emulator, one, id, apiKey);
  expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND']);
});

it.each(acts)('the agents’ API answers 404 to %s of a colleague’s private agent', async (...one) => {
  const { emulator, second } = await startWithSecondCaller();
  const { id } = await createAgent(emulator);
  expect((await act(emulator, one, id, second.apiKey)).status).toBe(404);
});

it.each(open)('the agents’ API allows %s of another’s public agent', async (...one) => {
  const { emulator, apiKey } = await withOther();
  const { id } = await createAgent(emulator, { isPublic: true });
  expect((await act(emulator, one, id, apiKey)).status).toBe(200);
});

it.each(ownersOnly)('the agents’ API answers 403 to %s of another’s public agent', async (...one) => {
  const { emulator, apiKey } = await withOther();
  const agent = await createAgent(emulator, { isPublic: true });
  const answer = await act(emulator, one, agent.id, apiKey);
  expect([answer.status, answer.body.error.code]).toEqual([403, 'FORBIDDEN']);
  expect((await listed(emulator)).characters).toEqual([agent]);
});

it.each(ownersOnly)('the agents’ API answers 403 to %s of a colleague’s public agent', async (...one) => {
  const { emulator, second } = await startWithSecondCaller();
  const { id } = await createAgent(emulator, { isPublic: true });
  expect((await act(emulator, one, id, second.apiKey)).status).toBe(403);
});

it('the agents’ API shows nobody else a private agent after it was unpublished', async () => {
  const { emulator, apiKey } = await withOther();
  const { id } = await createAgent(emulator, { isPublic: true });
  await call(emulator, 'DELETE', publishPath(id));
  expect((await call(emulator, 'GET', `${agentsPath}/${id}`, undefined, as(apiKey))).status).toBe(404);
});

it('cloning gives the copy of another’s agent to the one who copied it', async () => {
  const { emulator, apiKey } = await withOther();
  const { id } = await createAgent(emulator, { name: 'Bot', isPublic: true });
  const copy = (await call(emulator, 'POST', `${agentsPath}/${id}/clone`, undefined, as(apiKey))).body.data.character;
  expect((await listed(emulator, '', agentsPath, as(apiKey))).characters).toEqual([copy]);
  expect((await call(emulator, 'DELETE', `${agentsPath}/${copy.id}`, undefined, as(apiKey))).status).toBe(200);
  expect((await listed(emulator)).pagination.totalCount).toBe(1);
});

it('the list of agents holds the user’s own agents, not the organization’s', async () => {
  const { emulator, second } = await startWithSecondCaller();
  await createAgent(emulator, { name: 'Mine' });
  const theirs = await createAgent(emulator, { name: 'Theirs' }, as(second.apiKey));
  expect((await listed(emulator, '', agentsPath, as(second.apiKey))).characters).toEqual([theirs]);
  expect((await listed(emulator)).pagination.totalCount).toBe(1);
});
