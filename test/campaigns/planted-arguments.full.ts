// Secrets on command lines: afterwards none of them is in a file below the project's directory, reports, logs and exported
// snapshots included, though the emulator was killed.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Outcome, run, tempDir } from '../support/command.js';
import { createPlanting, exported, filesBelow, type NamedText } from './support/planted.js';

const headers = [
  ...['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'x-secret', 'x-auth', 'x-session', 'x-token'],
  ...['x-pass', 'x-bearer', 'x-sid', 'x-otp', 'x-wallet-signature', 'x-payment', 'payment-signature'],
];
const asks = "fetch(process.env.CLOUDEMU_URL + '/api/v1/user?token=' + process.argv.at(-1))";

const { planted, plant, leaksIn } = createPlanting();
const cwd = tempDir();

function cloudemu(args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
  return run(args, { cwd, env });
}

/** The result of a command that succeeds. */
async function printed(args: readonly string[]): Promise<any> {
  const { code, stdout, stderr } = await cloudemu([...args, '--json']);
  expect([code, stderr], args.join(' ')).toEqual([0, '']);
  return JSON.parse(stdout);
}

type Ask = (path: string, init?: RequestInit) => Promise<any>;

async function nameKeys(ask: Ask): Promise<void> {
  const { plainKey } = await ask('/api/v1/api-keys', { method: 'POST', body: '{"name": "mine"}' });
  planted.set('a key that a client made', plainKey.slice(12));
  const byKey = ['--operation', 'agents.list', '--status', '503', '--key'];
  await printed(['faults', 'add', ...byKey, plainKey]);
  await printed(['limits', 'exhaust', '--retry-after', '30', '--key', plainKey]);
  await printed(['requests', 'list', '--key', plainKey]);
  expect((await cloudemu(['faults', 'add', ...byKey, plant('a key of a rule', 'ek_test_')])).code).toBe(2);
  expect((await cloudemu(['limits', 'exhaust', '--key', plant('a key of a limit', 'ek_live_')])).code).toBe(1);
}

async function nameHeaders(): Promise<void> {
  await Promise.all(
    headers.map(async (name) => {
      const match = { headers: { [name]: plant(`a rule’s header ${name}`) } };
      const rule = JSON.stringify({ match, effect: { status: 503 } });
      expect((await cloudemu(['faults', 'add', rule])).stderr).toMatch(/which is never stored/);
      const scenario = ['scenario', 'apply', `{"faults": [${rule}]}`, '--data-dir', '.cloudemu'];
      expect((await cloudemu(scenario)).stderr).toMatch(/never stored/);
    }),
  );
}

async function nameTokens(url: string): Promise<void> {
  expect((await cloudemu(['clock', '--token', plant('a wrong token')])).code).toBe(0);
  const withQuery = `${url}/?token=${plant('a query of --url')}`;
  expect((await cloudemu(['clock', '--url', withQuery])).code).toBeLessThan(3);
}

async function printSecrets(): Promise<void> {
  planted.set('a minted key', (await printed(['key', 'create', '--name', 'short'])).apiKey.slice(12));
  planted.set('a session', (await printed(['session', 'create'])).token.split('.')[2]);
  planted.set('a wallet', (await printed(['wallet', 'create'])).privateKey.slice(2));
  const path = `/api/v1/user?token=${plant('a path to sign')}`;
  const signed = await printed(['wallet', 'sign', 'headers', '--path', path]);
  planted.set('a signature', signed['X-Wallet-Signature'].slice(2));
}

/** Runs tests by a command line with secrets, and returns what `run` prints. */
async function runTests(): Promise<string> {
  const words = [
    ...[`--token=${plant('an option with =')}`, '--password', plant('an option with its value behind')],
    ...[`API_KEY=${plant('a variable')}`, '-H', `X-Secret: ${plant('a header')}`],
    ...['-H', `Authorization: Bearer ${plant('a bearer')}`, plant('a key', 'ek_test_')],
    ...[`https://me:${plant('a URL')}@example.com/?sig=${plant('a URL’s query')}`],
    ...['--passphrase', plant('the last word')],
  ];
  const flags = ['--junit', 'report.xml', '--json'];
  const { stdout } = await cloudemu(
    ['run', 'happy-path', ...flags, '--', process.execPath, '-e', asks, '--', ...words],
    { SECRET: plant('the environment of a run') },
  );
  expect(JSON.parse(stdout).command.slice(-2)).toEqual(['--passphrase', '********']);
  expect(readFileSync(join(cwd, 'report.xml'), 'utf8')).toContain('API_KEY=********');
  return stdout;
}

async function exportSnapshots(): Promise<NamedText[]> {
  await printed(['snapshot', 'take', 'planted']);
  await printed(['snapshot', 'export', 'planted', '--file', 'whole.json']);
  await printed(['snapshot', 'export', 'planted', '--file', 'cleared.json', '--without-secrets']);
  return ['whole', 'cleared'].flatMap((name) =>
    exported(`the ${name} export`, readFileSync(join(cwd, `${name}.json`), 'utf8')),
  );
}

it('secrets on command lines are kept nowhere', async () => {
  const control = plant('the token of the control plane');
  const started = await printed(['start', '--detach', '--port', '0', '--control-token', control]);
  onTestFinished(() => void spawnSync('kill', ['-9', String(started.pid)]));
  const ask: Ask = async (path, init = {}) =>
    (await fetch(started.url + path, { ...init, headers: { authorization: `Bearer ${started.apiKey}` } })).json();

  await nameKeys(ask);
  await nameHeaders();
  await nameTokens(started.url);
  await printSecrets();
  await ask(`/api/v1/user?token=${plant('a query in the log')}`);
  const told = await runTests();
  const exports = await exportSnapshots();
  process.kill(started.pid, 'SIGKILL');

  expect(planted.size).toBeGreaterThan(35);
  expect(new Set(planted.values()).size).toBe(planted.size);
  const files = [...filesBelow(cwd), ...exports];
  expect(files.map(([name]) => name)).toEqual(expect.arrayContaining(['world.db', 'emulator.log', 'report.xml']));
  expect(leaksIn([...files, ['what run prints', told]])).toEqual([]);
});
