// The cache that BuildKit exports with `--cache-to type=registry` unless it is told image-manifest=true: an index whose
// manifests are the layers of the cache and its config, which are blobs.

import { expect, it } from 'vitest';
import { startWorld } from '../../support/emulator.js';
import { layer, logIn } from '../../support/oci.js';

const layers = [layer('first layer of the cache'), layer('second layer of the cache')];
const config = layer(
  JSON.stringify({
    layers: layers.map(({ digest }, index) => ({ blob: digest, parent: index - 1 })),
    records: [{ digest: `sha256:${'a'.repeat(64)}`, layers: [{ layer: 1, createdAt: '2026-01-01T00:00:00Z' }] }],
  }),
);

/** BuildKit writes it so, with its fields in their order; `oci-mediatypes=false` gives Docker's types. */
function cacheIndex(types: { index: string; layer: string }): string {
  return JSON.stringify({
    schemaVersion: 2,
    mediaType: types.index,
    manifests: [
      ...layers.map(({ digest, bytes }) => ({
        mediaType: types.layer,
        digest,
        size: bytes.length,
        annotations: {
          'buildkit/createdat': '2026-01-01T00:00:00.123456789Z',
          'containerd.io/uncompressed': `sha256:${'b'.repeat(64)}`,
        },
      })),
      { mediaType: 'application/vnd.buildkit.cacheconfig.v0', digest: config.digest, size: config.bytes.length },
    ],
  });
}

const types = [
  { index: 'application/vnd.oci.image.index.v1+json', layer: 'application/vnd.oci.image.layer.v1.tar+gzip' },
  {
    index: 'application/vnd.docker.distribution.manifest.list.v2+json',
    layer: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
  },
];

it.each(types)('a cache of BuildKit is taken and given back as $index', async (type) => {
  const repository = await logIn(await startWorld());
  const body = cacheIndex(type);
  const put = () => repository.send('PUT', '/manifests/buildcache', { body, headers: { 'Content-Type': type.index } });
  const early = await put();
  expect(early.status).toBe(404);
  expect(early.bytes.toString()).toContain('MANIFEST_BLOB_UNKNOWN');
  for (const blob of [...layers, config]) await repository.pushBlob(blob);
  expect((await put()).status).toBe(201);
  const pulled = await repository.send('GET', '/manifests/buildcache', { headers: { Accept: type.index } });
  expect([pulled.status, pulled.bytes.toString()]).toEqual([200, body]);
  for (const { digest, bytes } of [...layers, config])
    expect((await repository.send('GET', `/blobs/${digest}`)).bytes).toEqual(bytes);
});
