// Images for deployments and controls: looked up by a reference, with the facts of their config.

import type { World } from '../../world/world.js';
import { blobStoreOf } from './blobs.js';
import { type Descriptor, type ImageConfig, type ImageIndex, imageTypes, platformText } from './manifest.js';
import { contentOf, findManifest, hasBlob, listTags, type ManifestRow } from './store.js';

/** The platform of a container, in the registry's terms. */
export interface Platform {
  os: 'linux';
  architecture: 'amd64' | 'arm64';
}

/** The image that a reference leads to. */
export interface FoundImage {
  /** The digest of the reference's target: an image, or an index. */
  digest: string;
  /** The image that runs; undefined when an index has none for the platform. */
  runs: RunnableImage | undefined;
  /** The other available platforms, as `linux/amd64`. */
  platforms: string[];
}

/** The part of an image that starts a container. Stored with the deployment's plan. */
export interface RunnableImage {
  digest: string;
  /** The total size of a pull. */
  bytes: number;
  config: ImageConfig | null;
  /** The first of its blobs that is missing. */
  missing?: string;
}

/** Looks up an image of the world's registry; undefined when it does not exist. */
export function findImage(
  world: World,
  repository: string,
  reference: string,
  platform: Platform,
): FoundImage | undefined {
  const row = findManifest(world.db, repository, reference);
  if (row === undefined) return undefined;
  if (imageTypes.includes(row.media_type))
    return { digest: row.digest, runs: runnable(world, row), platforms: platformsOf(world, row) };
  const index = contentOf<ImageIndex>(row);
  // Attestations are in an index as `unknown/unknown`: they cannot run.
  const offered = index.manifests.filter(
    (entry) => (platformOf(world, repository, entry)?.os ?? 'unknown') !== 'unknown',
  );
  const chosen = offered.find((entry) => {
    const { os, architecture } = platformOf(world, repository, entry) ?? {};
    return os === platform.os && architecture === platform.architecture;
  });
  const image = chosen === undefined ? undefined : findManifest(world.db, repository, chosen.digest);
  return {
    digest: row.digest,
    runs: image === undefined ? undefined : runnable(world, image),
    platforms: platformsOf(world, row),
  };
}

/** The platforms of an image or index, as `linux/arm64`. */
export function platformsOf(world: World, row: ManifestRow): string[] {
  if (imageTypes.includes(row.media_type)) {
    return row.config === null ? [] : [platformText(row.config)];
  }
  const index = contentOf<ImageIndex>(row);
  return index.manifests.flatMap((entry) => {
    const platform = platformOf(world, row.repository, entry);
    return platform === undefined || platform.os === 'unknown' ? [] : [platformText(platform)];
  });
}

/** The names of a repository's tags, newest first, for messages. */
export function tagNames(world: World, repository: string): string[] {
  return listTags(world.db, repository)
    .sort((a, b) => b.pushed_at - a.pushed_at)
    .map(({ tag }) => tag);
}

function platformOf(
  world: World,
  repository: string,
  entry: Descriptor,
): NonNullable<Descriptor['platform']> | undefined {
  if (entry.platform !== undefined) return entry.platform;
  const config = findManifest(world.db, repository, entry.digest)?.config ?? undefined;
  return config && { os: config.os, architecture: config.architecture };
}

function runnable(world: World, row: ManifestRow): RunnableImage {
  const { db } = world;
  const blobs = blobStoreOf(world);
  const missing = row.refers_to.find((blob) => !hasBlob(db, row.repository, blob) || blobs.sizeOf(blob) === undefined);
  return {
    digest: row.digest,
    bytes: row.bytes,
    config: row.config,
    ...(missing !== undefined && { missing }),
  };
}
