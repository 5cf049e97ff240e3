// A preset for an operation that does not exist is not a setting that could ever hold: it is told, with the right name.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { operationIds } from '../../src/app/emulator.js';
import { ConfigError } from '../../src/config/error.js';
import { type ConfigSources, loadConfig } from '../../src/config/load.js';
import { createEmulator } from '../../src/index.js';
import { tempDir } from '../support/command.js';

function problemsOf(sources: ConfigSources): readonly string[] {
  try {
    loadConfig({ file: null, operations: operationIds, ...sources });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

it('an unknown operation is reported with the file, the environment or the option that it is in', async () => {
  const dir = tempDir();
  const file = join(dir, 'emulator.config.json');
  writeFileSync(file, '{"rateLimits": {"operations": {"containers.crate": "STRICT", "agents.create": "none"}}}');
  const env = { CLOUDEMU_RATE_LIMITS_OPERATIONS: '{"nothing.like.it": "BURST"}' };
  expect(problemsOf({ file, env })).toEqual([
    `${file}: rateLimits.operations.containers.crate is not an operation; did you mean "containers.create"?`,
    'CLOUDEMU_RATE_LIMITS_OPERATIONS: rateLimits.operations.nothing.like.it is not an operation',
  ]);
  await expect(createEmulator({ rateLimits: { operations: { 'keys.lst': 'STRICT' } } })).rejects.toThrow(
    'createEmulator: rateLimits.operations.keys.lst is not an operation; did you mean "keys.list"?',
  );
});

it('every operation is known, also those that a profile names', () => {
  const operations = Object.fromEntries(operationIds.map((id) => [id, 'STRICT']));
  expect(problemsOf({ settings: { rateLimits: { operations } } })).toEqual([]);
  expect(problemsOf({ flags: { profile: 'elizacloud-v1' } })).toEqual([]);
});
