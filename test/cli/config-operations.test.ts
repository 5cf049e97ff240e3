// `config check` and `start` tell an operation that does not exist.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';

it.each([[['config', 'check']], [['start', '--ephemeral', '--port', '0']]])(
  'an operation that does not exist is reported by %j',
  async (args) => {
    const cwd = tempDir();
    const file = join(cwd, 'emulator.config.json');
    writeFileSync(file, '{"rateLimits": {"operations": {"containers.crate": "STRICT"}}}');
    const { code, stdout, stderr } = await runHere(args, { cwd });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      `${file}: rateLimits.operations.containers.crate is not an operation; did you mean "containers.create"?\n`,
    );
  },
);
