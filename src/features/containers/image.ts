// Image references (registry/repository:tag, or @digest), and which of them may be deployed.

import { ApiError } from '../../kernel/errors.js';
import type { World } from '../../worlds/world.js';
import { hasImage, hasRepository } from './store.js';

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
  const match = /^([A-Za-z0-9][\w.\-/:[\]]*?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(uri);
  const [, repository, tag, digest] = match ?? [];
  if (repository === undefined || repository.includes('//') || repository.endsWith('/')) return undefined;
  if (tag === undefined && digest === undefined) return undefined;
  return { repository, tag, digest };
}

/**
 * Refuses an image that is not in the registry, as far as the settings demand one.
 *
 * @throws ApiError NOT_FOUND with a hint
 */
export function requireImage(world: World, uri: string, warn: (text: string) => void): void {
  const rule = world.config.registry.require;
  const image = parseImage(uri);
  if (rule === 'never' || image === undefined) return;
  if (rule === 'afterFirstPush' && !hasRepository(world.db, image.repository)) {
    warn(`image ${uri.slice(0, 200)} is trusted: nothing was ever pushed to its repository`);
    return;
  }
  if (hasImage(world.db, image.repository, image.digest ?? image.tag ?? '')) return;
  throw new ApiError('NOT_FOUND', {
    message: `Image not found: ${uri}`,
    details: {
      hint: 'Push the image first, or check its tag; GET /api/v1/containers/credentials gives the repository.',
    },
  });
}
