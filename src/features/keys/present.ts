// API keys as the wire shows them.

import { iso, isoOrNull } from '../../api/wire.js';
import { shownPermissions } from './permissions.js';
import type { ApiKey } from './store.js';

/** A key without its value. */
export function presentKey(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    description: key.description,
    key_prefix: key.prefix,
    permissions: shownPermissions(key.permissions),
    rate_limit: key.rate_limit,
    rateLimit: key.rate_limit,
    is_active: key.is_active === 1,
    usage_count: key.usage_count,
    last_used_at: isoOrNull(key.last_used_at),
    expires_at: isoOrNull(key.expires_at),
    created_at: iso(key.created_at),
    updated_at: iso(key.updated_at),
  };
}
