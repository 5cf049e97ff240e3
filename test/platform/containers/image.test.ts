// Deployments look at what was pushed: whether the image is there, for which processor it is, how large, what it exposes.

import { describe, expect, it } from 'vitest';
import { sampleOf } from '../../support/campaign.js';
import { call, deploy, getContainer, type Platform, startEmulator, startWorld } from '../../support/emulator.js';
import { digestOf, pushImage, pushIndex, registryOf } from '../../support/push.js';

const elsewhere = 'docker.io/library/web:v1';
type Require = 'afterFirstPush' | 'always' | 'never';

async function prepared(require: Require = 'always', settings: object = {}) {
  const emulator = await startWorld({ registry: { require, ...settings } });
  const registry = await registryOf(emulator);
  // Controls name an image without its world.
  const repository = registry.name.replace(/^w\/[^/]+\//, '');
  return { emulator, registry, repository, images: emulator.controls.images };
}

const create = (emulator: Platform, ecr_image_uri: string) =>
  call(emulator, 'POST', '/api/v1/containers', { name: 'web', project_name: 'web', ecr_image_uri });

async function ended(emulator: Platform, id: string): Promise<any> {
  await emulator.controls.clock.advance('2m');
  return getContainer(emulator, id);
}

async function logOf(emulator: Platform, id: string): Promise<string[]> {
  const { body } = await call(emulator, 'GET', `/api/v1/containers/${id}/logs?tail=1000`);
  return body.logs.map(({ level, message }: any) => (level === 'info' ? message : `${level}: ${message}`));
}

describe('an image must have been pushed', () => {
  const images = [
    ['never', 'elsewhere', 202],
    ['never', 'unpushed', 202],
    ['never', 'untagged', 202],
    ['afterFirstPush', 'elsewhere', 202],
    ['afterFirstPush', 'unpushed', 202],
    ['afterFirstPush', 'untagged', 404],
    ['afterFirstPush', 'deleted', 404],
    ['afterFirstPush', 'pushed', 202],
    ['always', 'elsewhere', 404],
    ['always', 'unpushed', 404],
    ['always', 'untagged', 404],
    ['always', 'pushed', 202],
  ] as const;
  it.each(sampleOf(images, 4))('%s: one that is %s is answered %i', async (require, which, status) => {
    const { emulator, registry, repository, images } = await prepared(require);
    if (which === 'untagged' || which === 'pushed' || which === 'deleted') await pushImage(registry, 'v1');
    if (which === 'deleted') images.remove(`${repository}:v1`);
    const uris = {
      elsewhere,
      unpushed: `${registry.uri}:v1`,
      untagged: `${registry.uri}:v2`,
      pushed: `${registry.uri}:v1`,
      deleted: `${registry.uri}:v1`,
    };
    const answer = await create(emulator, uris[which]);
    expect(answer.status).toBe(status);
    const warning = decodeURIComponent(answer.headers.get('x-emulator-warning') ?? '');
    const isTold = require === 'afterFirstPush' && which === 'unpushed';
    expect(warning).toBe(
      isTold ? `image ${registry.uri}:v1 is trusted: nothing was ever pushed to its repository` : '',
    );
  });

  it('the 404 names the tags that there are, the newest first, and nothing was charged', async () => {
    const { emulator, registry } = await prepared();
    await pushImage(registry, 'v1');
    await emulator.controls.clock.advance('1s');
    await pushImage(registry, 'v2');
    const { status, body } = await create(emulator, `${registry.uri}:v3`);
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
    expect(body.error.message).toContain(`${registry.uri}:v3`);
    expect(body.error.details).toEqual({
      hint: expect.stringMatching(/web has the tags v2, v1\. Push the image first, or name one of them\.$/),
      tags: ['v2', 'v1'],
    });
    expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance).toBe(1_000);
  });

  it('an image is found by its digest too, under any loopback name', async () => {
    const { emulator, registry } = await prepared();
    const { digest } = await pushImage(registry, 'v1');
    const { id } = await deploy(emulator, { ecr_image_uri: `localhost:1/${registry.name}@${digest}` });
    expect(emulator.controls.containers.get(id).image.digest).toBe(digest);
  });

  it('what runs may be changed although its tag is gone', async () => {
    const { emulator, registry, images } = await prepared();
    await pushImage(registry, 'v1');
    const { id } = await deploy(emulator, { ecr_image_uri: `${registry.uri}:v1` });
    await ended(emulator, id);
    images.remove('web:v1');
    expect((await call(emulator, 'PATCH', `/api/v1/containers/${id}`, { desired_count: 2 })).status).toBe(200);
    const other = { ecr_image_uri: `${registry.uri}:v1` };
    expect((await call(emulator, 'PATCH', `/api/v1/containers/${id}`, other)).status).toBe(404);
  });
});

describe('what an image is decides how its deployment ends', () => {
  it.each([
    ['arm64', 'arm64', 'running'],
    ['x86_64', 'amd64', 'running'],
    ['arm64', 'amd64', 'failed'],
    ['x86_64', 'arm64', 'failed'],
  ])('a container of %s with a pushed image of %s is %s', async (architecture, of, status) => {
    const { emulator, registry } = await prepared();
    await pushImage(registry, 'v1', { architecture: of, config: { Cmd: ['/serve'] } });
    const { id } = await deploy(emulator, { ecr_image_uri: `${registry.uri}:v1`, architecture });
    expect((await ended(emulator, id)).status).toBe(status);
    const log = await logOf(emulator, id);
    expect(log.includes('error: exec /serve: exec format error')).toBe(status === 'failed');
  });

  it('a made-up image for Windows does not run', async () => {
    const { emulator, images } = await prepared();
    const { uri } = images.make({ repository: 'web', platforms: ['windows/arm64'] });
    const { id } = await deploy(emulator, { ecr_image_uri: uri });
    expect((await ended(emulator, id)).error_message).toContain('exec format error');
  });

  it('an index without its platform has no matching manifest, and its charge returns', async () => {
    const { emulator, registry } = await prepared();
    await pushIndex(registry, 'v1', ['amd64', 's390x']);
    const { id } = await deploy(emulator, { ecr_image_uri: `${registry.uri}:v1` });
    expect(await ended(emulator, id)).toMatchObject({
      status: 'failed',
      error_message: expect.stringContaining('no matching manifest for linux/arm64/v8 in the manifest list entries'),
    });
    expect((await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance).toBe(1_000);
  });

  it('one that is too large fills the disk', async () => {
    const { emulator, images } = await prepared('always', { maxImageSize: 1 });
    const small = images.make({ repository: 'web', tag: 'small', size: 0.9 });
    const large = images.make({ repository: 'web', tag: 'large', size: 1.1 });
    const { id } = await deploy(emulator, { ecr_image_uri: large.uri });
    expect((await ended(emulator, id)).error_message).toContain('no space left on device');
    await deploy(emulator, { ecr_image_uri: small.uri });
    expect((await ended(emulator, id)).status).toBe('running');
  });

  it('a trigger of the request overrides what the image is', async () => {
    const { emulator, registry } = await prepared();
    await pushImage(registry, 'v1', { architecture: 'amd64' });
    const uri = { ecr_image_uri: `${registry.uri}:v1` };
    const { id } = await deploy(emulator, uri, { 'x-emulator-failure': 'oom-start' });
    expect(emulator.controls.containers.get(id).mode).toBe('oom-start');
  });
});

describe('what its config says', () => {
  const config = {
    Entrypoint: ['/bin/serve'],
    Cmd: ['--all'],
    User: 'app',
    ExposedPorts: { '8080/tcp': {} },
    Labels: { team: 'red' },
  };

  it('is in the log, with a warning where it exposes another port', async () => {
    const { emulator, registry } = await prepared();
    const { digest } = await pushImage(registry, 'v1', { config });
    const { id } = await deploy(emulator, { ecr_image_uri: `${registry.uri}:v1`, port: 3000 });
    await ended(emulator, id);
    const log = await logOf(emulator, id);
    expect(log.some((line) => line.startsWith(`Pulled ${digest} (`) && line.endsWith('linux/arm64)'))).toBe(true);
    expect(log).toContain(
      'Image config: entry point ["/bin/serve","--all"]; user app; exposes 8080/tcp; labels {"team":"red"}',
    );
    expect(log).toContain("warn: The image exposes 8080/tcp, the container's port is 3000");
  });

  it('is shown by control, of an index as that of the platform that runs', async () => {
    const { emulator, registry } = await prepared();
    const { digest } = await pushImage(registry, 'v1', { config });
    await pushIndex(registry, 'multi', ['amd64', 'arm64']);
    const { id } = await deploy(emulator, { ecr_image_uri: `${registry.uri}:v1` });
    expect(emulator.controls.containers.get(id).image).toMatchObject({
      uri: `${registry.uri}:v1`,
      digest,
      platform: 'linux/arm64',
      config: { entrypoint: ['/bin/serve'], command: ['--all'], user: 'app', exposedPorts: ['8080/tcp'] },
    });
    await deploy(emulator, { ecr_image_uri: `${registry.uri}:multi`, architecture: 'x86_64' });
    expect(emulator.controls.containers.get(id).image).toMatchObject({ platform: 'linux/amd64' });
  });

  it('is unknown of an image that lies elsewhere', async () => {
    const { emulator } = await prepared('never');
    const { id } = await deploy(emulator, { ecr_image_uri: elsewhere });
    expect(emulator.controls.containers.get(id).image).toEqual({
      uri: elsewhere,
      digest: null,
      platform: null,
      size: null,
      config: null,
    });
  });
});

describe('the repository that clients are told', () => {
  it.each([
    ['publicUrl', { publicUrl: 'https://cloud.example.test' }, 'https://cloud.example.test', 'cloud.example.test'],
    ['registry.host', { registry: { host: 'cloudemu:4747' } }, 'http://cloudemu:4747', 'cloudemu:4747'],
  ])('follows %s, and is deployed under that name', async (_, options, endpoint, host) => {
    const emulator = await startEmulator(options);
    const { body } = await call(emulator, 'GET', '/api/v1/containers/credentials?projectId=web');
    expect(body.credentials.proxyEndpoint).toBe(endpoint);
    expect(body.repository.uri).toBe(`${host}/${body.repository.name}`);
    const { uri } = emulator.controls.images.make({ repository: 'web', tag: 'v1' });
    expect(uri).toBe(`${body.repository.uri}:v1`);
    const { id } = await deploy(emulator, { ecr_image_uri: uri });
    expect(emulator.controls.containers.get(id).image.digest).not.toBeNull();
  });

  it('names the world, and its image is that world’s alone', async () => {
    const emulator = await startEmulator();
    const world = await emulator.createWorld({ id: 'blue' });
    const registry = await registryOf(world);
    expect(registry.uri).toBe(`${new URL(emulator.url).host}/w/blue/${world.organizationId}/web`);
    await pushImage(registry, 'v1');
    expect(world.controls.images.list()).toMatchObject([{ uri: `${registry.uri}:v1` }]);
    expect(emulator.controls.images.list()).toEqual([]);
    const { body } = await call(world, 'POST', '/api/v1/containers', {
      name: 'web',
      project_name: 'web',
      ecr_image_uri: `${registry.uri}:v2`,
    });
    expect(body.error.details.tags).toEqual(['v1']);
  });

  it('is named elizaos/<organization>/<project> under the profile elizacloud-v1', async () => {
    const emulator = await startEmulator({ profile: 'elizacloud-v1' });
    const sent = { projectId: 'My-App', version: '1.2.0' };
    const { body } = await call(emulator, 'POST', '/api/v1/containers/credentials', sent);
    const repository = `elizaos/${emulator.organizationId}/my-app`;
    expect(body.data.ecrRepositoryUri).toBe(`${new URL(emulator.url).host}/${repository}`);
    expect(body.data.ecrImageUri).toBe(`${body.data.ecrRepositoryUri}:${body.data.ecrImageTag}`);
    expect(body.data.ecrImageTag).toMatch(/^1\.2\.0-\d{13}$/);
    expect(Buffer.from(body.data.authToken, 'base64').toString()).toMatch(/^AWS:./);
    expect(emulator.controls.images.make({ repository: 'my-app' }).repository).toBe(repository);
  });
});

describe('an image of which the registry has not all', () => {
  const isError = ({ status }: any): boolean => status === 'failed';

  it.each([
    ['a layer', () => digestOf('a layer')],
    ['its config', (body: any) => body.config.digest],
  ])('%s that was deleted fails the pull, and is named', async (_, digestIn) => {
    const { emulator, registry } = await prepared();
    await pushImage(registry, 'v1');
    const manifest = await (
      await registry.send('GET', '/manifests/v1', undefined, { accept: 'application/vnd.oci.image.manifest.v1+json' })
    ).json();
    const digest = digestIn(manifest);
    expect((await registry.send('DELETE', `/blobs/${digest}`)).status).toBe(202);
    const { id } = (await create(emulator, `${registry.uri}:v1`)).body.data;
    const container = await ended(emulator, id);
    expect(isError(container)).toBe(true);
    expect(container.error_message).toBe(
      `CannotPullContainerError: failed to copy: httpReadSeeker: failed open: content at ${registry.uri}@${digest} not found: not found`,
    );
    expect(await logOf(emulator, id)).toContain(`error: ${container.error_message}`);
  });

  it('runs again once it was pushed whole', async () => {
    const { emulator, registry } = await prepared();
    await pushImage(registry, 'v1');
    await registry.send('DELETE', `/blobs/${digestOf('a layer')}`);
    await pushImage(registry, 'v1');
    const { id } = (await create(emulator, `${registry.uri}:v1`)).body.data;
    expect((await ended(emulator, id)).status).toBe('running');
  });

  it('as an imported snapshot may bring it, fails the pull', async () => {
    const { emulator, registry, repository } = await prepared();
    // Larger than what exports carry.
    const layer = 'x'.repeat(1_000_001 + 1_024 * 1_024);
    await pushImage(registry, 'v1', {}, layer);
    emulator.controls.snapshots.take({ name: 'pushed' });
    const exported = emulator.controls.snapshots.export('pushed');
    const other = await startEmulator();
    const imported = await other.controls.snapshots.import(exported);
    expect(imported).toMatchObject({ missingBlobs: [digestOf(layer)] });
    await other.controls.snapshots.restore('pushed');
    const host = new URL(other.url).host;
    const { id } = (await create(other, `${host}/${repository}:v1`)).body.data;
    const container = await ended(other, id);
    expect(container.error_message).toContain(digestOf(layer));
  });
});

describe('a name that no engine can pull fails as a pull does', () => {
  it.each([
    ['ghcr.io/Owner/My-App:v1', 'invalid reference format: repository name (Owner/My-App) must be lowercase'],
    ['My-App:v1', 'invalid reference format: repository name (library/My-App) must be lowercase'],
    ['host:99999/app:v1', 'Get "https://host:99999/v2/": dial tcp: address 99999: invalid port'],
    ['o/a..b:v1', 'invalid reference format'],
    ['[::1/app:v1', 'invalid reference format'],
  ])('%s: %s', async (uri, words) => {
    const emulator = await startWorld();
    const answer = await create(emulator, uri);
    expect(answer.status).toBe(202);
    const { status, error_message } = await ended(emulator, answer.body.data.id);
    expect([status, error_message]).toEqual([
      'failed',
      `CannotPullContainerError: Error response from daemon: ${words}`,
    ]);
  });

  it.each([
    '[::1]:5000/o/app:v1',
    'Host.example:443/a/b_c/d--e:V1.0',
    'localhost/app:v1',
    'a__b/c.d:v1',
    'Owner/app:v1',
  ])('%s runs', async (uri) => {
    const emulator = await startWorld({ registry: { require: 'never' } });
    const { body } = await create(emulator, uri);
    expect((await ended(emulator, body.data.id)).status).toBe('running');
  });

  it('the address of an emulator on ::1 is one', async () => {
    const emulator = await startEmulator({ server: { publicUrl: 'http://[::1]:4747' } });
    const { body } = await call(emulator, 'GET', '/api/v1/containers/credentials');
    const answer = await create(emulator, body.data.ecrImageUri);
    expect([new URL(`http://${body.data.ecrImageUri.split('/')[0]}`).hostname, answer.status]).toEqual(['[::1]', 202]);
  });
});
