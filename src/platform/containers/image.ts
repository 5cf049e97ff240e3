// Image references (registry/repository:tag, or @digest), and the images that they name for a deployment.

import type { Config } from '../../config/schema.js';
import { ApiError } from '../../core/errors.js';
import type { World } from '../../world/world.js';
import { findImage, type Platform, type RunnableImage, tagNames } from '../registry/images.js';
import { isRepository } from '../registry/names.js';
import { wasPushedTo } from '../registry/store.js';

export interface ImageReference {
  /** With the registry's host and port. */
  repository: string;
  tag: string | undefined;
  digest: string | undefined;
}

/**
 * The parts of an image URI, or undefined when it has no tag or digest, or cannot be one.
 *
 * @example parseImage('127.0.0.1:4747/org/app:v1') // { repository: '127.0.0.1:4747/org/app', tag: 'v1', digest: undefined }
 */
export function parseImage(uri: string): ImageReference | undefined {
  const match = /^([A-Za-z0-9[][\w.\-/:[\]]*?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(uri);
  const [, repository, tag, digest] = match ?? [];
  if (repository === undefined || repository.includes('//') || repository.endsWith('/')) return undefined;
  if (tag === undefined && digest === undefined) return undefined;
  return { repository, tag, digest };
}

/**
 * What an engine says of a name that it cannot pull, or undefined. The grammar is that of the distribution project: a
 * first part with a dot, a port or capitals, or `localhost`, is the registry's host.
 *
 * @example pullError({ repository: 'ghcr.io/Owner/app' }) // 'invalid reference format: repository name (Owner/app) must be lowercase'
 */
export function pullError({ repository }: Pick<ImageReference, 'repository'>): string | undefined {
  const [, host, path = ''] = /^(?:([^/]*[.:A-Z[][^/]*|localhost)\/)?(.+)$/.exec(repository) ?? [];
  if (path !== path.toLowerCase()) {
    const name = host === undefined && !path.includes('/') ? `library/${path}` : path;
    return `invalid reference format: repository name (${name}) must be lowercase`;
  }
  if (!isRepository(path) || !hostPattern.test(host ?? 'localhost')) return 'invalid reference format';
  const port = /:(\d+)$/.exec(host ?? '')?.[1];
  return Number(port) > 65_535 ? `Get "https://${host}/v2/": dial tcp: address ${port}: invalid port` : undefined;
}

const label = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const hostPattern = new RegExp(`^(?:${label}(?:\\.${label})*|\\[[0-9A-Fa-f:]+\\])(?::\\d+)?$`);

/** An image with a tag or digest: without one it is the latest; undefined when it cannot be an image. */
export function withTag(image: string): string | undefined {
  return [image, `${image}:latest`].find((uri) => parseImage(uri) !== undefined);
}

/** The image of a deployment, as inspected before it begins. */
export interface InspectedImage {
  /** The image to run, if it is in the emulator's registry. */
  image: RunnableImage | null;
  /** The failure mode that the image itself causes. */
  mode: string | null;
}

const trusted: InspectedImage = { image: null, mode: null };

/**
 * Looks an image up in the registry. A missing image is refused where the settings require one; its name, and the
 * platform and size of a present one, decide whether it can run.
 *
 * @throws ApiError NOT_FOUND, which names the tags that exist
 */
export function inspectImage(
  world: World,
  { ecr_image_uri: uri, architecture }: { ecr_image_uri: string; architecture: string },
  reference: ImageReference | undefined,
  rule: Config['registry']['require'],
  warn: (text: string) => void,
): InspectedImage {
  if (reference === undefined) return trusted;
  if (pullError(reference) !== undefined) return { image: null, mode: 'invalid-reference' };
  const repository = ownRepository(world, reference.repository);
  const platform: Platform = { os: 'linux', architecture: architecture === 'arm64' ? 'arm64' : 'amd64' };
  const found =
    repository === undefined
      ? undefined
      : findImage(world, repository, reference.digest ?? reference.tag ?? '', platform);
  if (found !== undefined) return { image: found.runs ?? null, mode: modeOf(world, found.runs, platform) };
  if (rule === 'never') return trusted;
  const isKnown = repository !== undefined && wasPushedTo(world.db, repository);
  if (rule === 'afterFirstPush' && !isKnown) {
    // Images elsewhere are trusted silently; for this registry a push may have been forgotten.
    if (repository !== undefined)
      warn(`image ${uri.slice(0, 200)} is trusted: nothing was ever pushed to its repository`);
    return trusted;
  }
  const tags = isKnown ? tagNames(world, repository) : [];
  throw new ApiError('NOT_FOUND', {
    message: `Image not found: ${uri}`,
    details: {
      hint:
        tags.length > 0
          ? `${repository} has the tags ${tags.slice(0, 20).join(', ')}. Push the image first, or name one of them.`
          : 'Push the image first; GET /api/v1/containers/credentials gives the repository.',
      ...(tags.length > 0 && { tags: tags.slice(0, 100) }),
    },
  });
}

function modeOf(world: World, image: RunnableImage | undefined, platform: Platform): string | null {
  // An index here, as only its own entries are searched for the platform.
  if (image === undefined) return 'no-matching-manifest';
  if (image.missing !== undefined) return 'blob-not-found';
  if (image.bytes > world.config.registry.maxImageSize * 1_000_000) return 'image-too-large';
  const { config } = image;
  const isOther = config !== null && (config.os !== platform.os || config.architecture !== platform.architecture);
  return isOther ? 'exec-format' : null;
}

/** The name of a repository in this world's registry, or undefined when it belongs to another registry. */
export function ownRepository(world: World, repository: string): string | undefined {
  const slash = repository.indexOf('/');
  const host = repository.slice(0, slash);
  if (slash === -1 || !isOwnHost(world, host)) return undefined;
  const name = repository.slice(slash + 1);
  const prefix = `w/${world.id}/`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

// Loopback with any port: the port may have differed when the reference was stored.
function isOwnHost({ config }: World, host: string): boolean {
  const { publicUrl } = config.server;
  if (host === config.registry.host || (publicUrl !== null && host === new URL(publicUrl).host)) return true;
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/.test(host);
}
