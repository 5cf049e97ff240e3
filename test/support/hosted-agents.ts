// Hosted agents in tests: created by clients' requests.

import { type Answer, type Client, call, type Platform } from './emulator.js';

export const agentsPath = '/api/v1/eliza/agents';

/** Creates a dedicated agent, which is then being provisioned, and returns its data. */
export async function dedicated(
  client: Client,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<any> {
  const answer = await call(
    client,
    'POST',
    agentsPath,
    { agentName: 'Support', alwaysOn: true, forceCreate: true, ...fields },
    headers,
  );
  if (answer.status >= 300) throw new Error(`creating an agent answered ${answer.status}: ${answer.text}`);
  return answer.body.data;
}

/** Creates a dedicated agent, and moves time until it runs. */
export async function running(world: Platform, fields: Record<string, unknown> = {}): Promise<any> {
  const data = await dedicated(world, fields);
  await world.controls.await({ agent: data.id, status: 'running', advance: true });
  return data;
}

/** What a client sees of an agent. */
export async function seen(client: Client, id: string): Promise<any> {
  const { status, body } = await call(client, 'GET', `${agentsPath}/${id}`);
  return status === 200 ? body.data : { status };
}

/** Does something with an agent. */
export function act(client: Client, id: string, verb: string, body?: unknown): Promise<Answer> {
  return call(client, 'POST', `${agentsPath}/${id}/${verb}`, body);
}

/** A job as a client sees it. */
export async function jobSeen(client: Client, id: string): Promise<any> {
  return (await call(client, 'GET', `/api/v1/jobs/${id}`)).body;
}
