// JSON that somebody has damaged in a database: whoever needs it is told which, and nothing fails otherwise.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { jsonColumns } from '../../src/db/schema.js';
import { openSqlite } from '../../src/db/sqlite.js';
import type { Emulator } from '../../src/index.js';
import { itFull } from '../support/campaign.js';
import { tempDir } from '../support/command.js';
import { call, deploy, startEmulator } from '../support/emulator.js';
import { clone } from '../support/voice.js';

const chat = { model: 'gpt-4o', input: 'Hello' };

/** A local agent answers when nobody waits any more. */
async function lateAnswer(emulator: Emulator): Promise<void> {
  const base = '/api/v1/eliza/gateway-relay/sessions';
  const { id } = (await call(emulator, 'POST', base, { runtimeAgentId: 'ada' })).body.data.session;
  const asked = emulator.controls.relay.ask(id, { rpc: { method: 'heartbeat' } }).catch(() => {});
  const { requestId } = (await call(emulator, 'GET', `${base}/${id}/next`)).body.data.request;
  await emulator.controls.clock.advance('30s');
  await asked;
  await call(emulator, 'POST', `${base}/${id}/responses`, { requestId, response: { result: {} } });
}

/** A data directory with something in each table. */
async function filled(): Promise<{ dataDir: string; response: string; agent: string; container: string }> {
  const dataDir = tempDir();
  const emulator = await startEmulator({ dataDir, timing: 'instant' });
  const post = async (path: string, body: object) => (await call(emulator, 'POST', path, body)).body;
  const { id: container } = await deploy(emulator);
  await post(`/_emulator/containers/${container}/crash`, {});
  const { agent } = await post('/api/v1/app/agents', { name: 'Ada' });
  await post('/api/v1/api-keys', { name: 'Chat', permissions: ['chat'] });
  await clone(emulator);
  const { id: response } = await post('/api/v1/responses', chat);
  await post('/api/v1/knowledge', { content: 'Text', filename: 'a.txt', metadata: { a: 1 } });
  await post('/_emulator/replies', { text: 'Hello' });
  await post('/_emulator/faults', { match: { operation: 'agents.list' }, effect: { delay: 1 } });
  await post('/_emulator/images', { repository: 'web', tag: 'v1' });
  const { data } = await post('/api/v1/eliza/agents', { agentName: 'Support', alwaysOn: true });
  await post(`/_emulator/jobs/${data.jobId}/fail`, {});
  await lateAnswer(emulator);
  await emulator.close();
  return { dataDir, response, agent: agent.id, container };
}

itFull('every column of JSON is named where it is damaged, and no request is a fault of the emulator', async () => {
  const { dataDir, response, agent, container } = await filled();
  const paths = [
    ...['/api/v1/containers', `/api/v1/containers/${container}`, '/api/my-agents/characters'],
    ...[`/api/my-agents/characters/${agent}`, '/api/v1/api-keys', '/api/v1/voice/list', '/api/v1/voice/jobs?all=true'],
    ...[
      `/api/v1/responses/${response}`,
      `/api/v1/responses/${response}/input_items`,
      '/api/v1/knowledge',
      '/api/v1/eliza/agents',
    ],
    ...[
      '/containers',
      '/images',
      '/images/web:v1',
      '/faults',
      '/replies',
      '/keys',
      '/voices',
      '/jobs',
      '/relay',
      '/timeline',
    ].map((path) => `/_emulator${path}`),
  ];
  const untold: string[] = [];
  for (const [table, column] of jsonColumns) {
    const copy = join(tempDir(), 'copy');
    cpSync(dataDir, copy, { recursive: true });
    const db = openSqlite(join(copy, 'world.db'));
    const { changes } = db.prepare(`UPDATE ${table} SET ${column} = '{broken'`).run();
    db.close();
    const name = `${table}.${column}`;
    if (changes === 0) untold.push(`${name} has no rows`);
    const answers = await startEmulator({ dataDir: copy, timing: 'instant' }).then(
      async (emulator) => {
        const all = [];
        for (const path of paths) all.push(await call(emulator, 'GET', path));
        all.push(await call(emulator, 'POST', '/api/v1/responses', { ...chat, previous_response_id: response }));
        all.push(await call(emulator, 'POST', '/api/v1/responses', chat));
        await emulator.close();
        return all.map(({ status, text }) => `${status} ${text}`);
      },
      (error: Error) => [`503 ${error.message}`],
    );
    for (const answer of answers) if (answer.startsWith('500')) untold.push(`${name}: ${answer}`);
    if (!answers.some((answer) => answer.startsWith('503') && answer.includes(`${name} is no JSON`)))
      untold.push(`${name}: nobody tells`);
  }
  expect(untold).toEqual([]);
});
