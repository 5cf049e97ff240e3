// Payments (x402) for tests: headers that pay what a 402 asks for, and ones that are wrong in one way.

import { privateKeyToAccount } from 'viem/accounts';
import { asCalled } from '../core/as-called.js';
import { wallNow } from '../core/clock.js';
import { freshSeed } from '../core/random.js';
import { transferTypes } from '../platform/payments/recover.js';
import type { Hex } from '../platform/wallets/signature-form.js';
import {
  address,
  among,
  amount,
  checkFields,
  fields,
  nonce,
  number,
  optional,
  text,
  unchecked,
  wallet,
} from './checked.js';
import { anotherAddress } from './headers.js';
import type { Signer } from './wallets.js';
import { checkMistake, isSignatureMistake, signatureMistakes, spoil } from './wrong-signature.js';

/** The mistakes that a payment can have. The response is 402, with the protocol's word in `error.details.reason`. */
export const paymentMistakes = [
  'wrong-version',
  'wrong-scheme',
  'wrong-network',
  'wrong-asset',
  'wrong-recipient',
  'expired',
  'not-yet-valid',
  'underpaid',
  'overpaid',
  'replayed',
  'bad-signature',
  'not-base64',
  'not-json',
  ...signatureMistakes,
] as const;

export type PaymentMistake = (typeof paymentMistakes)[number];

/** An entry of `accepts[]`, of either version. */
export interface PaymentRequirement {
  /** `exact`. */
  scheme: string;
  /** `base-sepolia`, or in version 2 `eip155:84532`. */
  network: string;
  /** Atomic units, in version 1. */
  maxAmountRequired?: string;
  /** Atomic units, in version 2. */
  amount?: string;
  /** The address of the token's contract. */
  asset: string;
  /** The address that is paid. */
  payTo: string;
  /** Longest validity of a payment, in seconds. */
  maxTimeoutSeconds: number;
  /** The name and version in the token's signed data (EIP-712). */
  extra: {
    /** The name of the token. */
    name: string;
    /** The version of the signed data. */
    version: string;
  };
  [other: string]: unknown;
}

export interface PaymentRequest {
  /** The wallet that pays. */
  wallet: Signer;
  /** The entry of `accepts[]` to pay, from the 402: from its body for version 1, from PAYMENT-REQUIRED for version 2. */
  requirement: PaymentRequirement;
  /** Default: that of the requirement. */
  version?: 1 | 2;
  /** 0x and 64 hex digits. Default: a new one. Two payments with one nonce count as the same payment. */
  nonce?: Hex;
  /** Time of the signature, in milliseconds since 1970. Default: now. */
  now?: number;
  /** The mistake to make. Default: none. `replayed` uses one nonce: a wallet's first such payment is valid, the next not. */
  wrong?: PaymentMistake | undefined;
}

const chains: Record<string, number> = { 'base-sepolia': 84_532, base: 8_453 };
const leewaySeconds = 600;

/**
 * Returns the header that pays a requirement. It is valid once.
 *
 * @example
 * const { accepts } = await (await emulator.fetch('/api/v1/topup/10', { method: 'POST' })).json();
 * const headers = await paymentHeader({ wallet, requirement: accepts[0] });
 * await emulator.fetch('/api/v1/topup/10', { method: 'POST', headers, body: JSON.stringify({ walletAddress }) });
 * @example
 * await paymentHeader({ wallet, requirement: accepts[0], wrong: 'expired' });
 */
export function paymentHeader(request: PaymentRequest): Promise<Record<string, string>> {
  return asCalled(paymentHeader, () => headerOf(request));
}

const requestKinds = {
  wallet,
  requirement: fields({
    scheme: text,
    network: text,
    maxAmountRequired: optional(amount),
    amount: optional(amount),
    asset: address,
    payTo: address,
    maxTimeoutSeconds: number,
    extra: fields({ name: text, version: text }),
  }),
  version: optional(among(1, 2)),
  nonce: optional(nonce),
  now: optional(number),
  wrong: unchecked,
};

function checkRequest(request: PaymentRequest): void {
  checkMistake(request?.wrong, paymentMistakes);
  checkFields(request, requestKinds, 'refused');
}

async function headerOf(request: PaymentRequest): Promise<Record<string, string>> {
  checkRequest(request);
  const { wrong, version = request.requirement.amount === undefined ? 1 : 2 } = request;
  const name = version === 1 ? 'X-PAYMENT' : 'PAYMENT-SIGNATURE';
  if (wrong === 'not-base64') return { [name]: '{"x402Version":1}' };
  if (wrong === 'not-json') return { [name]: Buffer.from('x402').toString('base64') };
  return { [name]: Buffer.from(JSON.stringify(await payloadOf(request))).toString('base64') };
}

/** The content of a payment header, for the facilitator's `paymentPayload`. */
export function paymentPayload(request: PaymentRequest): Promise<Record<string, unknown>> {
  return asCalled(paymentPayload, () => payloadOf(request));
}

async function payloadOf(request: PaymentRequest): Promise<Record<string, unknown>> {
  checkRequest(request);
  const { requirement, wrong, version = requirement.amount === undefined ? 1 : 2 } = request;
  const x402Version = wrong === 'wrong-version' ? 3 - version : version;
  const scheme = wrong === 'wrong-scheme' ? 'upto' : requirement.scheme;
  const network = wrong === 'wrong-network' ? otherNetwork(requirement.network) : requirement.network;
  const asset = wrong === 'wrong-asset' ? anotherAddress(requirement.asset as Hex) : (requirement.asset as Hex);
  const payload = await signedTransfer(request, chainOf(network), asset);
  if (version === 1) return { x402Version, scheme, network, payload };
  return { x402Version, payload, accepted: { ...requirement, scheme, network, asset } };
}

async function signedTransfer(request: PaymentRequest, chainId: number, asset: Hex): Promise<Record<string, unknown>> {
  const { wallet, requirement, wrong } = request;
  const account = privateKeyToAccount(wallet.privateKey);
  const payTo = requirement.payTo as Hex;
  const to = wrong === 'wrong-recipient' ? anotherAddress(payTo) : payTo;
  const message = { from: account.address, to, ...termsOf(request) };
  const signature = await account.signTypedData({
    domain: { ...requirement.extra, chainId, verifyingContract: asset },
    types: transferTypes,
    primaryType: 'TransferWithAuthorization',
    message,
  });
  const { value, validAfter, validBefore, ...named } = message;
  return {
    signature: isSignatureMistake(wrong) ? spoil(signature, wrong) : signature,
    authorization: {
      ...named,
      // Signed was another amount.
      value: String(wrong === 'bad-signature' ? value + 1n : value),
      validAfter: String(validAfter),
      validBefore: String(validBefore),
    },
  };
}

function termsOf({ requirement, wrong, nonce, now = wallNow() }: PaymentRequest) {
  const seconds = Math.floor(now / 1_000);
  const required = BigInt(requirement.maxAmountRequired ?? requirement.amount ?? 0);
  const [before, after] = { expired: [-1, -1], 'not-yet-valid': [1, 2] }[wrong as string] ?? [-1, 0];
  return {
    value: required + (wrong === 'underpaid' ? -1n : wrong === 'overpaid' ? 1n : 0n),
    validAfter: BigInt(seconds + (before ?? 0) * leewaySeconds),
    validBefore: BigInt(seconds + (after ?? 0) * leewaySeconds + requirement.maxTimeoutSeconds),
    nonce: nonce ?? (wrong === 'replayed' ? (`0x${'5e'.repeat(32)}` as const) : freshNonce()),
  };
}

function otherNetwork(network: string): string {
  const others: Record<string, string> = {
    'base-sepolia': 'base',
    base: 'base-sepolia',
    'eip155:84532': 'eip155:8453',
    'eip155:8453': 'eip155:84532',
  };
  return others[network] ?? network;
}

function chainOf(network: string): number {
  return chains[network] ?? Number(network.slice(network.indexOf(':') + 1));
}

function freshNonce(): Hex {
  return `0x${freshSeed()}${freshSeed()}`;
}
