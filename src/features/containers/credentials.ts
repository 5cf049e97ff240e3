// Registry credentials: signed by the world, so that nothing of them need be stored.

import type { World } from '../../worlds/world.js';

export interface RegistryCredentials {
  username: string;
  password: string;
  /** Virtual milliseconds. */
  expiresAt: number;
}

const lifetimeMs = 12 * 3_600_000;

/** Credentials of an organization for the image registry, valid for 12 hours of virtual time. */
export function issueCredentials(world: World, organizationId: string, now: number): RegistryCredentials {
  const expiresAt = now + lifetimeMs;
  const claim = Buffer.from(JSON.stringify({ org: organizationId, exp: expiresAt })).toString('base64url');
  return { username: 'AWS', password: `${claim}.${world.random.sign('registry', claim)}`, expiresAt };
}
