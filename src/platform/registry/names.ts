// Names in the registry: repositories, tags and digests, and how paths contain them.

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

/** The names in a path under /v2/. */
export interface RegistryPath {
  kind: 'base' | 'token' | 'catalog' | 'uploads' | 'upload' | 'blob' | 'manifest' | 'tags' | 'referrers';
  /** The world at the start of the name (`w/<world>/…`), if any. */
  world: string | undefined;
  /** The repository inside the world; '' where the path names none. */
  repository: string;
  /** The digest, tag or upload at the end of the path; '' where there is none. */
  reference: string;
}

const paths: readonly [RegistryPath['kind'], RegExp][] = [
  ['base', /^\/v2\/?$/],
  ['token', /^\/v2\/token$/],
  ['catalog', /^\/v2\/_catalog$/],
  ['uploads', /^\/v2\/(?<name>.+)\/blobs\/uploads\/?$/],
  ['upload', /^\/v2\/(?<name>.+)\/blobs\/uploads\/(?<reference>[^/]+)$/],
  ['blob', /^\/v2\/(?<name>.+)\/blobs\/(?<reference>[^/]+)$/],
  ['manifest', /^\/v2\/(?<name>.+)\/manifests\/(?<reference>[^/]+)$/],
  ['tags', /^\/v2\/(?<name>.+)\/tags\/list$/],
  ['referrers', /^\/v2\/(?<name>.+)\/referrers\/(?<reference>[^/]+)$/],
];

/**
 * The names in a path, or undefined when it is not a path of the registry.
 *
 * @example registryPath('/v2/w/ci-1/acme/web/manifests/v1')
 * // { kind: 'manifest', world: 'ci-1', repository: 'acme/web', reference: 'v1' }
 */
export function registryPath(path: string): RegistryPath | undefined {
  if (path.length > 1_000) return undefined;
  for (const [kind, pattern] of paths) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const { name = '', reference = '' } = match.groups ?? {};
    const [, world, rest] = /^w\/([^/]+)\/(.+)$/.exec(name) ?? [];
    return { kind, world, repository: rest ?? name, reference: decoded(reference) };
  }
  return undefined;
}
