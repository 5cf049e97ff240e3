// API keys: found by the hash of their value, which is never stored.

import { hashSecret } from '../../core/random.js';
import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';

export interface ApiKey {
  id: string;
  /** The order in which keys were made. */
  seq: number;
  organization_id: string;
  user_id: string;
  name: string;
  description: string | null;
  environment: 'test' | 'live';
  hash: string;
  /** The characters of the value that are shown. */
  prefix: string;
  /** The text that the value follows from, for keys whose value the control plane may show again. */
  recipe: string | null;
  /** JSON list, or null for a key without restriction. */
  permissions: string | null;
  rate_limit: number;
  is_active: number;
  usage_count: number;
  last_used_at: number | null;
  expires_at: number | null;
  /** The expiry as the client gave it, on its own clock; null where it was given in virtual time. */
  expires_sent: number | null;
  created_at: number;
  updated_at: number;
}

export function insertKey(db: Db, key: ApiKey): void {
  insert(db, 'api_keys', key);
}

/** Writes what may change about a key, except its use, which is counted elsewhere. */
export function updateKey(db: Db, key: ApiKey): void {
  db.run(
    `UPDATE api_keys SET name = @name, description = @description, hash = @hash, prefix = @prefix, recipe = @recipe,
       permissions = @permissions, rate_limit = @rate_limit,
       is_active = @is_active, expires_at = @expires_at, expires_sent = @expires_sent, updated_at = @updated_at
       WHERE id = @id`,
    key,
  );
}

/** Whether requests with a key are let in. */
export function isUsable({ is_active, expires_at }: ApiKey, now: number): boolean {
  return is_active === 1 && (expires_at === null || expires_at > now);
}

/** Ends the use of a key. */
export function deactivateKey(db: Db, id: string, at: number): void {
  db.run('UPDATE api_keys SET is_active = 0, updated_at = @at WHERE id = @id AND is_active = 1', { at, id });
}

export function deleteKey(db: Db, id: string): void {
  db.run('DELETE FROM api_keys WHERE id = @id', { id });
}

/** The hashes of all values. */
export function listKeyHashes(db: Db): string[] {
  return db.all<{ hash: string }>('SELECT hash FROM api_keys').map(({ hash }) => hash);
}

/** The key with a value, or undefined. */
export function findKeyByValue(db: Db, value: string): ApiKey | undefined {
  return db.get<ApiKey>('SELECT * FROM api_keys WHERE hash = @hash', { hash: hashSecret(value) });
}

/** A key of an organization by its id. */
export function findKey(db: Db, id: string, organizationId: string): ApiKey | undefined {
  return db.get<ApiKey>('SELECT * FROM api_keys WHERE id = @id AND organization_id = @organizationId', {
    id,
    organizationId,
  });
}

/** A key by its id, whoever's it is. */
export function findKeyById(db: Db, id: string): ApiKey | undefined {
  return db.get<ApiKey>('SELECT * FROM api_keys WHERE id = @id', { id });
}

/** The keys that an id, a value or the shown beginning of one names, oldest first. */
export function findKeysNamed(db: Db, name: string): ApiKey[] {
  return db.all<ApiKey>('SELECT * FROM api_keys WHERE id = @name OR hash = @hash OR prefix = @name ORDER BY seq', {
    name,
    hash: hashSecret(name),
  });
}

/** The keys of an organization, newest first. */
export function listKeys(db: Db, organizationId: string): ApiKey[] {
  return db.all<ApiKey>('SELECT * FROM api_keys WHERE organization_id = @organizationId ORDER BY seq DESC', {
    organizationId,
  });
}

/** The keys whose value may be shown again, oldest first. */
export function listTellableKeys(db: Db): ApiKey[] {
  return db.all<ApiKey>('SELECT * FROM api_keys WHERE recipe IS NOT NULL ORDER BY seq');
}

/** The keys that will expire, the earliest first. */
export function expiringKeys(db: Db, now: number): (ApiKey & { expires_at: number })[] {
  return db.all<ApiKey & { expires_at: number }>(
    'SELECT * FROM api_keys WHERE expires_at > @now AND is_active = 1 ORDER BY expires_at, seq LIMIT 200',
    { now },
  );
}
