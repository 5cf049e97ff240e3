// The history of a process that is killed: what was acknowledged is in it, and a world is forked exactly.

import { expect, it } from 'vitest';
import { unlimited } from '../../campaigns/support/crash.js';
import { startCommand, tempDir } from '../../support/command.js';
import { image } from '../../support/emulator.js';

const kills = 20;

type Running = Awaited<ReturnType<typeof startCommand>>;

async function ask({ url, apiKey }: Running, method: string, path: string, body?: object): Promise<any> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? '',
    body: await response.json(),
  };
}

const containersIn = async (emulator: Running, world = ''): Promise<number> =>
  (await ask(emulator, 'GET', `${world}/_emulator/containers`)).body.total;

it(`the history is whole after ${kills} kills`, async () => {
  const dir = tempDir();
  const start = (): Promise<Running> =>
    startCommand(['--quiet', '--frozen', '--seed', 'killed'], { cwd: dir, env: unlimited });
  const created: { requestId: string; count: number }[] = [];
  let forked = 0;
  for (let kill = 0; kill < kills; kill++) {
    const emulator = await start();
    const fork = async (one: { requestId: string; count: number }): Promise<void> => {
      const { requestId, count } = one;
      const id = `fork-${kill}-${count}`;
      const { status } = await ask(emulator, 'PUT', `/w/${id}/_emulator/world`, { at: { requestId } });
      expect(status).toBe(200);
      forked++;
      expect(await containersIn(emulator, `/w/${id}`)).toBe(count);
    };
    const last = created.at(-1);
    if (last !== undefined) {
      const { status, body } = await ask(emulator, 'GET', `/_emulator/history/${last.requestId}`);
      expect(status).toBe(200);
      expect(body.changes.map(({ table }: { table: string }) => table)).toContain('containers');
      await fork(last);
    }
    for (let number = 0; number < 3; number++) {
      const name = `c${kill}-${number}`;
      const { status, requestId } = await ask(emulator, 'POST', '/api/v1/containers', {
        name,
        project_name: name,
        ecr_image_uri: image,
      });
      expect(status).toBe(202);
      created.push({ requestId, count: created.length + 1 });
    }
    const [, , newest] = created.slice(-3);
    if (newest !== undefined) await fork(newest);
    // Each second one is killed after a read, whose counts are not in the history yet.
    if (kill % 2 === 1) await ask(emulator, 'GET', '/api/v1/containers/quota');
    await emulator.end('SIGKILL');
  }
  expect(forked).toBe(2 * kills - 1);
});
