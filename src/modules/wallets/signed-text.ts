// The text that a wallet signs to make a request without a key.

/** What a signature binds a request to. */
export interface SignedParts {
  /** Unix milliseconds, as X-Timestamp has them. */
  timestamp: string;
  method: string;
  /** Without query. */
  path: string;
}

/** The four lines under a wallet's signature. */
export function signedText(serviceName: string, { timestamp, method, path }: SignedParts): string {
  return `${serviceName} Cloud Authentication\nTimestamp: ${timestamp}\nMethod: ${method}\nPath: ${path}`;
}
