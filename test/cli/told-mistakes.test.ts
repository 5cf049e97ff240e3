// Mistakes on a user's machine or in a client, as a start or a response tells them.

import { once } from 'node:events';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { endCommands, spawnCommand, startCommand, tempDir } from '../support/command.js';
import { call, closeEmulators, startEmulator } from '../support/emulator.js';
import { formOf } from '../support/voice.js';

afterAll(async () => {
  await endCommands();
  await closeEmulators();
});

describe('a start', () => {
  it('says that the temporary directory is missing', async () => {
    const missing = join(tempDir(), 'gone');
    const { child, out } = spawnCommand(['start', '--port', '0', '--ephemeral'], { env: { TMPDIR: missing } });
    while (!out.stderr.includes('\n')) await once(child.stderr, 'data');
    child.kill();
    expect(out.stderr).toContain(`The temporary directory ${missing} cannot be used (it does not exist)`);
    expect(out.stderr).toContain('set TMPDIR to another one');
  });

  it('says once that a client speaks TLS', async () => {
    const { url, stderr, said } = await startCommand(['--ephemeral']);
    const handshake = async (): Promise<void> => {
      const client = connect({ host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false });
      await expect(once(client, 'secureConnect')).rejects.toThrow();
      client.destroy();
    };
    await handshake();
    await handshake();
    await fetch(`${url}/api/v1/containers`);
    await said(/must begin with http:\/\/, not https/);
    expect(stderr().match(/speaks TLS/g)).toHaveLength(1);
  });
});

describe('a long file in a part without a filename', () => {
  it('is refused as a text, with what makes it a file', async () => {
    const emulator = await startEmulator();
    const form = formOf({ audio: 'x'.repeat(70_000) });
    const { status, body } = await call(emulator, 'POST', '/api/v1/voice/stt', form);
    expect([status, body.error.message]).toEqual([
      413,
      'The field "audio" is larger than 64 KB, the most that a text may have: for a file, name one in its part (filename="…")',
    ]);
  });
});
