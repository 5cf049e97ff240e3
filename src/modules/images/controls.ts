// Images of the registry under control: what was pushed, removing it, and making images up that nobody has pushed.

import * as z from 'zod';
import { invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { checkInput } from '../../http/validate.js';
import { characters } from '../../http/wire.js';
import { seededIdentity } from '../../world/seeded.js';
import type { World } from '../../world/world.js';
import { repositoryName } from '../containers/address.js';
import { ownRepository } from '../containers/image.js';
import { blobStoreOf } from '../registry/blobs.js';
import { isRepository } from '../registry/names.js';
import {
  findManifest,
  listManifests,
  listTags,
  type ManifestRow,
  removeManifest,
  removeTag,
} from '../registry/store.js';
import { takeKeptImage } from './kept-image.js';
import { imageFacts, makeImage, tagName } from './make-image.js';
import { type ControlledImage, type ImageDetails, imagesIn, listImages, namedImage, showImage } from './views.js';

export const imageRequest = z.strictObject({
  repository: characters(1, 255).describe('Project of the seeded organization, or a full repository name with slashes'),
  tag: tagName.optional().describe('Tag; by default latest'),
  ...imageFacts,
});

/** An image to be made up. */
export type ImageRequest = z.input<typeof imageRequest>;

export interface RemovedImage {
  repository: string;
  digest: string;
  /** The tags that are gone. */
  tags: string[];
  /** Whether the image itself was removed: another tag may still name it. */
  removed: boolean;
}

export type ImageControls = ReturnType<typeof createImageControls>;

/** The image controls of a world. */
export function createImageControls(world: World, hosting: { origin: () => string }) {
  const baseUrl = (origin: string): string => origin + world.prefix;
  return {
    /** Every image of the world's registry, the newest first. */
    list: (origin: string = hosting.origin()): ControlledImage[] => listImages(world, baseUrl(origin)),
    /**
     * One image: its manifest, and for each platform its layers and config.
     *
     * @param image its digest, the reference by which it is deployed, or the end of that (`web:v1`)
     * @throws ApiError NOT_FOUND naming the nearest; VALIDATION_ERROR when several have the name
     */
    get: (image: string, origin: string = hosting.origin()): ImageDetails =>
      showImage(world, namedImage(world, image).row, baseUrl(origin)),
    /**
     * Makes an image up, as if it had been pushed: clients can pull and deploy it. The same request makes the same
     * image, byte for byte. Its program does nothing.
     *
     * @param request its repository: a project of the organization that is always there (`web`), or a whole name; `size`
     *   is in MB
     * @example controls.images.make({ repository: 'web', tag: 'v1', platforms: ['linux/amd64'], exposedPorts: [3000] })
     * @throws ApiError VALIDATION_ERROR
     */
    make(request: ImageRequest, origin: string = hosting.origin()): ImageDetails {
      const checked = checkInput(imageRequest, request, { strict: true, warn: () => {} });
      const { repository, digest } = world.db.transaction(() => addImage(world, checked));
      const row = findManifest(world.db, repository, digest) as ManifestRow;
      return showImage(world, row, baseUrl(origin));
    },
    /**
     * Removes an image. By a tag, that tag goes, and the image with the last one; by a digest, the image with all its
     * tags. What nothing else needs of its layers is deleted.
     *
     * @throws ApiError NOT_FOUND naming the nearest; VALIDATION_ERROR when several have the name
     */
    remove(image: string): RemovedImage {
      const removed = world.db.transaction(() => removeImage(world, image));
      blobStoreOf(world).collectSoon();
      return removed;
    },
  };
}

/**
 * Makes an image up within a transaction, or takes the one of a digest as long as the emulator has it.
 *
 * @throws ApiError VALIDATION_ERROR
 */
export function addImage(
  world: World,
  {
    repository: wanted,
    tag = 'latest',
    digest,
    ...facts
  }: z.output<typeof imageRequest> & { digest?: string | undefined },
): { repository: string; digest: string } {
  const repository = repositoryNamed(world, wanted);
  if (digest !== undefined && takeKeptImage(world, repository, tag, digest)) return { repository, digest };
  return { repository, digest: makeImage(world, repository, tag, facts) };
}

function repositoryNamed(world: World, wanted: string): string {
  const name = wanted.includes('/')
    ? (ownRepository(world, wanted) ?? wanted)
    : repositoryName(world, seededIdentity(world).organizationId, wanted);
  if (isRepository(name)) return name;
  throw invalid({
    path: 'repository',
    message: 'must be a project, or lower-case letters, digits and single . _ - between them, in parts divided by /',
    received: describe(wanted),
  });
}

function removeImage(world: World, name: string): RemovedImage {
  const { row, tag } = namedImage(world, name);
  const { repository, digest } = row;
  const all = listTags(world.db, repository).filter((one) => one.digest === digest);
  if (tag !== undefined && all.length > 1) {
    removeTag(world.db, repository, tag);
    return { repository, digest, tags: [tag], removed: false };
  }
  const parts = imagesIn(world, row).filter((part) => part.digest !== digest);
  removeManifest(world.db, repository, digest);
  const needed = neededIn(world, repository);
  for (const part of parts) if (!needed.has(part.digest)) removeManifest(world.db, repository, part.digest);
  return { repository, digest, tags: all.map((one) => one.tag), removed: true };
}

// By a tag, or by another index.
function neededIn(world: World, repository: string): ReadonlySet<string> {
  const tagged = listTags(world.db, repository).map(({ digest }) => digest);
  const named = listManifests(world.db, repository).flatMap((row) => JSON.parse(row.refers_to) as string[]);
  return new Set([...tagged, ...named]);
}
