// Secrets on command lines: afterwards none of them is in a file below the project's directory, reports, logs and exported
// snapshots included, though the emulator was killed.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { run, tempDir } from '../support/command.js';
import { createPlanting, exported, filesBelow } from './support/planted.js';

const headers = [
  ...['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'x-secret', 'x-auth', 'x-session', 'x-token'],
  ...['x-pass', 'x-bearer', 'x-sid', 'x-otp', 'x-wallet-signature', 'x-payment', 'payment-signature'],
];
const asks = "fetch(process.env.CLOUDEMU_URL + '/api/v1/user?token=' + process.argv.at(-1))";

it('secrets on command lines are kept nowhere', async () => {
  const { planted, plant, leaksIn } = createPlanting();
  const cwd = tempDir();
  const cloudemu = async (args: readonly string[], env: Record<string, string> = {}) => run(args, { cwd, env });
  const told = async (args: readonly string[]): Promise<any> => {
    const { code, stdout, stderr } = await cloudemu([...args, '--json']);
    expect([code, stderr], args.join(' ')).toEqual([0, '']);
    return JSON.parse(stdout);
  };

  const control = plant('the token of the control plane');
  const started = await told(['start', '--detach', '--port', '0', '--control-token', control]);
  onTestFinished(() => void spawnSync('kill', ['-9', String(started.pid)]));
  const ask = async (path: string, init: RequestInit = {}): Promise<any> =>
    (await fetch(started.url + path, { ...init, headers: { authorization: `Bearer ${started.apiKey}` } })).json();

  const { plainKey } = await ask('/api/v1/api-keys', { method: 'POST', body: '{"name": "mine"}' });
  planted.set('a key that a client made', plainKey.slice(12));
  const byKey = ['--operation', 'agents.list', '--status', '503', '--key'];
  await told(['faults', 'add', ...byKey, plainKey]);
  await told(['limits', 'exhaust', '--retry-after', '30', '--key', plainKey]);
  await told(['requests', 'list', '--key', plainKey]);
  expect((await cloudemu(['faults', 'add', ...byKey, plant('a key of a rule', 'ek_test_')])).code).toBe(2);
  expect((await cloudemu(['limits', 'exhaust', '--key', plant('a key of a limit', 'ek_live_')])).code).toBe(1);
  await Promise.all(
    headers.map(async (name) => {
      const match = { headers: { [name]: plant(`a rule’s header ${name}`) } };
      const rule = JSON.stringify({ match, effect: { status: 503 } });
      expect((await cloudemu(['faults', 'add', rule])).stderr).toMatch(/which is never stored/);
      const scenario = `{"faults": [${rule}]}`;
      expect((await cloudemu(['scenario', 'apply', scenario, '--data-dir', '.cloudemu'])).stderr).toMatch(
        /never stored/,
      );
    }),
  );
  expect((await cloudemu(['clock', '--token', plant('a wrong token')])).code).toBe(0);
  expect((await cloudemu(['clock', '--url', `${started.url}/?token=${plant('a query of --url')}`])).code).toBeLessThan(
    3,
  );
  planted.set('a minted key', (await told(['key', 'create', '--name', 'short'])).apiKey.slice(12));
  planted.set('a session', (await told(['session', 'create'])).token.split('.')[2]);
  planted.set('a wallet', (await told(['wallet', 'create'])).privateKey.slice(2));
  const signed = await told(['wallet', 'sign', 'headers', '--path', `/api/v1/user?token=${plant('a path to sign')}`]);
  planted.set('a signature', signed['X-Wallet-Signature'].slice(2));
  await ask(`/api/v1/user?token=${plant('a query in the log')}`);

  const words = [
    ...[`--token=${plant('an option with =')}`, '--password', plant('an option with its value behind')],
    ...[`API_KEY=${plant('a variable')}`, '-H', `X-Secret: ${plant('a header')}`],
    ...['-H', `Authorization: Bearer ${plant('a bearer')}`, plant('a key', 'ek_test_')],
    ...[`https://me:${plant('a URL')}@example.com/?sig=${plant('a URL’s query')}`],
    ...['--passphrase', plant('the last word')],
  ];
  const ran = [
    'run',
    'happy-path',
    '--junit',
    'report.xml',
    '--json',
    '--',
    process.execPath,
    '-e',
    asks,
    '--',
    ...words,
  ];
  const { stdout } = await cloudemu(ran, { SECRET: plant('the environment of a run') });
  expect(JSON.parse(stdout).command.slice(-2)).toEqual(['--passphrase', '********']);
  expect(readFileSync(join(cwd, 'report.xml'), 'utf8')).toContain('API_KEY=********');

  await told(['snapshot', 'take', 'planted']);
  for (const flags of [[], ['--without-secrets']])
    await told(['snapshot', 'export', 'planted', '--file', `export${flags.length}.json`, ...flags]);
  const [whole, cleared] = [0, 1].map((number) => readFileSync(join(cwd, `export${number}.json`), 'utf8'));
  process.kill(started.pid, 'SIGKILL');

  expect(planted.size).toBeGreaterThan(35);
  expect(new Set(planted.values()).size).toBe(planted.size);
  const files = [...filesBelow(cwd), ...exported('the export', whole ?? ''), ...exported('the cleared', cleared ?? '')];
  expect(files.map(([name]) => name)).toEqual(expect.arrayContaining(['world.db', 'emulator.log', 'report.xml']));
  expect(leaksIn([...files, ['what run prints', stdout]])).toEqual([]);
});
