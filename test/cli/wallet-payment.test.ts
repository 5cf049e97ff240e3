// `cloudemu wallet sign payment`: headers that curl pays with, and ones that are refused.

import { execFileSync } from 'node:child_process';
import { beforeAll, expect, test } from 'vitest';
import { testWallet } from '../../src/testing.js';
import { type Outcome, type RunningCommand, startCommand } from '../support/command.js';
import { runHere } from '../support/command-here.js';

const it = test.concurrent;
const topUp = (amount: number) => `/api/v1/topup/${amount}`;

let emulator: RunningCommand;
let sign: (...args: string[]) => Promise<Outcome>;
beforeAll(async () => {
  emulator = await startCommand(['--ephemeral', '--seed', 'cli', '--quiet'], {
    env: { CLOUDEMU_RATE_LIMITS_ENABLED: 'false' },
  });
  sign = (...args) => runHere(['wallet', 'sign', 'payment', ...args, '--url', emulator.url]);
});

function curl(path: string, header: string, body: unknown): any {
  const args = ['-s', '-X', 'POST', '-H', '@-', `${emulator.url}${path}`, '-d', JSON.stringify(body)];
  return JSON.parse(execFileSync('curl', args, { input: header }).toString());
}

it.each(['1', '2'])('a signed payment pays a top-up by curl, in version %s', async (x402) => {
  const { code, stdout } = await sign('--amount', '50', '--wallet', x402, '--x402', x402);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^(X-PAYMENT|PAYMENT-SIGNATURE): [\w+/=]+\n$/)]);
  const walletAddress = testWallet('cli', Number(x402)).address;
  expect(curl(topUp(50), stdout, { walletAddress })).toMatchObject({ success: true, newBalance: 50, walletAddress });
});

it('a signed payment pays a container', async () => {
  const { stdout } = await sign('--amount', '0.5', '--wallet', '3');
  const body = { name: 'web', project_name: 'web', ecr_image_uri: 'r/web:v1' };
  expect(curl('/api/v1/containers', stdout, body)).toMatchObject({ success: true, creditsDeducted: 0.5 });
});

it('a payment that is signed wrongly is refused for that reason', async () => {
  const { stdout } = await sign('--wrong', 'expired', '--json');
  const headers = JSON.parse(stdout);
  const answer: any = await (await fetch(emulator.url + topUp(10), { method: 'POST', headers })).json();
  expect(answer.error.details.reason).toBe('invalid_exact_evm_payload_authorization_valid_before');
});
