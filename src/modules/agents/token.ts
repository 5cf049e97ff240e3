// The blockchain token that an agent may stand for.

export interface Token {
  address: string | null;
  chain: string | null;
  name: string | null;
  ticker: string | null;
}

/** What a request says about a token. */
export interface TokenFields {
  tokenAddress?: string | null | undefined;
  tokenChain?: string | null | undefined;
  tokenName?: string | null | undefined;
  tokenTicker?: string | null | undefined;
}

export const noToken: Token = { address: null, chain: null, name: null, ticker: null };

export function tokenOf(fields: TokenFields): Token {
  return {
    address: fields.tokenAddress ?? null,
    chain: fields.tokenChain ?? null,
    name: fields.tokenName ?? null,
    ticker: fields.tokenTicker ?? null,
  };
}

/** What two agents must not share: address and chain; null without an address. */
export function tokenKey({ address, chain }: Token): string | null {
  if (address === null) return null;
  // The case of a hexadecimal address is only its checksum; elsewhere case tells addresses apart.
  const exact = /^0x[0-9a-f]+$/i.test(address) ? address.toLowerCase() : address;
  return JSON.stringify([(chain ?? '').toLowerCase(), exact]);
}
