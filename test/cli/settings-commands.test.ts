// `init` and `config schema`; refused.txt has `config check`.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { configJsonSchema } from '../../src/config/json-schema.js';
import { configSchema } from '../../src/config/schema.js';
import { tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';

const it = test.concurrent;

const root = fileURLToPath(new URL('../..', import.meta.url));
const file = (dir: string): string => join(dir, 'emulator.config.json');

describe('init', () => {
  it('writes settings that are the defaults', async () => {
    const cwd = tempDir();
    const { code, stdout } = await runHere(['init'], { cwd });
    expect([code, stdout]).toEqual([
      0,
      `Wrote ${file(cwd)}. \`cloudemu config check\` checks it, \`cloudemu start\` uses it.\n`,
    ]);
    const { $schema: _, ...settings } = JSON.parse(readFileSync(file(cwd), 'utf8')) as Record<string, unknown>;
    expect(configSchema.parse(settings)).toEqual(configSchema.parse({}));
  });

  it('writes what lies at the root of this repository', async () => {
    const cwd = tempDir();
    await runHere(['init'], { cwd });
    const written = JSON.parse(readFileSync(file(cwd), 'utf8')) as object;
    const committed = readFileSync(file(root), 'utf8');
    expect(`${JSON.stringify({ ...written, $schema: './fixtures/config.schema.json' }, null, 2)}\n`).toBe(committed);
  });

  it('points editors to a schema that is there', async () => {
    const cwd = tempDir();
    const { stdout } = await runHere(['init', '--json'], { cwd });
    expect(JSON.parse(stdout)).toEqual({ file: file(cwd) });
    const { $schema } = JSON.parse(readFileSync(file(cwd), 'utf8')) as { $schema: string };
    expect(existsSync(fileURLToPath($schema))).toBe(true);
  });

  it('points to it by a relative path inside the project', async () => {
    const cwd = tempDir();
    const home = join(cwd, 'node_modules/cloudemu');
    for (const part of [
      'dist/cli.cjs',
      'dist/cached.cjs',
      'dist/main.cjs',
      'dist/light.cjs',
      'fixtures',
      'package.json',
    ]) {
      cpSync(join(root, part), join(home, part), { recursive: true });
    }
    await promisify(execFile)(process.execPath, [join(home, 'dist/cli.cjs'), 'init'], { cwd });
    const { $schema } = JSON.parse(readFileSync(file(cwd), 'utf8')) as { $schema: string };
    expect($schema).toBe('./node_modules/cloudemu/fixtures/config.schema.json');
  });

  it('never overwrites', async () => {
    const cwd = tempDir();
    writeFileSync(file(cwd), 'mine');
    const { code, stdout, stderr } = await runHere(['init'], { cwd });
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      `${file(cwd)} already exists; nothing was written. \`cloudemu config check\` checks it.\n`,
    ]);
    expect(readFileSync(file(cwd), 'utf8')).toBe('mine');
  });

  it('never writes through a link that leads nowhere', async () => {
    const cwd = tempDir();
    symlinkSync(join(cwd, 'nowhere'), file(cwd));
    expect(await runHere(['init'], { cwd })).toMatchObject({ code: 1 });
    expect(existsSync(join(cwd, 'nowhere'))).toBe(false);
  });
});

describe('config schema', () => {
  it('prints the schema that editors use', async () => {
    const { code, stdout } = await runHere(['config', 'schema']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(configJsonSchema());
  });

  it('is what is committed', async () => {
    const committed = readFileSync(join(root, 'fixtures/config.schema.json'), 'utf8');
    const { stdout } = await runHere(['config', 'schema']);
    const how =
      'regenerate it: node src/build/build.mjs --quick && node dist/cli.cjs config schema > fixtures/config.schema.json';
    expect(stdout === committed, how).toBe(true);
  });
});
