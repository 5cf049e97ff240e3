// Generated images: real layers, configs and manifests, as a push would store them.

import { createCipheriv, createHash } from 'node:crypto';
import * as z from 'zod';
import { memoizeBy } from '../../core/memoize-last.js';
import type { World } from '../../world/world.js';
import { type ArchivedFile, gzipOf, tarOf } from '../registry/archive.js';
import { blobStoreOf } from '../registry/blobs.js';
import { type ImageConfig, imageTypes, indexTypes, readConfig } from '../registry/manifest.js';
import { digestOf } from '../registry/manifests.js';
import { isTag } from '../registry/names.js';
import { addBlob, putManifest, putTag } from '../registry/store.js';

const text = z.string().max(1_000);
const word = text.min(1).refine((value) => !value.includes('\0'), { message: 'must not hold a zero character' });

/** The properties that an image is made from, beside its name. */
export const imageFacts = {
  platforms: z
    .array(
      z
        .string()
        .regex(
          /^[a-z0-9]+\/[a-z0-9]+(\/[a-z0-9]+)?$/,
          'must be an operating system and an architecture, such as linux/arm64',
        ),
    )
    .min(1)
    .max(20)
    .optional()
    .describe('Platforms, such as linux/arm64; several make an index; by default linux/amd64 and linux/arm64'),
  exposedPorts: z.array(z.int().min(1).max(65_535)).max(50).optional().describe('TCP ports that the image exposes'),
  entrypoint: z.array(word).min(1).max(100).optional().describe('Program to start, with its arguments'),
  command: z.array(word).max(100).optional().describe('Arguments appended to the entry point'),
  user: text.optional().describe('User that the program runs as; by default root'),
  labels: z.record(word, text).optional().describe('Labels of the image'),
  size: z.number().min(0).max(10).optional().describe('Size in MB; by default a few kilobytes'),
};

export const tagName = z.string().refine(isTag, {
  error: 'must be 1 to 128 letters, digits, dots, dashes or underscores, and begin with neither a dot nor a dash',
});

const factsSchema = z.object(imageFacts);
export type ImageFacts = z.output<typeof factsSchema>;

interface Blob {
  mediaType: string;
  digest: string;
  size: number;
}

interface Layer extends Blob {
  /** The digest of the archive before it was compressed. */
  diffId: string;
}

const [ociImage = ''] = imageTypes;
const [ociIndex = ''] = indexTypes;
const layerType = 'application/vnd.oci.image.layer.v1.tar+gzip';
const configType = 'application/vnd.oci.image.config.v1+json';

const smallFile = 4_096;

function packedOf(file: ArchivedFile): { packed: Buffer; diffId: string } {
  const archive = tarOf([file]);
  return { packed: gzipOf(archive), diffId: digestOf(archive) };
}

// Most images have the same few small files: packing them is a third of the work.
const packedOnce = memoizeBy(
  100,
  ({ path, content, mode }: ArchivedFile) => `${mode} ${path}\n${content.toString('latin1')}`,
  packedOf,
);

/**
 * The layers that make an image as large as is wanted, in bytes: the greatest that fit, and one for the rest. All images
 * share them, as packing megabytes takes long.
 */
const ballastSizes = [8_000_000, 4_000_000, 2_000_000, 1_000_000, 500_000, 250_000, 125_000];

interface PackedBallast {
  packed: Buffer;
  diffId: string;
  /** Known once a blob store has had it. */
  digest?: string;
}

const ballastOnce = memoizeBy(
  ballastSizes.length,
  (bytes: number) => bytes,
  (bytes): PackedBallast => packedOf(ballastOf(bytes)),
);

function ballastFor(bytes: number): PackedBallast[] {
  let left = Math.round(bytes);
  const shared: PackedBallast[] = [];
  for (const size of ballastSizes) {
    if (left < size) continue;
    shared.push(ballastOnce(size));
    left -= size;
  }
  return left > 0 ? [...shared, packedOf(ballastOf(left))] : shared;
}

/**
 * Makes an image up under a tag; the same facts make the same image, byte for byte. Belongs into a transaction.
 *
 * @returns its digest
 */
export function makeImage(world: World, repository: string, tag: string, facts: ImageFacts): string {
  const now = world.clock.now();
  const platforms = facts.platforms ?? ['linux/amd64', 'linux/arm64'];
  const keep = (mediaType: string, content: Buffer | string): Blob => {
    const digest = blobStoreOf(world).put(content);
    addBlob(world.db, repository, digest);
    return { mediaType, digest, size: Buffer.byteLength(content) };
  };
  const layerOf = (file: ArchivedFile): Layer => {
    const { packed, diffId } = file.content.length > smallFile ? packedOf(file) : packedOnce(file);
    return { ...keep(layerType, packed), diffId };
  };
  const ballastLayer = (ballast: PackedBallast): Layer => {
    const { packed, diffId, digest } = ballast;
    if (digest === undefined || blobStoreOf(world).sizeOf(digest) === undefined)
      ballast.digest = blobStoreOf(world).put(packed);
    const kept = ballast.digest as string;
    addBlob(world.db, repository, kept);
    return { mediaType: layerType, digest: kept, size: packed.length, diffId };
  };
  const { entrypoint = ['/app'], size = 0 } = facts;
  // Layers that are equal for all platforms are made once.
  const common = [layerOf(programOf(entrypoint)), ...ballastFor(size * 1_000_000).map(ballastLayer)];
  const images = [...new Set(platforms)].map((platform) => {
    const mark = layerOf({ path: 'etc/platform', content: Buffer.from(`${platform}\n`), mode: 0o644 });
    const layers = [mark, ...common];
    const config = configOf(platform, { ...facts, entrypoint }, layers);
    const made = {
      config: keep(configType, config),
      layers: layers.map(({ diffId: _, ...layer }) => layer),
      read: readConfig(Buffer.from(config)),
    };
    return { platform: platformOf(platform), ...made };
  });
  const put = (
    mediaType: string,
    manifest: object,
    refersTo: string[],
    config: ImageConfig | null,
    bytes: number,
  ): Blob => {
    const body = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...manifest }));
    const digest = blobStoreOf(world).put(body);
    const row = { repository, digest, media_type: mediaType, body, subject: null, artifact_type: null };
    putManifest(world.db, { ...row, refers_to: refersTo, config, bytes, pushed_at: now });
    return { mediaType, digest, size: body.length };
  };
  const pushed = images.map(({ platform, config, layers, read }) => {
    const blobs = [config, ...layers];
    const artifact = put(
      ociImage,
      { config, layers },
      [...new Set(blobs.map(({ digest }) => digest))],
      read ?? null,
      blobs.reduce((sum, { size }) => sum + size, 0),
    );
    return { ...artifact, platform };
  });
  const [only, ...more] = pushed;
  const top =
    only !== undefined && more.length === 0
      ? only
      : put(
          ociIndex,
          { manifests: pushed },
          pushed.map(({ digest }) => digest),
          null,
          0,
        );
  putTag(world.db, { repository, tag, digest: top.digest, pushed_at: now });
  return top.digest;
}

function platformOf(text: string): { os: string; architecture: string; variant?: string } {
  const [os = '', architecture = '', variant] = text.split('/');
  return { os, architecture, ...(variant !== undefined && { variant }) };
}

function configOf(
  platform: string,
  { entrypoint, command, user, labels, exposedPorts }: ImageFacts,
  layers: readonly Layer[],
): string {
  return JSON.stringify({
    ...platformOf(platform),
    // Reproducible builds have this instant.
    created: '1970-01-01T00:00:00Z',
    config: {
      ...(user !== undefined && { User: user }),
      ...(exposedPorts !== undefined && {
        ExposedPorts: Object.fromEntries(exposedPorts.map((port) => [`${port}/tcp`, {}])),
      }),
      Env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
      Entrypoint: entrypoint,
      ...(command !== undefined && { Cmd: command }),
      WorkingDir: '/',
      ...(labels !== undefined && { Labels: labels }),
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(() => ({ created: '1970-01-01T00:00:00Z', created_by: 'cloudemu image make' })),
  });
}

// Enough of a program for the entry point to be there; what the container answers is simulated.
function programOf([program = '']: readonly string[]): ArchivedFile {
  const path = program.startsWith('/') ? program.slice(1) : `usr/local/bin/${program}`;
  const content = Buffer.from('#!/bin/sh\necho "This image was made up by cloudemu: its program does nothing."\n');
  return { path: path.slice(0, 100), content, mode: 0o755 };
}

// Content that no compression makes smaller; it is the same for the same size.
function ballastOf(bytes: number): ArchivedFile {
  const key = createHash('sha256').update('ballast').digest().subarray(0, 16);
  const content = createCipheriv('aes-128-ctr', key, Buffer.alloc(16)).update(Buffer.alloc(bytes));
  return { path: `var/lib/ballast-${bytes}`, content, mode: 0o644 };
}
