// `cloudemu drift needs`: which fields a client depends on, and what a difference elsewhere means then.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { fieldsOf, matters, withoutField } from '../../src/tools/drift/needs.js';
import { itFull } from '../support/campaign.js';
import { tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { closeStands, type Reply, standIn, startPlatform } from '../support/drift.js';

afterEach(closeStands);

const client = `
  const { CLOUD_BASE_URL, CLOUD_API_KEY } = process.env;
  const headers = { authorization: 'Bearer ' + CLOUD_API_KEY };
  const { keys } = await (await fetch(CLOUD_BASE_URL + '/api/v1/api-keys', { headers })).json();
  if (keys[0].name === null) throw new Error('no name');
`;

function project(script: string): string {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'package.json'), '{}');
  writeFileSync(join(cwd, 'client.mjs'), script);
  return cwd;
}

const needs = (cwd: string, ...flags: string[]) =>
  runHere(['drift', 'needs', ...flags, '--', process.execPath, 'client.mjs'], { cwd });

itFull('names the fields without which the tests fail', async () => {
  const cwd = project(client);
  const { code, stdout } = await needs(cwd);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^keys\.list +needs \/keys, \/keys\/\*\/name$/m)]);
  const file = JSON.parse(readFileSync(join(cwd, 'drift/needs.json'), 'utf8'));
  expect(file.operations['keys.list']).toMatchObject({ needed: ['/keys', '/keys/*/name'], untried: [] });
  expect(file.operations['keys.list'].idle).toContain('/keys/*/created_at');

  const platform = await startPlatform('spec', false);
  const drift = async (words: string) => {
    platform.controls.limits.release();
    return runHere(words.split(' '), { cwd, env: { PLATFORM_KEY: platform.apiKey } });
  };
  const twice = async (change: (answer: Reply) => void) => {
    const url = await standIn(platform, {
      change: (answer, { url: path }) => {
        if (path === '/api/v1/api-keys' || path === '/api/v1/credits/balance') change(answer);
      },
    });
    const words = `drift run --against ${url} --key-from PLATFORM_KEY`;
    await drift(words);
    return drift(words);
  };
  const renamed = await twice((answer) => {
    answer.body = answer.body.replaceAll('"created_at"', '"made_at"').replace('"balance"', '"amount"');
  });
  expect(renamed.stdout).toContain('NOT NEEDED  keys.list /keys/*/created_at: the platform says nothing');
  expect(renamed.stdout).toContain('NOT NEEDED  account.balance /amount');
  expect(renamed.code).toBe(0);
  expect((await drift('drift check')).code).toBe(0);
  const missed = await twice((answer) => {
    answer.body = answer.body.replaceAll('"name"', '"title"');
  });
  expect([missed.code, missed.stdout]).toEqual([1, expect.stringMatching(/^DIFFERS +keys\.list \/keys\/\*\/name$/m)]);
});

it('says what there was no time for, which counts as needed', async () => {
  const cwd = project(client);
  const { code, stdout } = await needs(cwd, '--budget', '0s', '--json');
  expect([code, JSON.parse(stdout)]).toEqual([3, expect.objectContaining({ runs: 0 })]);
  const { fields, untried, operations } = JSON.parse(stdout);
  expect([untried, operations['keys.list'].untried.length]).toEqual([fields, fields]);
});

it('refuses tests that fail anyway, and those that send nothing', async () => {
  const failing = await needs(project('throw new Error("broken anyway")'));
  expect([failing.code, failing.stderr]).toEqual([2, expect.stringContaining('broken anyway')]);
  const silent = await needs(project(''));
  expect([silent.code, silent.stderr]).toEqual([2, expect.stringContaining('No request came')]);
});

it('takes the fields of all entries of a list together, and none that are null anyway', () => {
  const body = {
    data: [
      { id: 'a', url: null },
      { id: 'b', url: 'https://x' },
    ],
    'a/b': 1,
    none: null,
  };
  const fields = fieldsOf([{ operation: 'containers.list', body }]);
  expect(fields.map(({ place, pointers }) => [place, pointers])).toEqual([
    ['/data', ['/data']],
    ['/a~1b', ['/a~1b']],
    ['/data/*/id', ['/data/0/id', '/data/1/id']],
    ['/data/*/url', ['/data/1/url']],
  ]);
  expect(withoutField(fields[2] as (typeof fields)[number])).toEqual({
    match: { operation: 'containers.list' },
    phase: 'after',
    effect: { set: { '/data/0/id': null, '/data/1/id': null } },
  });
});

it.each([
  ['keys.list', '/keys/*/name', 'text', true],
  ['keys.list', '/keys/*/usage', 'int', false],
  ['keys.list', '/keys/*/more', 'nothing', false],
  ['keys.list', '/error/code', '"FORBIDDEN"', true],
  ['keys.list', 'status', '200', true],
  ['account.balance', 'status', '200', false],
])('a difference at %s %s (%s) matters: %s', (operation, place, emulator, isNeeded) => {
  const operations = { 'keys.list': { needed: ['/keys/*/name'], idle: ['/keys/*/usage'], untried: [] } };
  const file = { profile: 'spec', at: '', command: [], operations };
  expect(matters({ operation, place, emulator }, file)).toBe(isNeeded);
});
