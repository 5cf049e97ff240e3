// Signature hints: how a sign-in message may have changed between signing and sending.

import type { Variant } from './explain.js';
import type { SiweFields } from './siwe-message.js';
import type { Nonce } from './store.js';

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
export function signatureHints(
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
export function replaceAddress(message: string, change: (address: string) => string): string {
  return message.replace(/(?<=^[^\n]*\n)0x[0-9a-f]{40}(?=\n)/i, change);
}

/** Whether an address is all in lower or all in upper case, and so without a checksum. */
export function isOneCase(address: string): boolean {
  const digits = address.slice(2);
  return digits === digits.toLowerCase() || digits === digits.toUpperCase();
}

function replaceField(message: string, title: string, value: string): string {
  return message.replace(new RegExp(`\\n${title}: [^\\n]*\\n`), () => `\n${title}: ${value}\n`);
}
