// `cloudemu wallet …`: listing test wallets, and signing as they do, rightly and wrongly.

import { execFileSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import { headerMistakes, siweMistakes, testWallet } from '../../src/testing.js';
import { type RunningCommand, run, startCommand } from '../support/command.js';

const it = test.concurrent;
const path = '/api/v1/user';

let emulator: RunningCommand;
let cloudemu: (...args: string[]) => ReturnType<typeof run>;
beforeAll(async () => {
  emulator = await startCommand(['--ephemeral', '--seed', 'cli', '--quiet'], {
    env: { CLOUDEMU_RATE_LIMITS_ENABLED: 'false' },
  });
  cloudemu = (...args) => run([...args, '--url', emulator.url]);
});

it('the command wallet lists the wallets of the seed', async () => {
  const { code, stdout } = await cloudemu('wallet', 'list');
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeGreaterThanOrEqual(10);
  const { address, privateKey } = testWallet('cli', 3);
  expect(lines[4]).toMatch(new RegExp(`^3 +${address}  ${privateKey}$`));
  const { wallets: listed } = JSON.parse((await cloudemu('wallet', 'list', '--json')).stdout);
  expect(listed[0]).toEqual({ ...testWallet('cli'), organizationId: listed[0].organizationId });
});

it('wallet sign prints headers that curl sends as they are', async () => {
  const { code, stdout } = await cloudemu('wallet', 'sign', 'headers', '--path', `${path}?x=1`, '--wallet', '1');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^X-Wallet-Address: 0x\w{40}\nX-Timestamp: \d{13}\nX-Wallet-Signature: 0x[0-9a-f]{130}\n$/),
  ]);
  const answer = execFileSync('curl', ['-s', '-H', '@-', `${emulator.url}${path}`], { input: stdout });
  expect(JSON.parse(answer.toString()).data.wallet_address).toBe(testWallet('cli', 1).address.toLowerCase());
});

it('wallet sign signs any method, at any time, as JSON too', async () => {
  const args = ['--method', 'post', '--path', '/api/v1/app/agents', '--timestamp', '1700000000000', '--json'];
  const { stdout } = await cloudemu('wallet', 'sign', 'headers', ...args);
  const headers = JSON.parse(stdout);
  expect(headers).toMatchObject({ 'X-Timestamp': '1700000000000', 'X-Wallet-Address': testWallet('cli').address });
  const answer = await fetch(`${emulator.url}/api/v1/app/agents`, { method: 'POST', headers, body: '{"name":"x"}' });
  expect((await answer.json()).error.details.reason).toBe('expired');
});

it('wallet sign signs in', async () => {
  const { code, stdout } = await cloudemu('wallet', 'sign', 'siwe', '--wallet', '12', '--statement', 'Hello.');
  expect(code).toBe(0);
  expect(JSON.parse(stdout).message).toContain('\n\nHello.\n\n');
  const answer = await fetch(`${emulator.url}/api/auth/siwe/verify`, { method: 'POST', body: stdout });
  expect(await answer.json()).toMatchObject({ success: true, address: testWallet('cli', 12).address });
});

it('wallet sign signs wrongly, in each way that the helpers know', async () => {
  for (const wrong of headerMistakes) {
    const { stdout } = await cloudemu('wallet', 'sign', 'headers', '--path', path, '--wrong', wrong, '--json');
    const answer = await fetch(emulator.url + path, { headers: JSON.parse(stdout) });
    expect([wrong, (await answer.json()).error.details.reason]).toEqual([wrong, wrong]);
  }
  for (const wrong of siweMistakes) {
    const { stdout } = await cloudemu('wallet', 'sign', 'siwe', '--wrong', wrong, '--json');
    const answer = await fetch(`${emulator.url}/api/auth/siwe/verify`, { method: 'POST', body: stdout });
    expect([wrong, (await answer.json()).error.details.reason]).toEqual([wrong, wrong]);
  }
});

it.each([
  [['wallet', 'sign'], 'wallet sign needs a command (`cloudemu wallet sign --help` lists what there is)'],
  [['wallet', 'lst'], 'There is no command "wallet lst"; did you mean `cloudemu wallet list`?'],
  [
    ['wallet', 'sign', 'header'],
    'There is no command "wallet sign header"; did you mean `cloudemu wallet sign headers`?',
  ],
  [['wallet', 'sign', 'headers'], '--path needs a value; the signature covers it'],
  [['wallet', 'sign', 'headers', '--path', '/', '--wrong', 'wrong-pat'], 'did you mean wrong-path?'],
  [['wallet', 'sign', 'headers', '--path', '/', '--timestamp', 'now'], '--timestamp must be milliseconds, got "now"'],
  [['wallet', 'sign', 'siwe', '--wrong', 'nothing'], '--wrong must be one of expired, not-yet-valid'],
  [['wallet', 'sign', 'siwe', '--wallet', 'mine'], '--wallet must be an index'],
])('the command wallet is called wrongly with %j', async (args, message) => {
  const { code, stdout, stderr } = await run(args.length > 3 ? [...args, '--url', emulator.url] : args);
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
});

it('the command wallet says so when no emulator runs', async () => {
  for (const args of [
    ['wallet', 'list'],
    ['wallet', 'sign', 'siwe'],
  ]) {
    const { code, stderr } = await run([...args, '--url', 'http://127.0.0.1:9']);
    expect([code, stderr]).toEqual([1, expect.stringContaining('No emulator answers')]);
  }
});
