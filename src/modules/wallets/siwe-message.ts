// The strict reading of a sign-in message (EIP-4361). Loaded on first use: siwe brings ethers with it.

import { SiweMessage } from 'siwe';

/** What a message says. */
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
    // What is wrong is told in words of our own: the parser counts lines and nodes.
    return undefined;
  }
}
