// Images in snapshots and scenarios: tags come back, layers stay as long as something names them.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Emulator, ScenarioInput } from '../../../src/index.js';
import { tempDir } from '../../support/command.js';
import { deploy, getContainer, startEmulator } from '../../support/emulator.js';
import { eventually } from '../../support/eventually.js';
import { digestOf, pushImage, pushIndex, type Registry, registryOf } from '../../support/push.js';

const layer = 'a layer that is kept';

async function pushed(emulator: Emulator): Promise<{ registry: Registry; digest: string }> {
  const registry = await registryOf(emulator);
  const { digest } = await pushImage(registry, 'v1', { config: { Labels: { team: 'red' } } }, layer);
  return { registry, digest };
}

async function pulls({ send }: Registry, tag = 'v1'): Promise<string> {
  const manifest = (await (await send('GET', `/manifests/${tag}`)).json()) as any;
  const answer = await send('GET', `/blobs/${manifest.layers?.[0]?.digest}`);
  return answer.ok ? answer.text() : `status ${answer.status}`;
}

describe('snapshots', () => {
  it('keep the layers of an image that was removed, and bring its tag back', async () => {
    const dir = tempDir();
    // A history keeps them, too.
    const emulator = await startEmulator({ dataDir: dir, data: { history: 'off' } });
    const registry = await registryOf(emulator);
    const { images, snapshots } = emulator.controls;
    const kept = images.make({ repository: 'web', tag: 'v1', labels: { team: 'red' } });
    const held = () => readdirSync(join(dir, 'registry', 'sha256')).length;
    const count = held();
    const comesAndGoes = async (left: number) => {
      images.make({ repository: 'other', entrypoint: ['/other'] });
      expect(held()).toBeGreaterThan(left);
      images.remove('other:latest');
      await eventually(() => held() === left);
    };
    snapshots.take({ name: 'made' });
    images.remove('web:v1');
    await comesAndGoes(count);
    expect((await registry.send('GET', '/manifests/v1')).status).toBe(404);
    await snapshots.restore('made');
    expect(images.get('web:v1')).toMatchObject({ digest: kept.digest, complete: true });
    const layers = images.get('web:v1').images[0]?.layers ?? [];
    for (const { digest } of layers) expect((await registry.send('GET', `/blobs/${digest}`)).status).toBe(200);
    images.remove('web:v1');
    snapshots.remove('made');
    await comesAndGoes(0);
  });

  it('are exported with small layers, and pulled from elsewhere', async () => {
    const from = await startEmulator();
    await pushed(from);
    from.controls.snapshots.take({ name: 'pushed' });
    const to = await startEmulator();
    const imported = await to.controls.snapshots.import(from.controls.snapshots.export('pushed'));
    expect(imported.missingBlobs).toEqual([]);
    await to.controls.snapshots.restore('pushed');
    expect(await pulls(await registryOf(to))).toBe(layer);
  });

  it('say which layers are nowhere: the image is deployed, not pulled, and pushed again it is whole', async () => {
    const from = await startEmulator();
    const { uri } = from.controls.images.make({ repository: 'web', tag: 'v1', size: 2 });
    from.controls.snapshots.take({ name: 'large' });
    const to = await startEmulator({ registry: { require: 'always' } });
    const { missingBlobs } = await to.controls.snapshots.import(from.controls.snapshots.export('large'));
    expect(missingBlobs).toHaveLength(1);
    await to.controls.snapshots.restore('large');
    expect(to.controls.images.get('web:v1')).toMatchObject({ complete: false, missing: missingBlobs });
    const registry = await registryOf(to);
    expect((await registry.send('HEAD', `/blobs/${missingBlobs[0]}`)).status).toBe(404);
    const { images } = to.controls.images.get('web:v1');
    const manifest = await (await registry.send('GET', `/manifests/${images[0]?.digest}`)).text();
    const headers = { 'content-type': 'application/vnd.oci.image.manifest.v1+json' };
    expect((await registry.send('PUT', '/manifests/v2', manifest, headers)).status).toBe(404);
    await deploy(to, { ecr_image_uri: uri });
    to.controls.images.make({ repository: 'web', tag: 'v1', size: 2 });
    expect(to.controls.images.get('web:v1').complete).toBe(true);
  });

  it('exported without secrets carry no layers: they may hold some', async () => {
    const emulator = await startEmulator();
    await pushed(emulator);
    emulator.controls.snapshots.take({ name: 'pushed' });
    expect(Object.keys(emulator.controls.snapshots.export('pushed').blobs ?? {})).toHaveLength(3);
    expect(emulator.controls.snapshots.export('pushed', { withoutSecrets: true }).blobs).toBeUndefined();
  });

  it('refuse a layer that is not what its digest says', async () => {
    const emulator = await startEmulator();
    await pushed(emulator);
    emulator.controls.snapshots.take({ name: 'pushed' });
    const document = emulator.controls.snapshots.export('pushed');
    const blobs = { ...document.blobs, [digestOf(layer)]: Buffer.from('another').toString('base64') };
    await expect(emulator.controls.snapshots.import({ ...document, name: 'x', blobs })).rejects.toThrow(
      `blobs.${digestOf(layer)} is not what its digest says`,
    );
  });
});

describe('scenarios', () => {
  it('declare images that are made up, and containers that run them by a short name', async () => {
    const emulator = await startEmulator();
    const scenario: ScenarioInput = {
      images: [{ repository: 'web', tag: 'v1', exposedPorts: [3000] }],
      data: { containers: [{ project_name: 'web' }, { project_name: 'api', ecr_image_uri: 'web:v1' }] },
    };
    await emulator.controls.scenarios.apply(scenario);
    expect(emulator.controls.images.list()).toMatchObject([{ tags: ['v1'], containers: ['web', 'api'] }]);
    emulator.controls.images.remove('web:v1');
    await emulator.controls.reset();
    expect(emulator.controls.images.list()).toMatchObject([{ tags: ['v1'], containers: ['web', 'api'] }]);
  });

  it('take a pushed image by its digest, in this world and in others', async () => {
    const emulator = await startEmulator();
    const { registry, digest } = await pushed(emulator);
    const index = await pushIndex(registry, 'multi', ['amd64', 'arm64']);
    const scenario: ScenarioInput = {
      images: [
        { repository: 'web', tag: 'v1', digest },
        { repository: 'web', tag: 'multi', digest: index.digest },
      ],
    };
    await emulator.controls.scenarios.apply(scenario);
    expect(emulator.controls.images.get('web:v1').digest).toBe(digest);
    expect(emulator.controls.images.get('web:multi')).toMatchObject({ digest: index.digest, complete: true });
    expect(await pulls(await registryOf(emulator))).toBe(layer);
    const world = await emulator.createWorld({ scenario });
    expect(world.controls.images.get('web:v1').digest).toBe(digest);
    expect(await pulls(await registryOf(world))).toBe(layer);
    await world.controls.reset();
    expect(await pulls(await registryOf(world))).toBe(layer);
    await emulator.controls.reset();
    expect(emulator.controls.images.get('web:v1').digest).toBe(digest);
  });

  it('make an image up from the rest where its digest is unknown', async () => {
    const emulator = await startEmulator();
    const digest = `sha256:${'0'.repeat(64)}`;
    await emulator.controls.scenarios.apply({
      images: [{ repository: 'web', tag: 'v1', digest, platforms: ['linux/amd64'], labels: { team: 'red' } }],
    });
    const shown = emulator.controls.images.get('web:v1');
    expect(shown.digest).not.toBe(digest);
    expect(shown.images).toMatchObject([{ platform: 'linux/amd64', config: { labels: { team: 'red' } } }]);
  });

  it('are saved with what was pushed, by digest and in words', async () => {
    const emulator = await startEmulator();
    const { registry, digest } = await pushed(emulator);
    await deploy(emulator, { ecr_image_uri: `${registry.uri}:v1` });
    await emulator.controls.clock.advance('1m');
    const { document } = emulator.controls.scenarios.save({ name: 'mine' });
    expect(document.images).toEqual([
      { repository: 'web', tag: 'v1', digest, platforms: ['linux/arm64'], labels: { team: 'red' } },
    ]);
    expect(document.data?.containers).toMatchObject([{ project_name: 'web', ecr_image_uri: 'web:v1' }]);
    const elsewhere = await startEmulator({ seed: 'other' });
    await elsewhere.controls.scenarios.apply(document);
    expect(elsewhere.controls.images.list()).toMatchObject([{ tags: ['v1'], containers: ['web'] }]);
  });

  it('name the place of an image that cannot be', async () => {
    const emulator = await startEmulator();
    const wrong = { images: [{ repository: 'web', platforms: ['arm64'] }] };
    await expect(emulator.controls.scenarios.apply(wrong)).rejects.toThrow('images[0].platforms[0]');
    const named = { images: [{ repository: 'Up/per' }] };
    await expect(emulator.controls.scenarios.apply(named)).rejects.toThrow('images[0].repository');
  });
});

it('an index runs as arm64 whose amd64 image alone fails', async () => {
  const emulator = await startEmulator();
  const registry = await registryOf(emulator);
  await pushImage(registry, 'amd64', { architecture: 'amd64', config: { Entrypoint: ['/serve'] } });
  await pushIndex(registry, 'multi', ['amd64', 'arm64']);
  const { id } = await deploy(emulator, { ecr_image_uri: `${registry.uri}:amd64` });
  await emulator.controls.clock.advance('2m');
  expect(await getContainer(emulator, id)).toMatchObject({
    status: 'failed',
    error_message: expect.stringContaining('exec /serve: exec format error'),
  });
  await deploy(emulator, { ecr_image_uri: `${registry.uri}:multi` });
  await emulator.controls.clock.advance('2m');
  expect(await getContainer(emulator, id)).toMatchObject({ status: 'running' });
});
