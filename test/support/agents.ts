// Making agents in tests, and listing them.

import { type Answer, call, type Platform } from './emulator.js';

export const agentsPath = '/api/my-agents/characters';
export const createPath = '/api/v1/app/agents';
export const marketplacePath = '/api/marketplace/characters';

export const publishPath = (id: string): string => `/api/v1/agents/${id}/publish`;

/** Headers with another key than the seeded one. */
export const as = (apiKey: string): Record<string, string> => ({ authorization: `Bearer ${apiKey}` });

/** Creates an agent and returns it. */
export async function createAgent(
  emulator: Platform,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<any> {
  const answer = await call(emulator, 'POST', createPath, { name: 'Helper', ...fields }, headers);
  if (answer.status !== 201) throw new Error(`create answered ${answer.status}: ${answer.text}`);
  return answer.body.agent;
}

/** Creates agents of these names, a second of virtual time apart. */
export async function createAgents(emulator: Platform, names: readonly string[]): Promise<any[]> {
  const agents = [];
  for (const name of names) {
    agents.push(await createAgent(emulator, { name }));
    await emulator.controls.clock.advance('1s');
  }
  return agents;
}

export async function getAgent(emulator: Platform, id: string): Promise<any> {
  return (await call(emulator, 'GET', `${agentsPath}/${id}`)).body.data.character;
}

/** The data of a list. */
export async function listed(
  emulator: Platform,
  query = '',
  path = agentsPath,
  headers: Record<string, string> = {},
): Promise<any> {
  const answer: Answer = await call(emulator, 'GET', path + query, undefined, headers);
  if (answer.status !== 200) throw new Error(`list answered ${answer.status}: ${answer.text}`);
  return answer.body.data;
}

/** The names in a list, in its order. */
export async function namesOf(
  emulator: Platform,
  query = '',
  path = agentsPath,
  headers: Record<string, string> = {},
): Promise<string[]> {
  return (await listed(emulator, query, path, headers)).characters.map((agent: { name: string }) => agent.name);
}
