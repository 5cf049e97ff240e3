// The text that a wallet signs to make a request without a key.

/** The parts of a request that a signature covers. */
export interface SignedParts {
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
