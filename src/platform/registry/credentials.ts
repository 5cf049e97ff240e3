// Registry credentials, the tokens that they are exchanged for, and what they allow. Both are claims that the world signs,
// so neither is stored.

import { ApiError } from '../../core/errors.js';
import type { HandlerContext } from '../../http/endpoint.js';
import type { World } from '../../world/world.js';
import { isRepository } from './names.js';

export interface RegistryCredentials {
  username: string;
  password: string;
  /** Virtual milliseconds. */
  expiresAt: number;
}

/** The access of credentials and tokens: everything in one repository of an organization. */
export interface RegistryAccess {
  world: string;
  organizationId: string;
  /** Without the world's prefix. */
  repository: string;
  /** Virtual milliseconds. */
  expiresAt: number;
}

const username = 'AWS';
const lifetimeMs = 12 * 3_600_000;
const tokenLifetimeMs = 300_000;

/** Credentials for a repository, valid for 12 hours of virtual time. */
export function issueCredentials(
  world: World,
  { organizationId, repository }: Pick<RegistryAccess, 'organizationId' | 'repository'>,
  now: number,
): RegistryCredentials {
  const expiresAt = now + lifetimeMs;
  const password = sign(world, 'registry', { world: world.id, organizationId, repository, expiresAt });
  return { username, password, expiresAt };
}

/** A token with the access of the credentials; valid for five minutes of virtual time, never longer than they are. */
export function issueToken(world: World, access: RegistryAccess, now: number): { token: string; expiresAt: number } {
  const expiresAt = Math.min(access.expiresAt, now + tokenLifetimeMs);
  return { token: sign(world, 'registry-token', { ...access, expiresAt }), expiresAt };
}

/**
 * The access that an Authorization header gives in a world.
 *
 * @throws ApiError UNAUTHORIZED with the reason
 */
export function readAuthorization(world: World, header: string | undefined, now: number): RegistryAccess {
  const [, scheme = '', value = ''] = /^(basic|bearer)\s+(\S+)$/i.exec(header?.trim() ?? '') ?? [];
  if (scheme === '') throw unauthorized('log in with the credentials of GET /api/v1/containers/credentials');
  const isBasic = scheme.toLowerCase() === 'basic';
  const [user, secret] = isBasic ? userAndPassword(value) : [username, value];
  const access = claimIn(secret);
  if (user !== username) throw unauthorized(`the user name is ${username}`);
  if (access === undefined) throw unauthorized(isBasic ? 'the password is unknown' : 'the token is unknown');
  if (access.world !== world.id)
    throw unauthorized(`the credentials belong to the world "${access.world}"; this is the world "${world.id}"`);
  if (sign(world, isBasic ? 'registry' : 'registry-token', access) !== secret)
    throw unauthorized(isBasic ? 'the password is unknown' : 'the token is unknown');
  if (access.expiresAt <= now) throw unauthorized(isBasic ? 'the credentials have expired' : 'the token has expired');
  return access;
}

/** The world that an Authorization header claims to be for; that world verifies the claim. */
export function worldOfAuthorization(header: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(basic|bearer)\s+(\S+)$/i.exec(header?.trim() ?? '') ?? [];
  return claimIn(scheme.toLowerCase() === 'basic' ? userAndPassword(value)[1] : value)?.world;
}

function userAndPassword(encoded: string): [string, string] {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? ['', ''] : [text.slice(0, colon), text.slice(colon + 1)];
}

function sign(world: World, purpose: string, access: RegistryAccess): string {
  const { organizationId, repository, expiresAt } = access;
  const claim = Buffer.from(JSON.stringify([access.world, organizationId, repository, expiresAt])).toString(
    'base64url',
  );
  return `${claim}.${world.random.sign(purpose, claim)}`;
}

function claimIn(secret: string): RegistryAccess | undefined {
  const [claim = ''] = secret.split('.');
  try {
    const [world, organizationId, repository, expiresAt] = JSON.parse(Buffer.from(claim, 'base64url').toString('utf8'));
    const isClaim = [world, organizationId, repository].every((text) => typeof text === 'string');
    return isClaim && Number.isFinite(expiresAt) ? { world, organizationId, repository, expiresAt } : undefined;
  } catch {
    return undefined;
  }
}

function unauthorized(reason: string): ApiError {
  return new ApiError('UNAUTHORIZED', { message: `The registry needs authentication: ${reason}` });
}

/** A request about a repository. */
export type RepositoryCall = HandlerContext<{ name: string; reference: string }, unknown, unknown>;

/**
 * Checks the repository's name and the caller.
 *
 * @throws ApiError UNAUTHORIZED, NAME_INVALID, FORBIDDEN
 */
export function enter(call: RepositoryCall): RegistryAccess {
  const access = readAuthorization(call.world, call.header('authorization'), call.now);
  const repository = call.params.name;
  if (!isRepository(repository))
    throw new ApiError('NAME_INVALID', {
      message: `${JSON.stringify(repository.slice(0, 100))} is not the name of a repository: lower-case letters, digits and single . _ - between them, in parts divided by /`,
    });
  if (repository !== access.repository)
    throw new ApiError('FORBIDDEN', {
      message: `The credentials are for ${access.repository}, not for ${repository}. For another project send its projectId to /api/v1/containers/credentials.`,
    });
  return access;
}

/** A repository's name as clients of the world write it. */
export function fullNameOf(world: World, repository: string): string {
  return world.prefix === '' ? repository : `${world.prefix.slice(1)}/${repository}`;
}

/** The path of a repository from the client's side. */
export function pathOf({ world, params }: RepositoryCall): string {
  return `/v2/${fullNameOf(world, params.name)}`;
}
