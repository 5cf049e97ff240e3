// Sign-In with Ethereum: the nonce, and every check of message and signature that needs no chain.

import { nextTurn } from '../../core/clock.js';
import type { World } from '../../world/world.js';
import { explainMessage, explainSignature, type Variant } from './explain.js';
import { type Reason, refusal } from './refusal.js';
import { readSignature } from './signature-form.js';
import type { SiweFields } from './siwe-message.js';
import { findNonce, insertNonce, latestNonces, type Nonce, takeNonce } from './store.js';

const nonceLifeMs = 300_000;

/** A sign-in with a valid signature; its nonce is not yet used up. */
export interface SignIn {
  /** With its checksum. */
  address: string;
  nonce: string;
}

const refused = (reason: Reason, problem: string, facts?: Record<string, unknown>) =>
  refusal('siwe', reason, problem, facts);

/** Creates a nonce for the address that the client used, within the caller's transaction. */
export function issueNonce(world: World, baseUrl: string, chainId: number, now: number): Nonce {
  const number = world.nextNumber('siwe-nonces');
  const row = {
    nonce: world.random.hex('siwe-nonce', number).slice(0, 32),
    // As the client wrote it: a URL would drop the scheme's default port.
    domain: /^https?:\/\/([^/]+)/.exec(baseUrl)?.[1] ?? '',
    uri: baseUrl,
    chain_id: chainId,
    client_time: world.clock.clientNow(),
    expires_at: now + nonceLifeMs,
  };
  insertNonce(world.db, number, row, now);
  return { ...row, used_at: null };
}

/** The statement for clients to sign. */
export function statementOf(world: World): string {
  return `Sign in to ${world.config.service.name} Cloud`;
}

/** Preloads the verification: loading takes a moment, and a sign-in is likely to follow. Others have their turn between. */
export async function expectSignIn(): Promise<void> {
  await nextTurn();
  await import('./siwe-message.js');
  await nextTurn();
  const { addressOf } = await import('./curve.js');
  await nextTurn();
  addressOf(`0x${'1'.padStart(64, '0')}`);
}

/**
 * Checks a sign-in; a failed one changes nothing.
 *
 * @throws ApiError UNAUTHORIZED with the reason in its details
 */
export async function checkSignIn(
  world: World,
  { message, signature }: { message: string; signature: string },
  now: number,
): Promise<SignIn> {
  const [{ parseMessage }, { recoverSigner, withChecksum }] = await Promise.all([
    import('./siwe-message.js'),
    import('./curve.js'),
  ]);
  // The strict parser requires the checksum; the signature is verified over the message as it came.
  const fields = parseMessage(
    replaceAddress(message, (address) => (isOneCase(address) ? withChecksum(address) : address)),
  );
  if (fields === undefined) {
    const { reason, problem, line } = explainMessage(message);
    throw refused(reason, `the message is not an EIP-4361 message: ${problem}`, line === undefined ? {} : { line });
  }
  const nonce = usableNonce(world, fields.nonce, now);
  checkDomain(fields.domain, nonce.domain);
  checkTimes(fields, world.clock.clientNow());
  const form = readSignature(signature);
  if ('reason' in form) throw refused(form.reason, `the signature was not made by a wallet: ${form.problem}`);
  const address = fields.address.toLowerCase();
  if ((await recoverSigner(message, form.signature)) === address)
    return { address: fields.address, nonce: fields.nonce };

  const offer = { nonce, statement: statementOf(world), otherNonces: latestNonces(world.db, 5) };
  const { variants, suspect } = signatureHints(message, fields, offer, withChecksum);
  const signed = { text: message, signature: form.signature, address };
  const { reason, problem, facts } = await explainSignature(world, signed, variants, suspect);
  throw refused(reason, problem, facts);
}

/**
 * Uses the nonce of a checked sign-in up, within the caller's transaction.
 *
 * @throws ApiError UNAUTHORIZED when another sign-in used it first
 */
export function useNonce(world: World, nonce: string, now: number): void {
  if (takeNonce(world.db, nonce, now)) return;
  usableNonce(world, nonce, now);
}

function usableNonce(world: World, value: string, now: number): Nonce {
  const hint = 'get a new one from GET /api/auth/siwe/nonce';
  const nonce = findNonce(world.db, value);
  if (nonce === undefined) throw refused('nonce-unknown', `the nonce was not issued here; ${hint}`);
  if (nonce.used_at !== null)
    throw refused('nonce-reused', `the nonce was used before: each is good for one sign-in; ${hint}`);
  if (nonce.expires_at > now) return nonce;
  const expiredAt = new Date(nonce.expires_at).toISOString();
  throw refused('nonce-expired', `the nonce lives five minutes of the emulator’s time; ${hint}`, { expiredAt });
}

function checkDomain(received: string, expected: string): void {
  if (received.toLowerCase() === expected.toLowerCase()) return;
  throw refused('wrong-domain', `the domain must be ${expected}, as the nonce’s answer says`, {
    expected,
    received: received.slice(0, 200),
  });
}

function checkTimes({ expirationTime, notBefore }: SiweFields, now: number): void {
  const clientNow = new Date(now).toISOString();
  if (expirationTime !== undefined && instantOf(expirationTime) <= now)
    throw refused('expired', `the message expired at ${expirationTime}, and it is ${clientNow}`, {
      expirationTime,
      clientNow,
    });
  if (notBefore !== undefined && instantOf(notBefore) > now)
    throw refused('not-yet-valid', `the message is valid from ${notBefore}, and it is ${clientNow}`, {
      notBefore,
      clientNow,
    });
}

// A leap second has no instant of its own.
function instantOf(text: string): number {
  return Date.parse(text.toUpperCase().replace(/:60(?=\D|$)/, ':59'));
}

// Signature hints: how a sign-in message may have changed between signing and sending.

/** The values that the nonce's response gave the client to sign. */
export interface Offer {
  nonce: Nonce;
  statement: string;
  otherNonces: readonly string[];
}

/**
 * The texts that may have been signed instead of a message, and the explanation when none of them was: a message
 * with the offered values was probably signed by another wallet.
 */
function signatureHints(
  message: string,
  fields: SiweFields,
  { nonce, statement, otherNonces }: Offer,
  withChecksum: (address: string) => string,
): { variants: Variant[]; suspect: 'tampered' | 'wrong-address' } {
  const variant = (text: string, meaning: string): Variant => ({
    text,
    reason: 'tampered',
    meaning: `the message ${meaning}`,
  });
  const careless = [
    variant(replaceAddress(message, withChecksum), 'with the address in its checksum case'),
    variant(
      replaceAddress(message, (address) => address.toLowerCase()),
      'with the address in lower case',
    ),
    variant(`${message}\n`, 'with a line break at its end'),
    variant(message.replaceAll('\n', '\r\n'), 'with CRLF line ends'),
  ];
  const changed = (text: string, was: string): Variant =>
    variant(text, `with ${was}: it was changed after it was signed`);
  const { uri, chainId } = fields;
  const differing: Variant[] = [];
  if (fields.statement !== undefined && fields.statement !== '' && fields.statement !== statement) {
    const text = message.replace(`\n\n${fields.statement}\n\n`, () => `\n\n${statement}\n\n`);
    differing.push(changed(text, `the statement "${statement}"`));
  }
  if (uri !== nonce.uri) differing.push(changed(replaceField(message, 'URI', nonce.uri), `the URI ${nonce.uri}`));
  if (chainId !== nonce.chain_id)
    differing.push(
      changed(replaceField(message, 'Chain ID', String(nonce.chain_id)), `the chain id ${nonce.chain_id}`),
    );
  const nonces = otherNonces
    .filter((other) => other !== nonce.nonce)
    .map((other) => changed(replaceField(message, 'Nonce', other), 'another nonce'));
  const isOdd = differing.length > 0 || Math.abs(Date.parse(fields.issuedAt) - nonce.client_time) > 300_000;
  return { variants: [...careless, ...differing, ...nonces], suspect: isOdd ? 'tampered' : 'wrong-address' };
}

/** A message with its address replaced. */
function replaceAddress(message: string, change: (address: string) => string): string {
  return message.replace(/(?<=^[^\n]*\n)0x[0-9a-f]{40}(?=\n)/i, change);
}

/** Whether an address is all in lower or all in upper case, and so without a checksum. */
function isOneCase(address: string): boolean {
  const digits = address.slice(2);
  return digits === digits.toLowerCase() || digits === digits.toUpperCase();
}

function replaceField(message: string, title: string, value: string): string {
  return message.replace(new RegExp(`\\n${title}: [^\\n]*\\n`), () => `\n${title}: ${value}\n`);
}
