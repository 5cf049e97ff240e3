// Names in the registry: repositories, tags and digests, and how paths contain them.

import { ApiError } from '../../core/errors.js';
import { decoded } from '../../http/routes.js';

const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const repositoryPattern = new RegExp(`^${component}(?:/${component})*$`);
const tagPattern = /^\w[\w.-]{0,127}$/;
const digestPattern = /^sha256:[0-9a-f]{64}$/;

export function isRepository(name: string): boolean {
  return name.length <= 255 && repositoryPattern.test(name);
}

/** Whether a text is valid as one part of a repository's name. */
export function isComponent(text: string): boolean {
  return text.length <= 60 && repositoryPattern.test(text) && !text.includes('/');
}

export function isTag(text: string): boolean {
  return tagPattern.test(text);
}

export function isDigest(text: string): boolean {
  return digestPattern.test(text);
}

/** @throws ApiError DIGEST_INVALID */
export function requireDigest(digest: string): void {
  if (!isDigest(digest))
    throw new ApiError('DIGEST_INVALID', { message: 'A digest is sha256: and 64 hex digits in lower case' });
}

/** The names in a path under /v2/. */
export interface RegistryPath {
  /** The path of its endpoints. */
  path: string;
  /** The world at the start of the name (`w/<world>/…`), if any. */
  world: string | undefined;
  /** The repository inside the world; '' where the path names none. */
  repository: string;
  /** The digest, tag or upload at the end of the path; '' where there is none. */
  reference: string;
}

// The name of a repository may hold slashes; a slash at the end may be left out.
const paths = [
  '/v2/',
  '/v2/token',
  '/v2/_catalog',
  '/v2/{name}/blobs/uploads/',
  '/v2/{name}/blobs/uploads/{reference}',
  '/v2/{name}/blobs/{reference}',
  '/v2/{name}/manifests/{reference}',
  '/v2/{name}/tags/list',
  '/v2/{name}/referrers/{reference}',
].map((path): [string, RegExp] => {
  const pattern = path.replace('{name}', '(?<name>.+)').replace('{reference}', '(?<reference>[^/]+)');
  return [path, new RegExp(`^${pattern.replace(/\/$/, '/?')}$`)];
});

/**
 * The names in a path, or undefined when it is not a path of the registry.
 *
 * @example registryPath('/v2/w/ci-1/acme/web/manifests/v1')
 * // { path: '/v2/{name}/manifests/{reference}', world: 'ci-1', repository: 'acme/web', reference: 'v1' }
 */
export function registryPath(sent: string): RegistryPath | undefined {
  if (sent.length > 1_000) return undefined;
  for (const [path, pattern] of paths) {
    const match = pattern.exec(sent);
    if (match === null) continue;
    const { name = '', reference = '' } = match.groups ?? {};
    const [, world, rest] = /^w\/([^/]+)\/(.+)$/.exec(name) ?? [];
    return { path, world, repository: rest ?? name, reference: decoded(reference) };
  }
  return undefined;
}
