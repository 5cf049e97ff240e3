// Sign-in messages (EIP-4361) and their signatures: right ones, and ones that are wrong in one way.

import { privateKeyToAccount } from 'viem/accounts';
import { asCalled } from '../core/as-called.js';
import { wallNow } from '../core/clock.js';
import { describe } from '../core/problems.js';
import { withChecksum } from '../modules/wallets/curve.js';
import { checkFields, number, optional, text, texts, unchecked, wallet } from './checked.js';
import { anotherAddress } from './headers.js';
import type { Signer } from './wallets.js';
import { checkMistake, isSignatureMistake, signatureMistakes, spoil } from './wrong-signature.js';

/** What a sign-in can be wrong in; the emulator's answer has the same word in `error.details.reason`. */
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

/** The fields of a message: those of the nonce's answer, and what else EIP-4361 knows. Times are ISO 8601. */
export interface SiweMessageFields {
  /** The host that asks, as the nonce's answer says. */
  domain: string;
  /** What is signed in to, as the nonce's answer says. */
  uri: string;
  /** Of the nonce's answer. */
  nonce: string;
  /** Default 1. */
  chainId?: number;
  /** A sentence that is shown to the user who signs. */
  statement?: string;
  /** Default 1. */
  version?: string;
  /** Default: now; what is to be expired or not yet valid is so by this time. */
  issuedAt?: string;
  /** From when on it is no longer good. */
  expirationTime?: string;
  /** Before when it is not yet good. */
  notBefore?: string;
  /** An id of the client's own. */
  requestId?: string;
  /** URIs that are signed in to besides. */
  resources?: readonly string[];
  /** What is to be wrong with it; default: nothing. */
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
 * The text of a sign-in message. Any host will do, also the single-label and IPv6 ones that some libraries refuse.
 *
 * @example
 * const nonce = await (await emulator.fetch('/api/auth/siwe/nonce')).json();
 * const message = siweMessage({ ...nonce, address: wallet.address });
 */
export function siweMessage(fields: SiweMessageFields & { address: string }): string {
  return asCalled(siweMessage, () => {
    // What else the nonce's answer holds may come along.
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
 * A signed sign-in message: the body of POST /api/auth/siwe/verify. It is good once; to see a reused nonce refused,
 * send it twice.
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
