// Requests that a wallet signs in place of a key: the checks, and the single use of each signature.

import { plainPath } from '../../http/routes.js';
import type { World } from '../../world/world.js';
import { explainSignature, type Variant } from './explain.js';
import { type Reason, refusal } from './refusal.js';
import { readSignature } from './signature-form.js';
import { isUsed, latestSigned, type SignedRequest, takeSignature } from './store.js';

const skewMs = 300_000;

/** The values of the three headers. */
export interface WalletHeaders {
  address: string;
  timestamp: string;
  signature: string;
}

/** The request with these headers. */
interface Requested {
  method: string;
  /** Inside the world, without query. */
  path: string;
  /** The path as sent: with the world's prefix, if the client used it. */
  sentPath: string;
  /** With its question mark, or ''. */
  query: string;
}

// Far beyond any configured skew: a used signature stays refused when the client's clock is set back.
const forgottenAfterMs = 86_400_000;

const refused = (reason: Reason, problem: string, facts?: Record<string, unknown>) =>
  refusal('headers', reason, problem, facts);

/**
 * Checks the headers of a request, without using them up.
 *
 * @throws ApiError UNAUTHORIZED with the reason in its details
 */
export async function checkSignedRequest(
  world: World,
  headers: WalletHeaders,
  requested: Requested,
): Promise<SignedRequest> {
  const address = headers.address.toLowerCase();
  const { walletPaths } = world.config.auth;
  if (walletPaths !== null && !walletPaths.some((start) => plainPath(requested.path).startsWith(start))) {
    const facts = { walletPaths };
    throw refused(
      'not-here',
      `wallet headers count only under ${walletPaths.join(', ')} (setting auth.walletPaths)`,
      facts,
    );
  }
  if (!/^0x[0-9a-f]{40}$/.test(address))
    throw refused('malformed-address', 'X-Wallet-Address must be 0x and 40 hexadecimal digits');
  const timestamp = readTimestamp(headers.timestamp, world.clock.clientNow());
  const form = readSignature(headers.signature);
  if ('reason' in form) throw refused(form.reason, `X-Wallet-Signature was not made by a wallet: ${form.problem}`);
  const { signature } = form;
  const { method, path, sentPath } = requested;

  const { recoverSigner } = await import('./curve.js');
  const { name } = world.config.service;
  const parts = { timestamp: headers.timestamp, method, path };
  for (const accepted of new Set([path, sentPath, `/w/${world.id}${path}`])) {
    if ((await recoverSigner(signedText(name, { ...parts, path: accepted }), signature)) === address)
      return { address, timestamp, method, path };
  }
  const text = signedText(name, parts);
  const mismatch = await explainSignature(
    world,
    { text, signature, address },
    signedInstead(name, parts, requested, latestSigned(world.db, address, 3)),
    'tampered',
  );
  throw refused(mismatch.reason, mismatch.problem, { ...mismatch.facts, expectedText: text });
}

/**
 * Uses a signature up, within the caller's transaction.
 *
 * @throws ApiError UNAUTHORIZED when it was used before
 */
export function useSignature(world: World, signed: SignedRequest): void {
  const number = world.nextNumber('wallet-replays');
  const staleBefore = world.clock.clientNow() - forgottenAfterMs;
  if (!takeSignature(world.db, number, signed, staleBefore)) throw replayed();
}

/** Why the signature of a checked request is refused as a replay, or undefined. */
export function replayOf(world: World, signed: SignedRequest): ReturnType<typeof replayed> | undefined {
  return isUsed(world.db, signed) ? replayed() : undefined;
}

function replayed() {
  return refused(
    'replayed',
    'this signature was used before: sign each request separately, with a timestamp of its own',
  );
}

function readTimestamp(text: string, now: number): number {
  if (!/^\d{1,16}$/.test(text))
    throw refused('malformed-timestamp', 'X-Timestamp must be Unix time in milliseconds, digits only');
  const timestamp = Number(text);
  const facts = { timestamp, clientNow: now };
  const age = now - timestamp;
  if (Math.abs(age) <= skewMs) return timestamp;
  if (Math.abs(now - timestamp * 1_000) <= skewMs)
    throw refused('malformed-timestamp', 'X-Timestamp is in seconds, and must be in milliseconds', facts);
  const seconds = Math.round(Math.abs(age) / 1_000);
  if (age > 0) throw refused('expired', `X-Timestamp is ${seconds} s old; five minutes are allowed`, facts);
  throw refused('not-yet-valid', `X-Timestamp is ${seconds} s ahead; five minutes are allowed`, facts);
}

// Texts that clients commonly sign by mistake, and recently used signatures.
function signedInstead(
  name: string,
  parts: SignedParts,
  { sentPath, query }: Requested,
  earlier: readonly SignedRequest[],
): Variant[] {
  const { method, path } = parts;
  const otherPaths = [
    ...(query === '' ? [] : [path + query, sentPath + query]),
    path.endsWith('/') ? path.slice(0, -1) : `${path}/`,
  ];
  const otherMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', method.toLowerCase()];
  return [
    ...otherPaths.map(
      (other): Variant => ({
        text: signedText(name, { ...parts, path: other }),
        reason: 'wrong-path',
        meaning: `the path ${other}: sign ${path}`,
      }),
    ),
    ...otherMethods.map(
      (other): Variant => ({
        text: signedText(name, { ...parts, method: other }),
        reason: 'wrong-method',
        meaning: `the method ${other}: sign ${method}`,
      }),
    ),
    ...['Example', 'Eliza'].map(
      (other): Variant => ({
        text: signedText(other, parts),
        reason: 'wrong-service',
        meaning: `"${other} Cloud Authentication": here it is "${name} Cloud Authentication" (setting service.name)`,
      }),
    ),
    ...earlier.map(
      (other): Variant => ({
        text: signedText(name, { ...other, timestamp: String(other.timestamp) }),
        reason: 'tampered',
        meaning: `an earlier request of this wallet (${other.method} ${other.path} at ${other.timestamp}), not this one`,
      }),
    ),
  ];
}

// The text that a wallet signs to make a request without a key.

/** The parts of a request that a signature covers. */
interface SignedParts {
  /** Unix milliseconds, as X-Timestamp has them. */
  timestamp: string;
  method: string;
  /** Without query. */
  path: string;
}

/** The four lines that a wallet signs. */
export function signedText(serviceName: string, { timestamp, method, path }: SignedParts): string {
  return `${serviceName} Cloud Authentication\nTimestamp: ${timestamp}\nMethod: ${method}\nPath: ${path}`;
}
