// A payment as clients send it: base64 of JSON in X-PAYMENT (version 1) or PAYMENT-SIGNATURE (version 2).

import * as z from 'zod';
import { readJson } from '../../core/json.js';
import { describe, problemsOf } from '../../core/problems.js';
import { isTree } from '../../core/tree.js';
import { type Refusal, refusal } from './refusals.js';
import type { Version } from './requirements.js';

type Hex = `0x${string}`;

/** The signed transfer of USDC (EIP-3009). Addresses and nonce are in lower case. */
interface Authorization {
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

const matching = (pattern: RegExp, meaning: string) => z.string().regex(pattern, meaning);
export const address = matching(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex digits');
const wholeNumber = z.string().regex(/^\d{1,78}$/, 'must be a whole number, written as a string of digits');
const signedTransfer = z.lazy(() =>
  z.object({
    signature: matching(/^0x[0-9a-fA-F]{0,20000}$/, 'must be 0x and hex digits'),
    authorization: z.object({
      from: address,
      to: address,
      value: wholeNumber,
      validAfter: wholeNumber,
      validBefore: wholeNumber,
      nonce: matching(/^0x[0-9a-fA-F]{64}$/, 'must be 0x and 64 hex digits'),
    }),
  }),
);
const version1 = z.lazy(() => z.object({ scheme: z.string(), network: z.string(), payload: signedTransfer }));
const version2 = z.lazy(() =>
  z.object({
    accepted: z.object({
      scheme: z.string(),
      network: z.string(),
      amount: wholeNumber,
      asset: address,
      payTo: address,
    }),
    payload: signedTransfer,
  }),
);

/** The content of a document according to its schema, or the refusal that names its first invalid field. */
export function readDocument<Schema extends z.ZodType>(
  schema: Schema,
  document: unknown,
  refuse: (problem: string) => Refusal,
): z.output<Schema> | Refusal {
  const result = schema.safeParse(document);
  if (result.success) return result.data;
  const [first] = problemsOf(result.error.issues, document, schema);
  return refuse(`${first?.path} ${first?.message}`);
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
    return refusal(
      'invalid_x402_version',
      `x402Version of ${name} must be ${versions.join(' or ')}, got ${describe(document.x402Version)}`,
    );
  }
  const refuse = (problem: string): Refusal => refusal('invalid_payload', `${name}: ${problem}`);
  if (version === 1) {
    const read = readDocument(version1, document, refuse);
    return isRefusal(read) ? read : paymentOf(version, read, read.payload);
  }
  const read = readDocument(version2, document, refuse);
  if (isRefusal(read)) return read;
  return { ...paymentOf(version, read.accepted, read.payload), accepted: read.accepted };
}

function paymentOf(
  version: Version,
  { scheme, network }: { scheme: string; network: string },
  { signature, authorization }: z.output<typeof signedTransfer>,
): Payment {
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
  };
}

/** Whether a result is a refusal. */
export function isRefusal(value: object): value is Refusal {
  return 'reason' in value;
}
