import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createBlobStore } from '../../../src/platform/registry/blobs.js';
import { tempDir } from '../../support/command.js';
import { eventually } from '../../support/eventually.js';
import { digestOf } from '../../support/oci.js';

const options = {
  referred: () => new Set<string>(),
  referredByWorlds: () => new Set<string>(),
  referredAnywhere: async () => new Set<string>(),
  onError: () => {},
};
const owner = { world: 'default', repository: 'acme/web' };

it('the registry keeps no more than a thousand uploads that nobody ends: the oldest is given up', async () => {
  const dir = tempDir();
  const blobs = createBlobStore({ ...options, dir });
  for (let n = 0; n <= 1_000; n++) blobs.begin(`upload-${n}`, owner);
  expect(blobs.find('upload-0', owner)).toBeUndefined();
  expect(blobs.find('upload-1', owner)).toBeDefined();
  await eventually(() => readdirSync(join(dir, 'uploads')).length === 1_000);
  await blobs.close();
  expect(readdirSync(join(dir, 'uploads'))).toEqual([]);
});

it('the registry keeps a blob that is held, and collects it once it is let go', async () => {
  const blobs = createBlobStore({ ...options, dir: tempDir() });
  const digest = blobs.put('a blob');
  const letGo = blobs.hold(digest);
  expect(await blobs.collect()).toEqual([]);
  letGo();
  expect(await blobs.collect()).toEqual([digest]);
  expect(blobs.sizeOf(digest)).toBeUndefined();
  await blobs.close();
});

it('the collection of blobs removes nothing behind a link that was put in the place of its directory', async () => {
  const outside = tempDir();
  for (const name of ['uploads', 'sha256']) mkdirSync(join(outside, name));
  writeFileSync(join(outside, 'sha256/mine'), 'mine');
  const dir = join(tempDir(), 'registry');
  const blobs = createBlobStore({ ...options, dir });
  blobs.hold(blobs.put('a blob'));
  renameSync(dir, `${dir}-before`);
  symlinkSync(outside, dir);
  await expect(blobs.collect()).rejects.toThrow(/is a link/);
  expect(readdirSync(join(outside, 'sha256'))).toEqual(['mine']);
  await blobs.close();
});

it('the collection of blobs keeps what is referred to only while it runs', async () => {
  const digest = digestOf('a blob');
  const referred = new Set<string>();
  const blobs = createBlobStore({
    ...options,
    dir: tempDir(),
    referred: () => referred,
    referredByWorlds: () => referred,
    // Somebody gets it in the middle of the collection.
    async referredAnywhere() {
      referred.add(digest);
      return new Set();
    },
  });
  blobs.put('a blob');
  expect(await blobs.collect()).toEqual([]);
  await blobs.close();
});

// Uploads of two worlds with the same id and seed have the same id, too: one test's world ends while the next one begins.
it('the upload of a world is not taken for that of one before it, which is being removed', async () => {
  const dir = tempDir();
  const blobs = createBlobStore({ ...options, dir });
  const content = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from('a blob');
  };
  await blobs.begin('upload', owner).append(content());
  blobs.release(owner.world);
  const next = blobs.begin('upload', owner);
  await eventually(() => readdirSync(join(dir, 'uploads')).length === 1);
  expect(blobs.find('upload', owner)).toBe(next);
  await next.append(content());
  (await next.finish(digestOf('a blob')))();
  expect(blobs.sizeOf(digestOf('a blob'))).toBe(6);
  await blobs.close();
});
