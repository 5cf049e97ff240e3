// Control operations of the images of the registry: list, show and remove them, and generate images that nobody pushed.

import * as z from 'zod';
import { type ControlContext, listed, operation } from '../../control/operation.js';
import { emulatorFacts } from '../../world/given.js';
import type { World } from '../../world/world.js';
import { blobStoreOf } from '../registry/blobs.js';
import {
  findManifest,
  listManifests,
  listTags,
  type ManifestRow,
  removeManifest,
  removeTag,
} from '../registry/store.js';
import { addImage, type ImageRequest, imageRequest } from './add-image.js';
import {
  type ControlledImage,
  controlledImage,
  type ImageDetails,
  imageDetails,
  imagesIn,
  listImages,
  namedImage,
  showImage,
} from './views.js';

export const removedImage = z.lazy(() =>
  z.object({
    repository: z.string(),
    digest: z.string(),
    tags: z.array(z.string()).describe('The tags that are gone'),
    removed: z.boolean().describe('Whether the image itself was removed: another tag may still name it'),
  }),
);

export type RemovedImage = z.output<typeof removedImage>;

const named = z.lazy(() =>
  z.object({
    image: z.string().describe('The image’s digest or reference, or the end of the reference, such as web:v1'),
  }),
);

export const imageOperations = {
  /** Lists all images of the world's registry, newest first. */
  list: operation({
    id: 'control.images.list',
    route: 'GET /images',
    summary: 'List the images of the registry, newest first',
    output: listed('images', controlledImage),
    command: {
      line: 'image list',
      columns: 'uri platforms size pushedAt containers',
      examples: [['image list', 'the images, and the containers that run them']],
    },
    run(context): ControlledImage[] {
      return listImages(context.world, baseUrlOf(context));
    },
  }),
  /**
   * Generates an image, as if it had been pushed: clients can pull and deploy it. The same request generates the same
   * image, byte for byte. Its program does nothing.
   *
   * @param request its repository is a project of the seeded organization (`web`), or a full name; `size` is in MB
   * @example controls.images.make({ repository: 'web', tag: 'v1', platforms: ['linux/amd64'], exposedPorts: [3000] })
   * @throws ApiError VALIDATION_ERROR
   */
  make: operation({
    id: 'control.images.make',
    route: 'POST /images',
    summary: 'Generate an image, as if it had been pushed',
    body: imageRequest,
    output: imageDetails,
    created: true,
    command: {
      line: 'image make <repository>',
      examples: [
        ['image make web --tag v1 --platforms linux/amd64', 'as if it had been pushed, for one platform only'],
        ['image make web --labels team=web,stage=beta', 'with labels, as its config has them'],
        ['image make web --tag v2 --exposed-ports 3000 --size 8', 'for two platforms, with a layer of 8 MB'],
      ],
    },
    run(context, request: ImageRequest): ImageDetails {
      const { world } = context;
      const { repository, digest } = world.db.transaction(() => addImage(world, request));
      const row = findManifest(world.db, repository, digest) as ManifestRow;

      return showImage(world, row, baseUrlOf(context));
    },
  }),
  /**
   * Returns an image: its manifest, and for each platform its layers and config.
   *
   * @param image its digest, the reference by which it is deployed, or the end of the reference (`web:v1`)
   * @throws ApiError NOT_FOUND naming the nearest; VALIDATION_ERROR when several have the name
   */
  get: operation({
    id: 'control.images.get',
    route: 'GET /images/{image}',
    summary: 'Show an image with its manifest, layers and config',
    params: named,
    output: imageDetails,
    errors: ['NOT_FOUND'],
    command: {
      line: 'image show <image>',
      prints: 'image',
      examples: [['image show web:v1', 'its layers, platforms, entry point and labels']],
    },
    run(context, image: string): ImageDetails {
      return showImage(context.world, namedImage(context.world, image).row, baseUrlOf(context));
    },
  }),
  /**
   * Removes an image. A tag removes that tag, and the image with its last tag; a digest removes the image with all its
   * tags. Its layers are deleted when neither another image nor the history needs them.
   *
   * @throws ApiError NOT_FOUND naming the nearest; VALIDATION_ERROR when several have the name
   */
  remove: operation({
    id: 'control.images.remove',
    route: 'DELETE /images/{image}',
    summary: 'Remove a tag (and the image, with its last tag), or an image by its digest',
    params: named,
    output: removedImage,
    errors: ['NOT_FOUND'],
    command: {
      line: 'image remove <image>',
      examples: [['image remove web:v1', 'removes the tag; with the last tag, the image']],
    },
    run: ({ world }, image: string): RemovedImage => {
      const removed = world.db.transaction(() => removeImage(world, image));
      blobStoreOf(world).collectSoon();
      return removed;
    },
  }),
};

// The references of images begin with the address under which the client reached the emulator.
function baseUrlOf({ world, origin }: ControlContext): string {
  return (origin ?? emulatorFacts.of(world).origin()) + world.prefix;
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
  const named = listManifests(world.db, repository).flatMap((row) => row.refers_to);
  return new Set([...tagged, ...named]);
}
