// The live suite of the platform's own SDK, as it is published: all of it passes on the profile elizacloud-v1, also again in the
// same world.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { tempDir } from '../support/command.js';
import { closeEmulators, startEmulator } from '../support/emulator.js';

afterEach(closeEmulators);

const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

/** Everything that the suite takes from its environment: all its switches are on. */
async function settingsFor({
  url,
  apiKey,
  controls,
}: Awaited<ReturnType<typeof startEmulator>>): Promise<Record<string, string>> {
  const { token, origin } = await controls.pairings.create();
  const { token: session } = controls.sessions.create();
  const { id: job } = await controls.jobs.create({ type: 'agent_snapshot' });
  const names = ['GENERATION', 'CONTAINERS', 'AGENT', 'RELAY', 'DESTRUCTIVE', 'PROFILE_WRITE'];
  return {
    ...Object.fromEntries(names.map((name) => [`ELIZA_CLOUD_SDK_LIVE_${name}`, '1'])),
    ELIZA_CLOUD_SDK_LIVE: '1',
    ELIZA_CLOUD_BASE_URL: url,
    ELIZA_CLOUD_API_BASE_URL: `${url}/api/v1`,
    ELIZAOS_CLOUD_API_KEY: apiKey,
    ELIZA_CLOUD_SESSION_TOKEN: session,
    ELIZA_CLOUD_PAIR_TOKEN: token,
    ELIZA_CLOUD_PAIR_ORIGIN: origin,
    ELIZA_CLOUD_SDK_JOB_ID: job,
    ELIZA_CLOUD_SDK_CONTAINER_IMAGE_URI: 'registry.local/acme/web:v1',
    ELIZA_CLOUD_SDK_PROFILE_FIELD: 'name',
    ELIZA_CLOUD_SDK_PROFILE_VALUE: 'Live',
  };
}

/** Runs the suite of a package, and returns each test with how it ended. */
async function runSuite(name: string, settings: Record<string, string>): Promise<string[]> {
  const directory = tempDir();
  const config = join(directory, 'vitest.config.mjs');
  const report = join(directory, 'report.json');
  writeFileSync(
    config,
    `export default { test: { include: ['dist/live.e2e.test.js'], exclude: [], testTimeout: 60_000 } };`,
  );
  const root = join(modules, name);
  const args = ['run', '--root', root, '--config', config, '--reporter=json', `--outputFile=${report}`, '--no-cache'];
  const child = spawn(process.execPath, [join(modules, 'vitest/vitest.mjs'), ...args], {
    env: { PATH: process.env.PATH ?? '', HOME: directory, ...settings },
    stdio: 'ignore',
  });
  await once(child, 'close');
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  return testResults.flatMap(({ message, assertionResults }: any) => [
    ...(message === '' ? [] : [message]),
    ...assertionResults.map((test: any) => `${test.status} ${test.title} ${test.failureMessages.join(' ')}`.trim()),
  ]);
}

it.each([
  ['@elizaos/cloud-sdk', 19],
  ['elizaos-cloud-sdk-earlier', 18],
])('the live suite of %s passes on the profile elizacloud-v1, twice in one world', async (name, tests) => {
  const emulator = await startEmulator({
    profile: 'elizacloud-v1',
    timing: 'instant',
    hostedAgents: { tier: 'dedicated' },
  });
  for (const _ of ['first', 'again']) {
    const ended = await runSuite(name, await settingsFor(emulator));
    expect(ended.filter((one) => !one.startsWith('passed '))).toEqual([]);
    expect(ended).toHaveLength(tests);
  }
});
