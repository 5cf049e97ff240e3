// Whoever has started the wrong profile learns it from the refusal of a key, of a body and of a path, and from `env`.

import { afterAll, expect, it } from 'vitest';
import { type RunningCommand, startCommand } from '../support/command.js';
import { runHere } from '../support/command-here.js';

const containers = '/api/v1/containers';
const ofToday = { name: 'My app', projectName: 'my-app', image: 'ghcr.io/elizaos/my-app:v1' };
const ofSpec = { name: 'My app', project_name: 'my-app', ecr_image_uri: 'registry.local/my-app:v1' };

const started: RunningCommand[] = [];
afterAll(() => {
  for (const { child } of started) child.kill();
});

it.concurrent.each([
  {
    profile: 'spec',
    key: ['eliza_0123', '`--profile elizacloud` or `--profile elizacloud-v1`'],
    body: [ofToday, '`--profile elizacloud` or `--profile elizacloud-v1`'],
    path: undefined,
  },
  {
    profile: 'elizacloud',
    key: ['ek_test_0123', '`--profile spec`'],
    body: [ofSpec, '`--profile elizacloud-v1` or `--profile spec`'],
    path: [`${containers}/none/logs`, '`--profile elizacloud-v1` or `--profile spec`'],
  },
  {
    profile: 'elizacloud-v1',
    key: ['ek_test_0123', '`--profile spec`'],
    body: [{ action: 'restart' }, '`--profile elizacloud`'],
    path: undefined,
  },
] as const)('a program that runs $profile names the right one', async ({ profile, key, body, path }) => {
  const emulator = await startCommand(['--ephemeral', '--profile', profile]);
  started.push(emulator);
  const ask = async (at: string, authorization: string, sent?: object): Promise<string> => {
    const method = sent === undefined ? 'GET' : 'action' in sent ? 'PATCH' : 'POST';
    const headers = { authorization: `Bearer ${authorization}` };
    const response = await fetch(emulator.url + at, { method, headers, ...(sent && { body: JSON.stringify(sent) }) });
    expect(response.status).toBeGreaterThanOrEqual(400);
    return response.text();
  };
  expect(await ask(containers, key[0])).toContain(`it begins like those of ${key[1]}`);
  const changed = 'action' in body[0] ? `${containers}/none` : containers;
  expect(await ask(changed, emulator.apiKey, body[0])).toContain(`these names are those of ${body[1]}`);
  if (path !== undefined) expect(await ask(path[0], emulator.apiKey)).toContain(`${path[1]} has GET ${path[0]}`);
  const { stdout } = await runHere(['env', '--json'], { cwd: emulator.dir });
  expect(JSON.parse(stdout)).toMatchObject({ CLOUD_BASE_URL: emulator.url, CLOUD_API_KEY: emulator.apiKey });
  expect('ELIZAOS_CLOUD_API_KEY' in JSON.parse(stdout)).toBe(profile !== 'spec');
});
