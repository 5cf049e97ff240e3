// Sign-in messages (EIP-4361) and their signatures: right ones, and ones that are wrong in one way.

import { privateKeyToAccount } from 'viem/accounts';
import { asCalled } from '../core/as-called.js';
import { wallNow } from '../core/clock.js';
import { describe } from '../core/problems.js';
import { withChecksum } from '../platform/wallets/curve.js';
import { checkFields, number, optional, text, texts, unchecked, wallet } from './checked.js';
import { anotherAddress } from './headers.js';
import type { Signer } from './wallets.js';
import { checkMistake, isSignatureMistake, signatureMistakes, spoil } from './wrong-signature.js';

/** The mistakes that a sign-in can have. The emulator's response has the same word in `error.details.reason`. */
export const siweMistakes = [
  'expired',
  'not-yet-valid',
  'wrong-domain',
  'wrong-address',
  'tampered',
  'trailing',
  'nonce-unknown',
  'malformed-message',
  ...signatureMistakes,
] as const;

export type SiweMistake = (typeof siweMistakes)[number];

/** The fields of a message: those of the response with the nonce, and the others of EIP-4361. Times are ISO 8601. */
export interface SiweMessageFields {
  /** The host that asks for the signature, from the response with the nonce. */
  domain: string;
  /** The URI to sign in to, from the response with the nonce. */
  uri: string;
  /** The nonce, from the response. */
  nonce: string;
  /** Default 1. */
  chainId?: number;
  /** A sentence that is shown to the user who signs. */
  statement?: string;
  /** Default 1. */
  version?: string;
  /** Default: now. The mistakes `expired` and `not-yet-valid` are relative to this time. */
  issuedAt?: string;
  /** The time at which the message expires. */
  expirationTime?: string;
  /** The time before which the message is not yet valid. */
  notBefore?: string;
  /** An id that the client chooses. */
  requestId?: string;
  /** Further URIs to sign in to. */
  resources?: readonly string[];
  /** The mistake to make. Default: none. */
  wrong?: SiweMistake;
}

const fieldKinds = {
  domain: text,
  uri: text,
  nonce: text,
  chainId: optional(number),
  statement: optional(text),
  version: optional(text),
  issuedAt: optional(text),
  expirationTime: optional(text),
  notBefore: optional(text),
  requestId: optional(text),
  resources: optional(texts),
  wrong: unchecked,
};

const hour = 3_600_000;

/**
 * Returns the text of a sign-in message. The host can be any, even a single label or an IPv6 address, which some libraries
 * refuse.
 *
 * @example
 * const nonce = await (await emulator.fetch('/api/auth/siwe/nonce')).json();
 * const message = siweMessage({ ...nonce, address: wallet.address });
 */
export function siweMessage(fields: SiweMessageFields & { address: string }): string {
  return asCalled(siweMessage, () => {
    // The other fields of the nonce's answer may be given, too.
    checkFields(fields, { ...fieldKinds, address: text }, 'allowed');
    return messageOf(fields);
  });
}

function messageOf(fields: SiweMessageFields & { address: string }): string {
  const { wrong, statement, resources, version = '1', chainId = 1, requestId } = fields;
  checkMistake(wrong, siweMistakes);
  const { issuedAt = iso(wallNow()), expirationTime, notBefore } = mistimed(fields);
  const address =
    wrong === 'wrong-address' ? withChecksum(anotherAddress(fields.address as `0x${string}`)) : fields.address;
  const lines = [
    `${wrong === 'wrong-domain' ? 'example.com' : fields.domain} wants you to sign in with your Ethereum account:`,
    address,
    '',
    ...(statement === undefined ? [''] : [statement, '']),
    `URI: ${fields.uri}`,
    `Version: ${wrong === 'malformed-message' ? '2' : version}`,
    `Chain ID: ${chainId}`,
    `Nonce: ${wrong === 'nonce-unknown' ? '0123456789abcdef0123456789abcdef' : fields.nonce}`,
    `Issued At: ${issuedAt}`,
  ];
  if (expirationTime !== undefined) lines.push(`Expiration Time: ${expirationTime}`);
  if (notBefore !== undefined) lines.push(`Not Before: ${notBefore}`);
  if (requestId !== undefined) lines.push(`Request ID: ${requestId}`);
  if (resources !== undefined) lines.push('Resources:', ...resources.map((resource) => `- ${resource}`));
  if (wrong === 'trailing') lines.push('', 'and something more');
  return lines.join('\n');
}

/**
 * Returns a signed sign-in message: the body of POST /api/auth/siwe/verify. It is valid once: to see a reused nonce
 * refused, send it twice.
 *
 * @example
 * const body = await signSiwe({ ...nonce, wallet });
 * await emulator.fetch('/api/auth/siwe/verify', { method: 'POST', body: JSON.stringify(body) });
 * @example
 * await signSiwe({ ...nonce, wallet, wrong: 'malleated' });
 */
export function signSiwe(
  request: SiweMessageFields & { wallet: Signer },
): Promise<{ message: string; signature: string }> {
  return asCalled(signSiwe, () => signedMessage(request));
}

async function signedMessage(
  request: SiweMessageFields & { wallet: Signer },
): Promise<{ message: string; signature: string }> {
  checkFields(request, { ...fieldKinds, wallet }, 'allowed');
  const { wallet: signer, ...fields } = request;
  const { wrong } = fields;
  const account = privateKeyToAccount(signer.privateKey);
  const message = messageOf({ ...fields, address: account.address });
  const signature = await account.signMessage({ message });
  return {
    message: wrong === 'tampered' ? tampered(message) : message,
    signature: isSignatureMistake(wrong) ? spoil(signature, wrong) : signature,
  };
}

function mistimed(fields: SiweMessageFields): Pick<SiweMessageFields, 'issuedAt' | 'expirationTime' | 'notBefore'> {
  const now = fields.issuedAt === undefined ? wallNow() : Date.parse(fields.issuedAt);
  if (Number.isNaN(now) && (fields.wrong === 'expired' || fields.wrong === 'not-yet-valid'))
    throw new Error(
      `issuedAt must be an ISO 8601 time with wrong: "${fields.wrong}", got ${describe(fields.issuedAt)}`,
    );
  if (fields.wrong === 'expired') return { issuedAt: iso(now - 2 * hour), expirationTime: iso(now - hour) };
  if (fields.wrong === 'not-yet-valid') return { ...fields, notBefore: iso(now + hour) };
  return fields;
}

// Every message names the chain, which comes from the emulator's nonce response.
function tampered(message: string): string {
  return message.replace(/\nChain ID: (\d+)\n/, (_, id: string) => `\nChain ID: ${id}0\n`);
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
