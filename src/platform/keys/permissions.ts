// The permissions that a key can be restricted to.

import { storedJson } from '../../db/stored-json.js';

const areas = ['chat', 'embeddings', 'images', 'video', 'voice', 'knowledge', 'agents', 'apps'] as const;

type Area = (typeof areas)[number];
export type Permission = Area | `${Area}:read` | `${Area}:write`;

/** Every name that may be in `permissions`: an area, or one level of it. */
export const permissionNames: readonly Permission[] = areas.flatMap(
  (area) => [area, `${area}:read`, `${area}:write`] as const,
);

/** Permissions as they are stored: none and an empty list both mean no restriction. */
export function storedPermissions(permissions: readonly Permission[] | undefined): string | null {
  return permissions === undefined || permissions.length === 0 ? null : JSON.stringify([...new Set(permissions)]);
}

/** Permissions as they are shown: an empty list for a key without restriction. */
export function shownPermissions(stored: string | null): string[] {
  return stored === null ? [] : storedJson<string[]>(stored, 'api_keys.permissions');
}
