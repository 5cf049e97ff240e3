// Paying in tests: what a 402 asks for, and headers that pay it.

import type { Emulator } from '../../src/index.js';
import { type PaymentMistake, type PaymentRequirement, paymentHeader, testWallet } from '../../src/testing.js';
import { type Answer, type Client, call, type Platform } from './emulator.js';

/** The wallet of these tests; the seed is that of their emulators. */
export const wallet = testWallet('test');
export const otherWallet = testWallet('test', 1);

export const topUp = '/api/v1/topup/10';

/** Without any credentials. */
export const nobody = { authorization: '' };

/** The content of a payment header. */
export function decoded(header: string | null): any {
  return header === null ? null : JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
}

/** The payment that a request is asked for, in the words of a version. */
export async function requirementOf(
  emulator: Client,
  version: 1 | 2 = 1,
  path = topUp,
  body?: unknown,
): Promise<PaymentRequirement> {
  const answer = await call(emulator, 'POST', path, body, nobody);
  if (answer.status !== 402) throw new Error(`expected a challenge, got ${answer.status}: ${answer.text}`);
  return version === 1 ? answer.body.accepts[0] : decoded(answer.headers.get('payment-required')).accepts[0];
}

export interface Pay {
  path?: string;
  version?: 1 | 2;
  wrong?: PaymentMistake;
  from?: typeof wallet;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Pays a top-up (or another path) once; `wrong` in one way if wanted. */
export async function pay(emulator: Platform, options: Pay = {}): Promise<Answer & { paid: Record<string, string> }> {
  const { path = topUp, version = 1, wrong, from = wallet, headers = {} } = options;
  const { body = { walletAddress: from.address } } = options;
  const requirement = await requirementOf(emulator, version, path, body);
  const paid = await paymentHeader({ wallet: from, requirement, wrong });
  return { ...(await call(emulator, 'POST', path, body, { ...nobody, ...headers, ...paid })), paid };
}

export const reasonOf = (answer: Answer): unknown => answer.body.error.details.reason;

/** The settlement that an answer tells of, of either version. */
export function settlementOf({ headers }: Answer): any {
  return decoded(headers.get('x-payment-response') ?? headers.get('payment-response'));
}

const fees = new WeakMap<object, PaymentRequirement>();

/** A payment of what everybody pays at an endpoint; nothing where that is nothing. */
export async function feeHeaders(
  emulator: Pick<Emulator, 'url'>,
  { path, fee }: { path: string; fee?: number },
): Promise<Record<string, string>> {
  if (fee === undefined) return {};
  const ask = async (): Promise<any> => (await fetch(emulator.url + path, { method: 'POST' })).json();
  const requirement: PaymentRequirement = fees.get(emulator) ?? (await ask()).accepts[0];
  fees.set(emulator, requirement);
  return paymentHeader({ wallet, requirement: { ...requirement, maxAmountRequired: String(fee) } });
}
