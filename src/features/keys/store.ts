// API keys: found by the hash of their value, which is never stored.

import { hashSecret, type Random } from '../../kernel/random.js';
import type { Db } from '../../store/db.js';

export interface ApiKey {
  id: string;
  organization_id: string;
  user_id: string;
  name: string;
  description: string | null;
  hash: string;
  prefix: string;
  /** JSON list, or null for a key without restriction. */
  permissions: string | null;
  rate_limit: number;
  is_active: number;
  usage_count: number;
  last_used_at: number | null;
  expires_at: number | null;
  created_at: number;
}

/** The value of a world's n-th key: prefix and 64 hex characters. */
export function keyValue(random: Random, prefix: string, name: string | number): string {
  return prefix + random.hex('api-key', name);
}

export function insertKey(db: Db, key: ApiKey): void {
  db.run(
    `INSERT INTO api_keys (id, organization_id, user_id, name, description, hash, prefix, permissions, rate_limit,
       is_active, usage_count, last_used_at, expires_at, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    key.id,
    key.organization_id,
    key.user_id,
    key.name,
    key.description,
    key.hash,
    key.prefix,
    key.permissions,
    key.rate_limit,
    key.is_active,
    key.usage_count,
    key.last_used_at,
    key.expires_at,
    key.created_at,
  );
}

/** The key with a value, or undefined. */
export function findKeyByValue(db: Db, value: string): ApiKey | undefined {
  return db.get<ApiKey>('SELECT * FROM api_keys WHERE hash = ?', hashSecret(value));
}
