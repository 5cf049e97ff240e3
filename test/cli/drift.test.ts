// `cloudemu drift` against a platform that is another emulator, behind a proxy that changes answers.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Emulator } from '../../src/index.js';
import { isFull, itFull } from '../support/campaign.js';
import { type Outcome, tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { broken, closeStands, type Stand, standIn, startPlatform } from '../support/drift.js';

let platform: Emulator;
let cwd: string;
beforeEach(() => {
  cwd = tempDir();
  writeFileSync(join(cwd, 'package.json'), '{}');
});
afterEach(closeStands);

/** The platform, filled, at an address of its own. */
async function stand(parts: Stand = {}): Promise<string> {
  platform = await startPlatform('spec', true);
  return standIn(platform, parts);
}

type Change = NonNullable<Stand['change']>;

const run = (words: string, key = ''): Promise<Outcome> =>
  runHere(words.split(' '), { cwd, env: key === '' ? {} : { PLATFORM_KEY: key } });

function against(url: string, more = ''): Promise<Outcome> {
  // Its window would be full after some runs in the same minute.
  platform.controls.limits.release();
  return run(`drift run --against ${url} --key-from PLATFORM_KEY --json${more}`, platform.apiKey);
}

const filesIn = (): string[] =>
  readdirSync(join(cwd, 'drift')).map((name) => readFileSync(join(cwd, 'drift', name), 'utf8'));

it('finds nothing where both are the same, and keeps no value', async () => {
  const { code, stdout } = await against(await stand());
  expect([code, JSON.parse(stdout).findings]).toEqual([0, []]);
  for (const text of [...filesIn(), stdout]) {
    expect(text).not.toContain(platform.apiKey);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-4|Ada|Grace/);
  }
  expect((await run('drift check --offline')).code).toBe(0);
});

it('disputes a difference that one run shows, and fails when two did, unless it is accepted', async () => {
  const url = await stand({
    change(answer, req) {
      if (req.url === '/api/v1/credits/balance') answer.body = answer.body.replace('"balance"', '"amount"');
    },
  });
  // One run alone fails nothing; 3 says that few requests could not ask all.
  const first = await against(url, isFull ? '' : ' --max-requests 20');
  expect(first.code).toBe(isFull ? 0 : 3);
  const second = await against(url, ' --max-requests 20');
  expect(second.code).toBe(1);
  const { findings } = JSON.parse(second.stdout);
  expect(findings.map(({ finding, runs }: any) => [finding, runs])).toEqual([
    ['account.balance /amount', 2],
    ['account.balance /balance', 2],
  ]);
  expect(findings[1]).toMatchObject({ platform: 'nothing', emulator: 'number' });
  platform.controls.limits.release();
  const told = await run(`drift run --against ${url} --key-from PLATFORM_KEY --max-requests 20`, platform.apiKey);
  expect(told.stdout).toContain('That is too little to say that the rest is the same.');
  expect(told.stdout).not.toContain('nothing is proved');
  expect((await run('drift check --offline --json')).code).toBe(1);
  const accept = (names: string[]) =>
    writeFileSync(
      join(cwd, 'drift/accepted.json'),
      JSON.stringify(Object.fromEntries(names.map((name) => [name, { reason: 'it is known', until: '2999-01-01' }]))),
    );
  accept(['account.balance /amount', 'account.balance /balance']);
  expect((await run('drift check --offline')).code).toBe(0);
  accept(['account.balance /amount', 'account.balance /balance', 'account.balance /other']);
  const { code, stdout } = await against(url, ' --max-requests 20');
  expect([code, JSON.parse(stdout).wrong]).toEqual([1, [expect.stringContaining('excuses nothing')]]);
});

itFull.each<[string, Change]>([
  ['pages', (answer) => Object.assign(answer, { status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' })],
  ['errors of a gateway', (answer) => (answer.status = 502)],
  ['refusals of a rate limit', (answer) => (answer.status = 429)],
  ['half a JSON', (answer) => (answer.body = answer.body.slice(0, answer.body.length / 2))],
])('says nothing where all answers are %s', async (_, change) => {
  const { code, stdout } = await against(await stand({ change }));
  expect([code, JSON.parse(stdout).findings]).toEqual([3, []]);
  expect(JSON.parse(stdout).couldNotAsk.length).toBeGreaterThan(100);
});

itFull.each(Array.from({ length: 40 }, (_, seed) => seed))(
  'could not ask is no difference, wherever it happens (%s)',
  async (seed) => {
    let count = seed;
    const { code, stdout } = await against(
      await stand({ before: () => (++count % (5 + (seed % 9)) === 0 ? broken : undefined) }),
    );
    const { findings, couldNotAsk } = JSON.parse(stdout);
    expect(findings).toEqual([]);
    expect(couldNotAsk.length).toBeGreaterThan(10);
    expect([0, 3]).toContain(code);
  },
);

it('follows no redirect with the key', async () => {
  const keys: (string | undefined)[] = [];
  const other = await stand({ before: ({ authorization }) => void keys.push(authorization) });
  const { code } = await against(
    await standIn(platform, { before: ({ url }) => ({ status: 302, headers: { location: other + url }, body: '' }) }),
    ' --max-requests 20',
  );
  expect([code, keys]).toEqual([3, []]);
});

it.each([
  ['a key that is refused', '/', '_wrong', '--key-from', /^The key is refused: GET .*balance answers 401$/],
  ['a path that is not the platform’s', '/api/v1', '', '--against', /^Nothing of the platform is at .*\/api\/v1: GET/],
])('asks no more with %s, and keeps nothing of it', async (_, path, more, field, message) => {
  const url = await stand();
  const words = ['drift', 'run', '--against', url + path, '--key-from', 'PLATFORM_KEY', '--json'];
  const { code, stdout } = await runHere(words, { cwd, env: { PLATFORM_KEY: platform.apiKey + more } });
  const { error } = JSON.parse(stdout);
  expect([code, error]).toEqual([2, expect.objectContaining({ field, message: expect.stringMatching(message) })]);
  expect(filesIn()).toEqual([]);
});

it('a key with a line break, as a file ends with, is named: no request can hold it', async () => {
  const { code, stderr } = await run('drift run --against http://127.0.0.1:1 --key-from PLATFORM_KEY', 'key\n');
  expect([code, stderr]).toEqual([2, expect.stringContaining('PLATFORM_KEY holds more than a key')]);
  expect(existsSync(join(cwd, 'drift'))).toBe(false);
});

it('asks without a key whether the platform is there', async () => {
  const { code, stderr } = await run(`drift run --against ${await stand()}/api/v1`);
  expect([code, stderr]).toEqual([2, expect.stringContaining('Nothing of the platform is at')]);
});

it('says how many questions need a key, and that an emulator is not the platform', async () => {
  const url = await stand();
  const words = `drift run --against ${url} --level 1 --max-requests 20`;
  const left = JSON.parse((await run('drift plan --json')).stdout).questions.filter(
    ({ as }: any) => as === 'key',
  ).length;
  const { stdout } = await run(words);
  expect(stdout).toContain(`Without --key-from, ${left} questions that need a key were left out.\n`);
  expect(stdout).toMatch(/^This is an emulator, .* proves nothing about the platform\.$/m);
  expect(JSON.parse((await run(`${words} --json`)).stdout)).toMatchObject({ leftOut: left, isEmulator: true });
  const hides: Change = ({ headers }) => delete headers['x-emulator'];
  const other = await against(await standIn(platform, { change: hides }), ' --max-requests 20');
  const document = JSON.parse(other.stdout);
  expect([document.leftOut, document.isEmulator]).toEqual([undefined, undefined]);
});

it('takes a read that is gone or needs a permission for a finding', async () => {
  const change: Change = (answer, { url }) => {
    if (url === '/api/v1/credits/balance') Object.assign(answer, { status: 403, body: '{}' });
  };
  const { stdout } = await against(await stand({ change }), ' --max-requests 12');
  expect(JSON.parse(stdout).findings).toMatchObject([{ finding: 'account.balance status', platform: '403' }]);
});

itFull('asks without a key only what needs none, and sends no more than it may', async () => {
  const sent: (string | undefined)[] = [];
  const url = await stand({ change: (_, { authorization }) => void sent.push(authorization) });
  const { stdout } = await run(`drift run --against ${url} --json --max-requests 20`, platform.apiKey);
  // The first one asks whether the platform is there.
  expect(sent).toHaveLength(20);
  expect(sent.join()).not.toContain(platform.apiKey);
  expect(JSON.parse(stdout)).toMatchObject({ asked: 19 });
});

it('a damaged file of it is named', async () => {
  mkdirSync(join(cwd, 'drift'));
  writeFileSync(join(cwd, 'drift/ledger.json'), '{"profile": 5}');
  const { code, stderr } = await run('drift show');
  expect([code, stderr]).toEqual([2, expect.stringMatching(/drift\/ledger\.json/)]);
});

it.each([
  ['accepted.json', { 'account.balance /amount': { until: '2999-01-01' } }, /account\.balance.*reason/],
  ['accepted.json', { 'account.balance /amount': { reason: 'known', until: 'soon' } }, /until/],
  ['ledger.json', { profile: 'spec', findings: {}, assumptions: { 'quotas.tiers': {} } }, /tiers.*state/],
  ['observed.json', { profile: 'spec' }, /questions/],
  ['needs.json', {}, /profile/],
])('reads %s before anything is asked, and names the field that is wrong', async (name, content, field) => {
  let sent = 0;
  const url = await stand({ before: () => void sent++ });
  mkdirSync(join(cwd, 'drift'));
  writeFileSync(join(cwd, 'drift', name), JSON.stringify(content));
  const { code, stdout } = await against(url);
  const { message } = JSON.parse(stdout).error;
  expect([code, sent, message]).toEqual([2, 0, expect.stringMatching(field)]);
  expect(message).toContain(join('drift', name));
  expect(message).not.toMatch(/✖|undefined|Invalid input/);
});

it('names the tests that stood on an assumption', async () => {
  const worlds = [{ label: 'deploy.spec.ts > fills the quota', assumptions: ['quotas.tiers'] }];
  writeFileSync(join(cwd, 'receipt.json'), JSON.stringify({ worlds }));
  const { stdout } = await run('drift show quotas.tiers --receipt receipt.json --json');
  expect(JSON.parse(stdout).assumptions[0]).toMatchObject({ assumption: 'quotas.tiers', state: 'untested' });
});
