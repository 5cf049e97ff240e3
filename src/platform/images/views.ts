// Images of the registry as control shows them, and which one a person means.

import * as z from 'zod';
import { noSuch } from '../../control/options.js';
import { invalid } from '../../core/errors.js';
import { didYouMean } from '../../core/nearest.js';
import { describe } from '../../core/problems.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { repositoryAt } from '../containers/address/address.js';
import { ownRepository, parseImage } from '../containers/image.js';
import { containerAt, openRuns } from '../containers/lifecycle/lifecycle.js';
import { listContainers } from '../containers/store.js';
import { blobStoreOf } from '../registry/blobs.js';
import { platformsOf } from '../registry/images.js';
import { type Descriptor, type ImageManifest, imageConfig, imageTypes, platformText } from '../registry/manifest.js';
import {
  contentOf,
  findDigest,
  findManifest,
  listManifests,
  listRepositories,
  listTags,
  type ManifestRow,
} from '../registry/store.js';

export const controlledImage = z.lazy(() =>
  z.object({
    uri: z.string().describe('The image’s name, as used in deployments'),
    repository: z.string(),
    digest: z.string(),
    tags: z.array(z.string()),
    kind: z
      .enum(['image', 'index', 'artifact'])
      .describe('An image, an index of several, or an artifact that cannot run (a signature, a chart)'),
    platforms: z.array(z.string()).describe('Such as `linux/arm64`'),
    size: z.int().describe('All that it takes in the registry, in bytes'),
    pushedAt: z.string(),
    containers: z
      .array(z.string())
      .describe('The project_names of the containers that run it or are being deployed with it'),
    complete: z
      .boolean()
      .describe('Whether all its layers are present: what was imported with a snapshot may lack some'),
  }),
);

export type ControlledImage = z.output<typeof controlledImage>;

/** One platform of an image. */
const platformImage = z.lazy(() =>
  z.object({
    platform: z.string().nullable().describe('null: it does not say'),
    digest: z.string(),
    size: z.int().describe('All that a pull of it transfers, in bytes'),
    layers: z.array(z.object({ digest: z.string(), size: z.int().describe('In bytes'), mediaType: z.string() })),
    config: imageConfig.nullable().describe('Its instructions for running it, or null'),
  }),
);

export const imageDetails = z.lazy(() =>
  controlledImage.unwrap().extend({
    missing: z.array(z.string()).describe('Layers and manifests that it refers to and the registry does not have'),
    images: z.array(platformImage),
    manifest: z.record(z.string(), z.unknown()).describe('As it was pushed'),
  }),
);

export type ImageDetails = z.output<typeof imageDetails>;

/** Every image of a world, the newest first; images that only an index names follow it. */
export function listImages(world: World, baseUrl: string): ControlledImage[] {
  const users = usersOf(world);
  return listRepositories(world.db)
    .flatMap((repository) => {
      const tags = tagsIn(world, repository);
      return topLevel(world, repository).map((row) => ({ row, tags: tags.get(row.digest) ?? [] }));
    })
    .sort((a, b) => newestFirst(a.row, b.row))
    .map(({ row, tags }) => view(world, row, tags, baseUrl, users));
}

export function showImage(world: World, row: ManifestRow, baseUrl: string): ImageDetails {
  const users = usersOf(world);
  const images = imagesIn(world, row).map((image): ImageDetails['images'][number] => {
    const { config } = image;
    const { layers = [] } = contentOf<Partial<ImageManifest>>(image);
    return {
      platform: config === null ? null : platformText(config),
      digest: image.digest,
      size: image.bytes,
      layers: layers.map(({ digest, size, mediaType }) => ({ digest, size, mediaType })),
      config,
    };
  });
  return {
    ...view(world, row, tagsIn(world, row.repository).get(row.digest) ?? [], baseUrl, users),
    missing: missingOf(world, row),
    images,
    manifest: contentOf<Record<string, unknown>>(row),
  };
}

/**
 * The image of a name: a digest, a reference as deployments have it, or its end (`web:v1`).
 *
 * @returns the image, and the tag by which it was named
 * @throws ApiError NOT_FOUND with the nearest name; VALIDATION_ERROR when several repositories have it
 */
export function namedImage(world: World, name: string): { row: ManifestRow; tag: string | undefined } {
  const parsed = parseImage(name);
  const bare = /^sha256:[0-9a-f]{64}$/.test(name);
  const wanted = parsed?.repository ?? name;
  const own = ownRepository(world, wanted) ?? wanted;
  const among = bare
    ? findDigest(world.db, name)
    : repositoriesNamed(world, own).flatMap((repository) => {
        const reference = parsed?.digest ?? parsed?.tag;
        const rows =
          reference === undefined ? topLevel(world, repository) : [findManifest(world.db, repository, reference)];
        return rows.filter((row) => row !== undefined);
      });
  const [row, ...more] = among;
  if (row !== undefined && more.length === 0) {
    const tag = parsed?.digest === undefined && !bare ? parsed?.tag : undefined;
    return { row, tag };
  }
  if (row !== undefined) {
    const others = among.slice(0, 3).map((one) => referenceOf(world, one));
    throw invalid({
      path: 'image',
      message: `is the name of ${among.length} images: give one of ${others.join(', ')}`,
      received: describe(name),
    });
  }
  const known = listRepositories(world.db).flatMap((repository) =>
    listTags(world.db, repository).flatMap(({ tag }) => [`${repository}:${tag}`, `${lastPart(repository)}:${tag}`]),
  );
  throw noSuch('image', name, didYouMean(name, known));
}

/** The images that an index names, or the one itself. */
export function imagesIn(world: World, row: ManifestRow): ManifestRow[] {
  if (imageTypes.includes(row.media_type)) return [row];
  return row.refers_to
    .map((digest) => findManifest(world.db, row.repository, digest))
    .filter((child) => child !== undefined)
    .filter((child) => imageTypes.includes(child.media_type));
}

/** The reference of an image: its repository with a tag or, without one, its digest. */
function referenceOf(world: World, { repository, digest }: ManifestRow): string {
  const [first] = tagsIn(world, repository).get(digest) ?? [];
  return `${repository}${first === undefined ? `@${digest}` : `:${first}`}`;
}

// The tags of a repository by the digest that they name.
function tagsIn(world: World, repository: string): ReadonlyMap<string, string[]> {
  const tags = new Map<string, string[]>();
  for (const { tag, digest } of listTags(world.db, repository)) {
    const others = tags.get(digest);
    if (others === undefined) tags.set(digest, [tag]);
    else others.push(tag);
  }
  return tags;
}

function repositoriesNamed(world: World, name: string): string[] {
  const all = listRepositories(world.db);
  return all.includes(name) ? [name] : all.filter((repository) => lastPart(repository) === name);
}

function lastPart(repository: string): string {
  return repository.slice(repository.lastIndexOf('/') + 1);
}

// The manifests that have a tag, or that no index has as a part.
function topLevel(world: World, repository: string): ManifestRow[] {
  const all = listManifests(world.db, repository);
  const tagged = new Set(listTags(world.db, repository).map(({ digest }) => digest));
  const parts = new Set(all.flatMap((row) => (imageTypes.includes(row.media_type) ? [] : row.refers_to)));
  return all.filter(({ digest }) => tagged.has(digest) || !parts.has(digest));
}

function view(world: World, row: ManifestRow, tags: string[], baseUrl: string, users: Users): ControlledImage {
  const { repository, digest } = row;
  const isIndex = !imageTypes.includes(row.media_type);
  const images = imagesIn(world, row);
  const { uri } = repositoryAt(world, repository, baseUrl);
  return {
    uri: `${uri}${tags[0] === undefined ? `@${digest}` : `:${tags[0]}`}`,
    repository,
    digest,
    tags,
    kind: isIndex ? 'index' : row.config === null ? 'artifact' : 'image',
    platforms: platformsOf(world, row),
    size: sizeOf(images),
    pushedAt: iso(row.pushed_at),
    containers: [...new Set(images.flatMap((image) => users.get(`${repository}@${image.digest}`) ?? []))],
    complete: missingOf(world, row).length === 0,
  };
}

/** The size of images together: layers that they share count once. */
export function sizeOf(images: readonly ManifestRow[]): number {
  const blobs = new Map<string, number>();
  for (const image of images) {
    const { config, layers } = contentOf<ImageManifest>(image);
    const needed = new Set(image.refers_to);
    for (const { digest, size } of [config, ...layers] as Descriptor[]) if (needed.has(digest)) blobs.set(digest, size);
  }
  return [...blobs.values()].reduce((sum, size) => sum + size, 0);
}

function missingOf(world: World, row: ManifestRow): string[] {
  if (imageTypes.includes(row.media_type))
    return row.refers_to.filter((digest) => blobStoreOf(world).sizeOf(digest) === undefined);
  const images = imagesIn(world, row);
  const gone = row.refers_to.filter((digest) => findManifest(world.db, row.repository, digest) === undefined);
  return [...new Set([...gone, ...images.flatMap((image) => missingOf(world, image))])];
}

/** The containers of an image, by repository and digest. */
type Users = ReadonlyMap<string, string[]>;

function usersOf(world: World): Users {
  const now = world.clock.now();
  const users = new Map<string, string[]>();
  for (const record of listContainers(world.db)) {
    for (const { deployment } of openRuns(containerAt(record.deployments, now), now)) {
      const { spec, plan } = deployment;
      const repository = ownRepository(world, parseImage(spec.ecr_image_uri)?.repository ?? '');
      if (plan.image === undefined || repository === undefined) continue;
      const key = `${repository}@${plan.image.digest}`;
      const names = users.get(key);
      if (names === undefined) users.set(key, [record.project_name]);
      else names.push(record.project_name);
    }
  }
  // The newest containers came first.
  for (const names of users.values()) names.reverse();
  return users;
}

function newestFirst(a: ManifestRow, b: ManifestRow): number {
  const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
  return b.pushed_at - a.pushed_at || order(a.repository, b.repository) || order(a.digest, b.digest);
}
