// The strict parser of sign-in messages (EIP-4361). Loaded on first use.

import { SiweMessage } from 'siwe';

/** The fields of a message. */
export interface SiweFields {
  domain: string;
  address: string;
  statement: string | undefined;
  uri: string;
  chainId: number;
  nonce: string;
  issuedAt: string;
  expirationTime: string | undefined;
  notBefore: string | undefined;
}

/** The fields of a message; undefined when it breaks the grammar. */
export function parseMessage(text: string): SiweFields | undefined {
  try {
    const { issuedAt = '', ...message } = new SiweMessage(text);
    const { domain, address, statement, uri, chainId, nonce, expirationTime, notBefore } = message;
    return { domain, address, statement, uri, chainId, nonce, issuedAt, expirationTime, notBefore };
  } catch {
    // The parser's own messages count lines and nodes, so this emulator writes its own.
    return undefined;
  }
}
