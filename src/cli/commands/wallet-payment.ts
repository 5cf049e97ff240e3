// `cloudemu wallet sign payment`: the header that pays a request with virtual USDC, rightly or wrongly.

import { asideHeader } from '../../core/aside.js';
import { createClient, findTarget, Unreachable } from '../client.js';
import { fail, printJson, printLine } from '../print.js';
import { clientTime, oneOf, type SignOptions, walletOf } from './wallet.js';

export interface PaymentOptions extends SignOptions {
  /** USDC. */
  amount: string;
  /** The version of x402. */
  x402: string;
}

/** Asks what payments must fulfil and prints the header of one. */
export async function walletSignPayment(options: PaymentOptions): Promise<void> {
  const { paymentHeader, paymentMistakes } = await import('../../testing.js');
  const wrong = oneOf('--wrong', options.wrong, paymentMistakes);
  const version = options.x402 === '2' ? 2 : 1;
  const amount = atomicUnits(options.amount);
  const target = findTarget(options);
  const client = createClient(target);
  const [wallet, now, requirement] = await Promise.all([
    walletOf(client, options.wallet),
    clientTime(client),
    requirementAt(target.local, version),
  ]);
  const headers = await paymentHeader({
    wallet,
    requirement: { ...requirement, [version === 1 ? 'maxAmountRequired' : 'amount']: amount },
    version,
    now,
    ...(wrong !== undefined && { wrong }),
  });
  if (options.json) return printJson(headers);
  for (const [name, value] of Object.entries(headers)) printLine(`${name}: ${value}`);
}

function atomicUnits(text: string): string {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text))
    fail(2, `--amount must be a number of USDC with at most six decimals, got "${text}"`);
  return String(Math.round(Number(text) * 1_000_000));
}

// Every requirement is alike but for its amount, and a top-up sends one to anybody.
async function requirementAt(url: string, version: 1 | 2) {
  const answer = await fetch(`${url}/api/v1/topup/10`, {
    method: 'POST',
    headers: { [asideHeader]: '1' },
    signal: AbortSignal.timeout(5_000),
  });
  const header = answer.headers.get('payment-required');
  const challenge =
    version === 1 ? await answer.json() : JSON.parse(Buffer.from(header ?? '', 'base64').toString() || '{}');
  const [requirement] = challenge.accepts ?? [];
  if (requirement === undefined)
    throw new Unreachable(
      `No payments of version ${version} are taken at ${url}: it answered ${answer.status}. See the setting x402.versions.`,
    );
  return requirement;
}
