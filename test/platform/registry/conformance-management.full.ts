// The conformance category "content management" of the OCI distribution specification 1.1, requirement by requirement.

import { beforeEach, describe, expect, it } from 'vitest';
import { startWorld } from '../../support/emulator.js';
import { digestOf, image, index, layer, logIn, type Repository } from '../../support/oci.js';

const shared = layer('in both');
const pushed = image({ layers: [shared, layer('in the first')] });
const other = image({ layers: [shared], architecture: 'arm64' });
const [, , own] = pushed.blobs;

let repository: Repository;
beforeEach(async () => {
  repository = await logIn(await startWorld());
  await repository.push('v1', pushed);
  await repository.putManifest('latest', pushed);
});

const statusOf = async (path: string): Promise<number> => (await repository.send('HEAD', path)).status;

describe('end-9: manifests and tags', () => {
  it('a tag goes alone', async () => {
    expect((await repository.send('DELETE', '/manifests/v1')).status).toBe(202);
    expect(await statusOf('/manifests/v1')).toBe(404);
    expect(await statusOf('/manifests/latest')).toBe(200);
    expect(await statusOf(`/manifests/${pushed.digest}`)).toBe(200);
    expect((await repository.send('GET', '/tags/list')).body.tags).toEqual(['latest']);
  });

  it('a manifest goes with its tags', async () => {
    expect((await repository.send('DELETE', `/manifests/${pushed.digest}`)).status).toBe(202);
    for (const reference of ['v1', 'latest', pushed.digest])
      expect(await statusOf(`/manifests/${reference}`)).toBe(404);
  });

  it('its blobs go where nothing else in the repository needs them', async () => {
    await repository.push('arm', other);
    await repository.send('DELETE', `/manifests/${pushed.digest}`);
    expect(await statusOf(`/blobs/${own?.digest}`)).toBe(404);
    expect(await statusOf(`/blobs/${shared.digest}`)).toBe(200);
  });

  it('an index goes alone', async () => {
    const both = index({ 'linux/amd64': pushed });
    await repository.putManifest('all', both);
    await repository.send('DELETE', `/manifests/${both.digest}`);
    expect(await statusOf('/manifests/all')).toBe(404);
    expect(await statusOf('/manifests/v1')).toBe(200);
  });

  it.each(['v2', digestOf('nothing'), '.x'])('what is not there is 404: %s', async (reference) => {
    const answer = await repository.send('DELETE', `/manifests/${reference}`);
    expect([answer.status, answer.body.errors[0].code]).toEqual([404, 'MANIFEST_UNKNOWN']);
  });

  it('what was deleted may be pushed again', async () => {
    await repository.send('DELETE', `/manifests/${pushed.digest}`);
    await repository.push('v1', pushed);
    expect((await repository.send('GET', `/blobs/${own?.digest}`)).bytes).toEqual(own?.bytes);
  });

  it('a tag that is pushed again points at the new manifest, the old one stays under its digest', async () => {
    await repository.push('v1', other);
    expect((await repository.send('GET', '/manifests/v1')).bytes).toEqual(other.bytes);
    expect((await repository.send('GET', `/manifests/${pushed.digest}`)).bytes).toEqual(pushed.bytes);
  });
});

describe('end-10: blobs', () => {
  it('go with 202 and are 404 then', async () => {
    expect((await repository.send('DELETE', `/blobs/${own?.digest}`)).status).toBe(202);
    expect(await statusOf(`/blobs/${own?.digest}`)).toBe(404);
    const again = await repository.send('DELETE', `/blobs/${own?.digest}`);
    expect([again.status, again.body.errors[0].code]).toEqual([404, 'BLOB_UNKNOWN']);
  });

  it('stay in other repositories', async () => {
    const world = await startWorld();
    const [first, second] = [await logIn(world, 'first'), await logIn(world, 'second')];
    await first.pushBlob(shared);
    await second.pushBlob(shared);
    await first.send('DELETE', `/blobs/${shared.digest}`);
    expect((await second.send('GET', `/blobs/${shared.digest}`)).bytes).toEqual(shared.bytes);
  });

  it.each(['sha256:12', 'x', '..%2F..%2Fworld.db'])('what is no digest is 404: %s', async (digest) => {
    expect((await repository.send('DELETE', `/blobs/${digest}`)).status).toBe(404);
  });
});
