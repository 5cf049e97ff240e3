// A payment as clients send it: base64 of JSON in X-PAYMENT (version 1) or PAYMENT-SIGNATURE (version 2).

import { readJson } from '../../core/json.js';
import { isTree, readPath } from '../../core/tree.js';
import { type Refusal, refusal } from './refusals.js';
import type { Version } from './requirements.js';

export type Hex = `0x${string}`;

/** The signed transfer of USDC (EIP-3009). Addresses and nonce are in lower case. */
export interface Authorization {
  from: Hex;
  to: Hex;
  /** Atomic units. */
  value: bigint;
  /** Seconds since the epoch. */
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
}

/** A well-formed payment; whether it is valid is checked later. */
export interface Payment {
  version: Version;
  scheme: string;
  network: string;
  signature: Hex;
  authorization: Authorization;
  /** The payer's address, as the client spells it. */
  payer: string;
  /** The requirement that a client of version 2 states it has accepted. */
  accepted?: { asset: string; payTo: string; amount: string };
}

/** A field of a document: its path, its pattern, and the pattern's meaning. */
export type Field = readonly [path: string, pattern: RegExp, meaning: string];

export const anyText = [/^/, 'must be a string'] as const;
export const address = [/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex digits'] as const;
const wholeNumber = [/^\d{1,78}$/, 'must be a whole number, written as a string of digits'] as const;

// Checked field by field: a schema that few runs need would slow down every start.
const transfer: readonly Field[] = [
  ['payload.signature', /^0x[0-9a-fA-F]{0,20000}$/, 'must be 0x and hex digits'],
  ['payload.authorization.from', ...address],
  ['payload.authorization.to', ...address],
  ['payload.authorization.value', ...wholeNumber],
  ['payload.authorization.validAfter', ...wholeNumber],
  ['payload.authorization.validBefore', ...wholeNumber],
  ['payload.authorization.nonce', /^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits'],
];
const fields: Record<Version, readonly Field[]> = {
  1: [['scheme', ...anyText], ['network', ...anyText], ...transfer],
  2: [
    ['accepted.scheme', ...anyText],
    ['accepted.network', ...anyText],
    ['accepted.amount', ...wholeNumber],
    ['accepted.asset', ...address],
    ['accepted.payTo', ...address],
    ...transfer,
  ],
};

/** The first invalid field of a document, or undefined. */
export function fieldProblem(document: object, expected: readonly Field[]): string | undefined {
  for (const [path, pattern, meaning] of expected) {
    const value = readPath(document, path);
    if (value === undefined) return `${path} is required`;
    if (typeof value !== 'string') return `${path} must be a string`;
    if (!pattern.test(value)) return `${path} ${meaning}`;
  }
  return undefined;
}

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Parses the value of a payment header. */
export function readPaymentHeader(value: string, version: Version): Payment | Refusal {
  const name = version === 1 ? 'X-PAYMENT' : 'PAYMENT-SIGNATURE';
  if (!base64.test(value)) return refusal('invalid_payload', `${name} must be base64 of a JSON document`);
  const reading = readJson(Buffer.from(value, 'base64').toString('utf8'));
  if ('problem' in reading) return refusal('invalid_payload', `${name} holds no JSON: ${reading.problem}`);
  return readPayload(reading.value, [version], name);
}

/**
 * Parses a payment document.
 *
 * @param versions the versions that are accepted here
 * @param name the document's name in refusals
 */
export function readPayload(document: unknown, versions: readonly Version[], name: string): Payment | Refusal {
  if (!isTree(document)) return refusal('invalid_payload', `${name} must hold a JSON object`);
  const version = versions.find((one) => one === document.x402Version);
  if (version === undefined) {
    const sent = typeof document.x402Version === 'number' ? ` ${document.x402Version}` : '';
    return refusal(
      'invalid_x402_version',
      `${name} carries x402Version ${versions.join(' or ')}, and not${sent || ' what this one says'}`,
    );
  }
  const problem = fieldProblem(document, fields[version]);
  if (problem !== undefined) return refusal('invalid_payload', `${name}: ${problem}`);
  return paymentOf(document as unknown as Document, version);
}

/** A document whose fields are valid. */
interface Document extends Place {
  accepted: Place & { asset: string; payTo: string; amount: string };
  payload: {
    signature: string;
    authorization: Record<'from' | 'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>;
  };
}

interface Place {
  scheme: string;
  network: string;
}

function paymentOf(document: Document, version: Version): Payment {
  const { signature, authorization } = document.payload;
  const { scheme, network } = version === 1 ? document : document.accepted;
  return {
    version,
    scheme,
    network,
    signature: signature.toLowerCase() as Hex,
    payer: authorization.from,
    authorization: {
      from: authorization.from.toLowerCase() as Hex,
      to: authorization.to.toLowerCase() as Hex,
      value: BigInt(authorization.value),
      validAfter: BigInt(authorization.validAfter),
      validBefore: BigInt(authorization.validBefore),
      nonce: authorization.nonce.toLowerCase() as Hex,
    },
    ...(version === 2 && { accepted: document.accepted }),
  };
}

/** Whether a result is a refusal. */
export function isRefusal(value: object): value is Refusal {
  return 'reason' in value;
}
