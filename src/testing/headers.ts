// The headers with which a wallet signs a request: right ones, and ones that are wrong in one way.

import { privateKeyToAccount } from 'viem/accounts';
import { asCalled } from '../core/as-called.js';
import { wallNow } from '../core/clock.js';
import type { Hex } from '../platform/wallets/signature-form.js';
import { signedText } from '../platform/wallets/signed-request.js';
import { checkFields, number, optional, text, unchecked, wallet } from './checked.js';
import type { Signer } from './wallets.js';
import { checkMistake, isSignatureMistake, signatureMistakes, spoil } from './wrong-signature.js';

/** The mistakes that signed headers can have. The emulator's response has the same word in `error.details.reason`. */
export const headerMistakes = [
  'expired',
  'not-yet-valid',
  'tampered',
  'wrong-address',
  'wrong-path',
  'wrong-method',
  'wrong-service',
  'malformed-address',
  'malformed-timestamp',
  ...signatureMistakes,
] as const;

export type HeaderMistake = (typeof headerMistakes)[number];

export interface HeadersRequest {
  /** The wallet that signs. */
  wallet: Signer;
  /** HTTP method of the request. Default: GET. */
  method?: string;
  /** Path or URL of the request; its query is not signed. */
  path: string;
  /** Time of the signature, in milliseconds since 1970. Default: now. */
  timestamp?: number;
  /** The value of the setting `service.name`. Default: "Example". */
  serviceName?: string;
  /** The mistake to make. Default: none. */
  wrong?: HeaderMistake;
}

/** The three headers of a signed request. */
export type WalletHeaders = Record<'X-Wallet-Address' | 'X-Timestamp' | 'X-Wallet-Signature', string>;

const tenMinutes = 600_000;

/**
 * Signs a request. The headers are valid for one request: to see a replay refused, send them twice.
 *
 * @example
 * const headers = await signHeaders({ wallet, method: 'GET', path: '/api/v1/user' });
 * await emulator.fetch('/api/v1/user', { headers });
 * @example
 * await signHeaders({ wallet, path: '/api/v1/user', wrong: 'expired' });
 */
export function signHeaders(request: HeadersRequest): Promise<WalletHeaders> {
  return asCalled(signHeaders, () => signedHeaders(request));
}

const requestKinds = {
  wallet,
  path: text,
  method: optional(text),
  timestamp: optional(number),
  serviceName: optional(text),
  wrong: unchecked,
};

async function signedHeaders(request: HeadersRequest): Promise<WalletHeaders> {
  checkFields(request, requestKinds, 'refused');
  const { serviceName = 'Example', wrong } = request;
  checkMistake(wrong, headerMistakes);
  const method = (request.method ?? 'GET').toUpperCase();
  const path = pathOf(request.path);
  const account = privateKeyToAccount(request.wallet.privateKey);
  const shift = wrong === 'expired' ? -tenMinutes : wrong === 'not-yet-valid' ? tenMinutes : 0;
  const timestamp = (request.timestamp ?? wallNow()) + shift;
  const message = signedText(wrong === 'wrong-service' ? otherThan(serviceName) : serviceName, {
    timestamp: String(timestamp),
    method: wrong === 'wrong-method' ? (method === 'GET' ? 'POST' : 'GET') : method,
    path: wrong === 'wrong-path' ? `${path}/` : path,
  });
  const signature = await account.signMessage({ message });
  return {
    'X-Wallet-Address': addressIn(account.address, wrong),
    'X-Timestamp': timestampIn(timestamp, wrong),
    'X-Wallet-Signature': isSignatureMistake(wrong) ? spoil(signature, wrong) : signature,
  };
}

function pathOf(pathOrUrl: string): string {
  const path = URL.canParse(pathOrUrl) ? new URL(pathOrUrl).pathname : pathOrUrl;
  return path.replace(/[?#].*$/s, '');
}

function addressIn(address: Hex, wrong: HeaderMistake | undefined): string {
  if (wrong === 'malformed-address') return address.slice(0, -1);
  return wrong === 'wrong-address' ? anotherAddress(address) : address;
}

function timestampIn(timestamp: number, wrong: HeaderMistake | undefined): string {
  if (wrong === 'malformed-timestamp') return new Date(timestamp).toISOString();
  return String(wrong === 'tampered' ? timestamp + 1 : timestamp);
}

/** An address without a known private key. */
export function anotherAddress(address: Hex): Hex {
  return `0x${[...address.slice(2).toLowerCase()].reverse().join('')}`;
}

function otherThan(serviceName: string): string {
  return serviceName === 'Eliza' ? 'Example' : 'Eliza';
}
