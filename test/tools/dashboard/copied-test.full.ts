// "Copy as a test": what it copies passes where it is pasted, in a project with Vitest and a new world.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { createEmulator } from '../../../src/index.js';
import { tempDir } from '../../support/command.js';

// The page's code reads where it is.
vi.stubGlobal('location', new URL('http://127.0.0.1:4747/_emulator/'));
const { asTest } = await import('../../../src/tools/dashboard/web/views/request-copies.js');

const root = join(import.meta.dirname, '../../..');

it('a copied test passes for requests about containers, agents and keys, refused ones and those that a fault met', async () => {
  const emulator = await createEmulator({ clock: '2030-01-01T00:00:00Z' });
  const { controls, fetch, apiKey } = emulator;
  const send = async (method: string, path: string, body?: object, key = apiKey) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) }).catch(
      () => undefined,
    );
    return response === undefined ? undefined : ((await response.json()) as any);
  };
  const shop = { name: `Sh"o\`p \${x}`, project_name: 'shop', ecr_image_uri: 'registry.local/shop:v1' };
  const { data } = await send('POST', '/api/v1/containers', shop);
  await send('GET', `/api/v1/containers/${data.id}`);
  await send('PATCH', `/api/v1/containers/${data.id}`, { cpu: 512 });
  const { apiKey: made } = await send('POST', '/api/v1/api-keys', { name: 'ci' });
  await send('GET', `/api/v1/api-keys/${made.id}`);
  await send('DELETE', `/api/v1/api-keys/${made.id}`);
  await send('GET', `/api/v1/api-keys/${made.id}`);
  await send('GET', '/api/v1/containers', undefined, 'ek_test_nobody');
  await fetch('/api/v1/containers');
  await controls.faults.add({ match: { operation: 'containers.list' }, when: { times: 1 }, effect: { status: 503 } });
  await send('GET', '/api/v1/containers');
  await controls.faults.add({
    match: { operation: 'containers.list' },
    when: { times: 1 },
    effect: { network: 'reset' },
  });
  await send('GET', '/api/v1/containers');
  await send('DELETE', `/api/v1/containers/${data.id}`);
  await send('GET', `/api/v1/containers/${data.id}`);
  const requests = controls.requests.list({ limit: 100 }).requests.toReversed();
  await emulator.close();
  expect(requests.map(({ status }) => status)).toEqual([202, 200, 200, 201, 200, 200, 404, 401, 401, 503, 0, 200, 404]);

  const cwd = tempDir();
  mkdirSync(join(cwd, 'node_modules'));
  symlinkSync(root, join(cwd, 'node_modules/cloudemu'));
  symlinkSync(join(root, 'node_modules/vitest'), join(cwd, 'node_modules/vitest'));
  writeFileSync(join(cwd, 'package.json'), '{"type": "module"}');
  // All in one file: their first lines are the same.
  const copied = requests.map((request) => asTest(request as never, requests as never));
  const header = "import { createTest, expect } from 'cloudemu/vitest';\n\nconst test = createTest();\n";
  for (const text of copied) expect(text.startsWith(header)).toBe(true);
  writeFileSync(join(cwd, 'copied.test.ts'), header + copied.map((text) => text.slice(header.length)).join(''));
  const vitest = spawn(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', cwd, '--maxWorkers=2'],
    {
      cwd,
      env: { PATH: process.env.PATH ?? '', HOME: cwd, NO_COLOR: '1' },
    },
  );
  let printed = '';
  for (const stream of [vitest.stdout, vitest.stderr]) stream.on('data', (text: Buffer) => (printed += String(text)));
  const [code] = await once(vitest, 'close');
  expect([code, printed]).toEqual([0, expect.stringMatching(/Tests +13 passed/)]);
});
