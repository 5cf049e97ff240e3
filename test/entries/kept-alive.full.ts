// A script that forgets to close its emulator is told what keeps it alive; nobody else is.

import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { spawnCommand, tempDir } from '../support/command.js';

const index = fileURLToPath(new URL('../../dist/index.js', import.meta.url));

function script(options: string, more: string) {
  const program = `
    import { createEmulator } from '${index}';
    const emulator = await createEmulator(${options});
    await emulator.fetch('/api/health');
    ${more}`;
  const words = ['--input-type=module', '-e', program];
  return spawnCommand(words, { program: [process.execPath], cwd: tempDir() });
}

it('a script that forgets close() is told after its last request', async () => {
  const { child, out, ended } = script('{}', '');
  await new Promise<void>((resolve) => child.stderr.once('data', () => resolve()));
  child.kill();
  await ended;
  expect(out.stderr).toMatch(
    /CloudemuWarning: The emulator at http:\/\/\S+ keeps this process alive, and nobody uses it: call its close\(\), or declare it with `await using`\. /,
  );
});

// Longer than it would take: the timers are what the script itself waits for.
it.each([
  ['has a port of its own', '{ port: await freePort() }', 'setTimeout(() => emulator.close(), 11_000);'],
  ['waits for something else', '{}', 'setTimeout(() => emulator.close(), 11_000);'],
  ['closes it', '{}', 'await emulator.close();'],
])('one that %s is not', async (_, options, more) => {
  const port = `
    const { createServer } = await import('node:net');
    const freePort = () => new Promise((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address();
        server.close(() => resolve(port));
      });
    });`;
  const { stderr, code } = await script(
    options.replace('await freePort()', `await (async () => {${port} return freePort(); })()`),
    more,
  ).ended;
  expect([code, stderr]).toEqual([0, '']);
});
