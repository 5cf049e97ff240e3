// Stored nonces of sign-ins, used signatures, and the test wallets that were created.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { readMeta, writeMeta } from '../../db/meta.js';

export interface Nonce {
  nonce: string;
  /** The host and port that the client used. */
  domain: string;
  uri: string;
  chain_id: number;
  /** The time of the client's clock when it was issued. */
  client_time: number;
  expires_at: number;
  used_at: number | null;
}

/** A request that a wallet signed. */
export interface SignedRequest {
  /** In lower case. */
  address: string;
  /** Milliseconds of the client's clock. */
  timestamp: number;
  method: string;
  /** Inside the world, without query. */
  path: string;
}

// Ended ones are kept, to explain refusals, until this many newer ones exist.
const keptRows = 10_000;

export function insertNonce(db: Db, number: number, row: Omit<Nonce, 'used_at'>, now: number): void {
  db.run('DELETE FROM siwe_nonces WHERE seq <= @seq AND expires_at <= @now', { seq: number - keptRows, now });
  insert(db, 'siwe_nonces', { seq: number, ...row });
}

export function findNonce(db: Db, nonce: string): Nonce | undefined {
  return db.get<Nonce>(
    'SELECT nonce, domain, uri, chain_id, client_time, expires_at, used_at FROM siwe_nonces WHERE nonce = @nonce',
    { nonce },
  );
}

/** The latest nonces, newest first. */
export function latestNonces(db: Db, limit: number): string[] {
  const rows = db.all<{ nonce: string }>('SELECT nonce FROM siwe_nonces ORDER BY seq DESC LIMIT @limit', { limit });
  return rows.map(({ nonce }) => nonce);
}

/** Uses a nonce up; false when it was used or has expired. */
export function takeNonce(db: Db, nonce: string, now: number): boolean {
  const changed = db.run(
    'UPDATE siwe_nonces SET used_at = @now WHERE nonce = @nonce AND used_at IS NULL AND expires_at > @now',
    { now, nonce },
  );
  return changed === 1;
}

/** Remembers the key of a user's sign-in, and returns the former one: users may rename keys, or give others its name. */
export function replaceSignInKey(db: Db, userId: string, keyId: string): string | undefined {
  const name = `sign-in key of ${userId}`;
  const former = readMeta(db, name);
  writeMeta(db, name, keyId);
  return former;
}

/** Whether the signature of a request was used before. */
export function isUsed(db: Db, { address, timestamp, method, path }: SignedRequest): boolean {
  const row = db.get(
    `SELECT 1 FROM wallet_replays
       WHERE address = @address AND timestamp = @timestamp AND method = @method AND path = @path`,
    { address, timestamp, method, path },
  );
  return row !== undefined;
}

/** The latest requests that a wallet signed, newest first. */
export function latestSigned(db: Db, address: string, limit: number): SignedRequest[] {
  return db.all<SignedRequest>(
    `SELECT address, timestamp, method, path FROM wallet_replays
       WHERE address = @address ORDER BY timestamp DESC, seq DESC LIMIT @limit`,
    { address, limit },
  );
}

/**
 * Uses the signature of a request up; false when it was used before.
 *
 * @param staleBefore older timestamps are refused anyway
 */
export function takeSignature(db: Db, number: number, signed: SignedRequest, staleBefore: number): boolean {
  db.run('DELETE FROM wallet_replays WHERE seq <= @seq AND timestamp < @staleBefore', {
    seq: number - keptRows,
    staleBefore,
  });
  const { address, timestamp, method, path } = signed;
  return (
    insert(db, 'wallet_replays', { seq: number, address, timestamp, method, path }, 'ON CONFLICT DO NOTHING') === 1
  );
}

export interface TestWalletRow {
  number: number;
  /** In lower case. */
  address: string;
}

export function insertTestWallet(db: Db, { number, address }: TestWalletRow): void {
  insert(db, 'test_wallets', { number, address }, 'ON CONFLICT DO NOTHING');
}

/** The test wallets that were created, by number. */
export function listTestWallets(db: Db): TestWalletRow[] {
  return db.all<TestWalletRow>('SELECT number, address FROM test_wallets ORDER BY number');
}

export function isTestWallet(db: Db, address: string): boolean {
  return db.get('SELECT 1 FROM test_wallets WHERE address = @address', { address }) !== undefined;
}
