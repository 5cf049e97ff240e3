// A pushed image as the archive that engines load, with its layers read from their files one after the other.

import { createReadStream, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { World } from '../../../world/world.js';
import { tarEnd, tarHeader, tarPadding } from '../../registry/archive.js';
import { blobStoreOf } from '../../registry/blobs.js';
import { type ImageManifest, readManifest } from '../../registry/manifest.js';

/** @throws Error that names the blob when one is missing */
export function openArchive(world: World, digest: string, tag: string): Readable {
  const blobs = blobStoreOf(world);
  const fileOf = (blob: string): { path: string; size: number } => {
    const size = blobs.sizeOf(blob);
    if (size === undefined) throw new Error(`the blob ${blob} is not there`);
    return { path: blobs.pathOf(blob), size };
  };
  const body = readFileSync(fileOf(digest).path);
  const { mediaType = 'application/vnd.oci.image.manifest.v1+json' } = JSON.parse(body.toString('utf8'));
  const manifest = readManifest(body, mediaType);
  if (typeof manifest === 'string' || manifest.kind !== 'image') throw new Error(`${digest} is not an image`);
  const { config, layers } = manifest.content as ImageManifest;
  const names = layers.map((layer) => nameOf(layer.digest, 'tar'));
  const index = Buffer.from(
    JSON.stringify([{ Config: nameOf(config.digest, 'json'), RepoTags: [tag], Layers: names }]),
  );
  const parts: [name: string, digest: string][] = [[nameOf(config.digest, 'json'), config.digest]];
  for (const layer of new Set(layers.map((each) => each.digest))) parts.push([nameOf(layer, 'tar'), layer]);
  // Missing files are found before anything is sent.
  const files = parts.map(([name, blob]) => ({ name, ...fileOf(blob) }));

  async function* archive(): AsyncGenerator<Buffer> {
    for (const { name, path, size } of files) {
      yield tarHeader(name, size, 0o644);
      yield* createReadStream(path, { highWaterMark: 1_024 * 1_024 });
      yield tarPadding(size);
    }
    yield tarHeader('manifest.json', index.length, 0o644);
    yield index;
    yield tarPadding(index.length);
    yield tarEnd();
  }
  return Readable.from(archive(), { objectMode: false });
}

function nameOf(digest: string, kind: string): string {
  return `${digest.slice('sha256:'.length)}.${kind}`;
}
