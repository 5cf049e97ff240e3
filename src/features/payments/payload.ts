// A payment as clients send it: base64 of JSON in X-PAYMENT (version 1) or PAYMENT-SIGNATURE (version 2).

import * as z from 'zod';
import { readJson } from '../../kernel/json.js';
import { problemsOf } from '../../kernel/problems.js';
import { isTree } from '../../kernel/tree.js';
import { type Refusal, refusal } from './refusals.js';
import type { Version } from './requirements.js';

export type Hex = `0x${string}`;

/** What the payer has signed: a transfer of USDC (EIP-3009). Addresses and nonce are in lower case. */
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

/** A payment that can be read; whether it is any good is another matter. */
export interface Payment {
  version: Version;
  scheme: string;
  network: string;
  signature: Hex;
  authorization: Authorization;
  /** Whose transfer it is, as the client spells it. */
  payer: string;
  /** The requirement that a client of version 2 says it has chosen. */
  accepted?: { asset: string; payTo: string; amount: string };
}

const wholeNumber = z
  .string()
  .regex(/^\d{1,78}$/, { message: 'must be a whole number, written as a string of digits' });
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, { message: 'must be an address: 0x and 40 hex digits' });
const hex = z.string().regex(/^0x[0-9a-fA-F]*$/, { message: 'must be 0x and hex digits' });
const nonce = z.string().regex(/^0x[0-9a-fA-F]{64}$/, { message: 'must be 0x and 64 hex digits' });

const transfer = z.object({
  signature: hex.max(20_000),
  authorization: z.object({
    from: address,
    to: address,
    value: wholeNumber,
    validAfter: wholeNumber,
    validBefore: wholeNumber,
    nonce,
  }),
});

/** The payload of version 1. */
export const payloadV1 = z.object({
  x402Version: z.literal(1),
  scheme: z.string(),
  network: z.string(),
  payload: transfer,
});

/** The payload of version 2. */
export const payloadV2 = z.object({
  x402Version: z.literal(2),
  accepted: z.object({
    scheme: z.string(),
    network: z.string(),
    amount: wholeNumber,
    asset: address,
    payTo: address,
  }),
  payload: transfer,
});

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Reads the value of a payment header. */
export function readPaymentHeader(value: string, version: Version): Payment | Refusal {
  const name = version === 1 ? 'X-PAYMENT' : 'PAYMENT-SIGNATURE';
  if (!base64.test(value)) return refusal('invalid_payload', `${name} must be base64 of a JSON document`);
  const reading = readJson(Buffer.from(value, 'base64').toString('utf8'));
  if ('problem' in reading) return refusal('invalid_payload', `${name} holds no JSON: ${reading.problem}`);
  return readPayload(reading.value, [version], name);
}

/**
 * Reads a payment from its document.
 *
 * @param versions which ones may come here
 * @param name what a refusal calls the document
 */
export function readPayload(document: unknown, versions: readonly Version[], name: string): Payment | Refusal {
  if (!isTree(document)) return refusal('invalid_payload', `${name} must hold a JSON object`);
  const version = versions.find((one) => one === document.x402Version);
  if (version === undefined) {
    const sent = typeof document.x402Version === 'number' ? ` ${document.x402Version}` : '';
    return refusal('invalid_x402_version', `${name} carries x402Version ${versions.join(' or ')}, and not${sent || ' what this one says'}`);
  }
  const schema = version === 1 ? payloadV1 : payloadV2;
  const result = schema.safeParse(document);
  if (result.success) return paymentOf(result.data);
  const [problem] = problemsOf(result.error.issues, document, schema);
  return refusal('invalid_payload', `${name}: ${problem?.path ?? 'it'} ${problem?.message ?? 'is malformed'}`);
}

function paymentOf(document: z.output<typeof payloadV1> | z.output<typeof payloadV2>): Payment {
  const { signature, authorization } = document.payload;
  const { scheme, network } = document.x402Version === 1 ? document : document.accepted;
  return {
    version: document.x402Version,
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
    ...(document.x402Version === 2 && { accepted: document.accepted }),
  };
}

/** Whether something was refused. */
export function isRefusal(value: object): value is Refusal {
  return 'reason' in value;
}
