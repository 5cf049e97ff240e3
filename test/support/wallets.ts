// Signing in and signing requests in tests.

import type { Emulator } from '../../src/index.js';
import {
  type HeaderMistake,
  type SiweMessageFields,
  signHeaders,
  signSiwe,
  type TestWallet,
  testWallet,
} from '../../src/testing.js';
import { type Answer, type Client, call, type Platform } from './emulator.js';

/** The n-th wallet of the seed that `startEmulator` uses. */
export const wallet = (index = 0): TestWallet => testWallet('test', index);

export interface NonceAnswer {
  nonce: string;
  domain: string;
  uri: string;
  chainId: number;
  version: '1';
  statement: string;
}

export async function getNonce(emulator: Pick<Emulator, 'fetch'>, prefix = ''): Promise<NonceAnswer> {
  return (await emulator.fetch(`${prefix}/api/auth/siwe/nonce`)).json() as Promise<NonceAnswer>;
}

export function verify(emulator: Client, body: unknown): Promise<Answer> {
  return call(emulator, 'POST', '/api/auth/siwe/verify', body, { authorization: '' });
}

/** Signs in with a fresh nonce. */
export async function signIn(
  emulator: Platform,
  fields: Partial<SiweMessageFields> & { wallet?: TestWallet } = {},
): Promise<Answer> {
  return verify(emulator, await signSiwe({ ...(await getNonce(emulator)), wallet: wallet(), ...fields }));
}

export interface SignedCall {
  method?: string;
  body?: unknown;
  signer?: TestWallet;
  timestamp?: number;
  wrong?: HeaderMistake;
  /** The path under the signature, where it is not the one that is asked for. */
  signed?: string;
  headers?: Record<string, string>;
}

/** A request with the headers of a wallet instead of a key. */
export async function signedCall(emulator: Platform, path: string, options: SignedCall = {}): Promise<Answer> {
  const { method = 'GET', body, signer = wallet(), signed = path, headers, timestamp, wrong } = options;
  const walletHeaders = await signHeaders({
    wallet: signer,
    method,
    path: signed,
    ...(timestamp !== undefined && { timestamp }),
    ...(wrong !== undefined && { wrong }),
  });
  return call(emulator, method, path, body, { authorization: '', ...walletHeaders, ...headers });
}

/** Status and reason of a refusal. */
export function refusalOf({ status, body }: Answer): [status: number, reason: string | undefined] {
  return [status, body.error?.details?.reason];
}
