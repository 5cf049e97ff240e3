// Images under control: what was pushed is shown and removed; what nobody pushed is made up.

import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { tempDir } from '../../support/command.js';
import { deploy, startEmulator, startWorld } from '../../support/emulator.js';
import { digestOf, pushImage, pushIndex, type Registry, registryOf } from '../../support/push.js';
import { itNeeds } from '../../support/tools.js';

const skopeo = 'skopeo';
const run = promisify(execFile);

async function prepared(options = {}): Promise<{ emulator: EmulatorWorld; registry: Registry }> {
  const emulator = await startWorld(options);
  return { emulator, registry: await registryOf(emulator) };
}

describe('pushed images', () => {
  it('are listed with tags, digest, platforms and size, the newest first', async () => {
    const { emulator, registry } = await prepared();
    const first = await pushImage(registry, 'v1', {}, 'the first layer');
    await pushImage(registry, 'stable', {}, 'the first layer');
    await emulator.controls.clock.advance('1h');
    const second = await pushIndex(registry, 'v2', ['amd64', 'arm64']);
    expect(emulator.controls.images.list()).toMatchObject([
      {
        uri: `${registry.uri}:v2`,
        repository: registry.name.replace(/^w\/[^/]+\//, ''),
        digest: second.digest,
        tags: ['v2'],
        kind: 'index',
        platforms: ['linux/amd64', 'linux/arm64'],
        pushedAt: '2026-01-01T01:00:00.000Z',
        containers: [],
        complete: true,
      },
      {
        uri: `${registry.uri}:stable`,
        digest: first.digest,
        tags: ['stable', 'v1'],
        kind: 'image',
        platforms: ['linux/arm64'],
        pushedAt: '2026-01-01T00:00:00.000Z',
      },
    ]);
  });

  it('show their layers, config and manifest, and of the environment only names', async () => {
    const { emulator, registry } = await prepared();
    const config = {
      User: 'node',
      Entrypoint: ['node'],
      Cmd: ['server.js'],
      ExposedPorts: { '3000/tcp': {} },
      Labels: { team: 'red' },
      Env: ['PATH=/bin', 'TOKEN=hidden=yes'],
    };
    const { digest } = await pushImage(registry, 'v1', { config }, 'content of a layer');
    const shown = emulator.controls.images.get('web:v1');
    expect(shown.images).toMatchObject([
      {
        platform: 'linux/arm64',
        digest,
        layers: [{ digest: digestOf('content of a layer'), size: 18 }],
        config: {
          os: 'linux',
          architecture: 'arm64',
          user: 'node',
          entrypoint: ['node'],
          command: ['server.js'],
          exposedPorts: ['3000/tcp'],
          labels: { team: 'red' },
          environment: ['PATH', 'TOKEN'],
        },
      },
    ]);
    expect(shown.manifest).toMatchObject({ schemaVersion: 2, layers: [{ size: 18 }] });
    expect(JSON.stringify(shown)).not.toContain('hidden');
  });

  it('name the containers that run them, by the digest that was deployed', async () => {
    const { emulator, registry } = await prepared();
    await pushIndex(registry, 'v1', ['amd64', 'arm64']);
    await deploy(emulator, { ecr_image_uri: `${registry.uri}:v1` });
    await pushImage(registry, 'v1', {}, 'another layer');
    const used = emulator.controls.images.list().map(({ kind, tags, containers }) => ({ kind, tags, containers }));
    expect(used).toEqual(
      expect.arrayContaining([
        { kind: 'image', tags: ['v1'], containers: [] },
        { kind: 'index', tags: [], containers: ['web'] },
      ]),
    );
  });

  it('go with their last tag, and their blobs with them', async () => {
    const { emulator, registry } = await prepared();
    await pushIndex(registry, 'v1', ['amd64', 'arm64']);
    await pushImage(registry, 'kept', { architecture: 'amd64' });
    const layer = digestOf('a layer');
    const own = emulator.controls.images.get('web:v1').images.find(({ platform }) => platform === 'linux/arm64');
    await registry.send('PUT', '/manifests/also', JSON.stringify(emulator.controls.images.get('web:v1').manifest), {
      'content-type': 'application/vnd.oci.image.index.v1+json',
    });
    expect(emulator.controls.images.remove('web:v1')).toMatchObject({ tags: ['v1'], removed: false });
    expect(emulator.controls.images.remove('web:also')).toMatchObject({ tags: ['also'], removed: true });
    expect(emulator.controls.images.list().map(({ tags }) => tags)).toEqual([['kept']]);
    expect((await registry.send('GET', `/manifests/${own?.digest}`)).status).toBe(404);
    expect((await registry.send('GET', `/blobs/${layer}`)).status).toBe(200);
    expect(emulator.controls.images.remove('web:kept').removed).toBe(true);
    expect((await registry.send('GET', `/blobs/${layer}`)).status).toBe(404);
  });

  it('are removed by digest with all their tags', async () => {
    const { emulator, registry } = await prepared();
    const { digest } = await pushImage(registry, 'v1');
    await pushImage(registry, 'v2');
    expect(emulator.controls.images.remove(digest)).toMatchObject({ tags: ['v1', 'v2'], removed: true });
    expect(emulator.controls.images.list()).toEqual([]);
  });

  it('that are not there are refused with the nearest name', async () => {
    const { emulator, registry } = await prepared();
    await pushImage(registry, 'v1');
    expect(() => emulator.controls.images.get('wep:v1')).toThrow('did you mean "web:v1"?');
    expect(() => emulator.controls.images.remove('web:v2')).toThrow('There is no image "web:v2"');
  });

  it('of one name in two repositories ask for the whole name', async () => {
    const { emulator } = await prepared();
    emulator.controls.images.make({ repository: 'one/web', tag: 'v1' });
    emulator.controls.images.make({ repository: 'two/web', tag: 'v1', size: 0.001 });
    expect(() => emulator.controls.images.get('web:v1')).toThrow(/2 images.*one\/web:v1, two\/web:v1/s);
    expect(emulator.controls.images.get('two/web:v1').repository).toBe('two/web');
  });
});

describe('made-up images', () => {
  it('have what was asked for, and the same bytes each time', async () => {
    const request = {
      repository: 'web',
      tag: 'v1',
      platforms: ['linux/arm64/v8'],
      exposedPorts: [3000],
      entrypoint: ['/usr/bin/node', 'server.js'],
      command: ['--quiet'],
      user: 'node',
      labels: { team: 'red' },
      size: 2,
    };
    const [one, other] = [await startEmulator(), await startEmulator({ seed: 'other', clock: '2027-01-01T00:00:00Z' })];
    const made = one.controls.images.make(request);
    expect(made).toMatchObject({
      kind: 'image',
      tags: ['v1'],
      platforms: ['linux/arm64/v8'],
      complete: true,
      images: [
        {
          config: {
            exposedPorts: ['3000/tcp'],
            entrypoint: ['/usr/bin/node', 'server.js'],
            command: ['--quiet'],
            user: 'node',
            labels: { team: 'red' },
          },
        },
      ],
    });
    expect(made.size / 1e6).toBeCloseTo(2, 1);
    expect(other.controls.images.make(request).digest).toBe(made.digest);
  });

  it('has no tag in the name of its repository', async () => {
    const { images } = (await startWorld()).controls;
    for (const repository of ['web:v1', 'localhost:5000/one/web:v1'])
      expect(() => images.make({ repository })).toThrow(
        /repository must be without a tag, which is a field of its own/,
      );
    expect(images.list()).toEqual([]);
  });

  it('have layers whose archives are what the config says of them', async () => {
    const { emulator, registry } = await prepared();
    const made = emulator.controls.images.make({ repository: 'web', tag: 'v1', entrypoint: ['/bin/serve'], size: 0.4 });
    expect(made.kind).toBe('index');
    for (const { layers, digest } of made.images) {
      const manifest = (await (await registry.send('GET', `/manifests/${digest}`)).json()) as any;
      const config = (await (await registry.send('GET', `/blobs/${manifest.config.digest}`)).json()) as any;
      const archives = [];
      for (const layer of layers) {
        const bytes = Buffer.from(await (await registry.send('GET', `/blobs/${layer.digest}`)).arrayBuffer());
        expect([digestOf(bytes), bytes.length]).toEqual([layer.digest, layer.size]);
        archives.push(gunzipSync(bytes));
      }
      expect(archives.map(digestOf)).toEqual(config.rootfs.diff_ids);
      const listed = archives.map((archive) => execFileSync('tar', ['-t'], { input: archive }).toString().trim());
      expect(listed).toEqual([
        'etc/platform',
        'bin/serve',
        'var/lib/ballast-250000',
        'var/lib/ballast-125000',
        'var/lib/ballast-25000',
      ]);
    }
  });

  itNeeds(skopeo)('are pulled by skopeo, of each platform', async () => {
    const { emulator, registry } = await prepared();
    emulator.controls.images.make({ repository: 'web', tag: 'v1', labels: { team: 'red' } });
    const password = registry.password;
    for (const arch of ['amd64', 'arm64']) {
      const target = join(tempDir(), arch);
      const flags = ['--override-os=linux', `--override-arch=${arch}`, '--insecure-policy'];
      const source = ['--src-tls-verify=false', `--src-creds=AWS:${password}`, `docker://${registry.uri}:v1`];
      await run(skopeo, [...flags, 'copy', '-q', ...source, `oci:${target}:v1`], { timeout: 20_000 });
      const { stdout } = await run(skopeo, ['inspect', '--config', `oci:${target}:v1`]);
      const read = JSON.parse(stdout);
      expect(read).toMatchObject({ architecture: arch, config: { Labels: { team: 'red' } } });
    }
  });

  it('are deployed by the reference that making them returned', async () => {
    const { emulator } = await prepared({ registry: { require: 'always' } });
    const { uri } = emulator.controls.images.make({ repository: 'web', tag: 'v1' });
    await deploy(emulator, { ecr_image_uri: uri });
    expect(emulator.controls.images.list()).toMatchObject([{ uri, containers: ['web'] }]);
  });

  it.each([
    [{ repository: 'UPPER/case' }, 'repository must be a project'],
    [{ repository: 'web', tag: 'no tag' }, 'tag must be 1 to 128 letters'],
    [{ repository: 'web', platforms: ['arm64'] }, 'platforms[0] must be an operating system'],
    [{ repository: 'web', size: 1_000 }, 'size must be at most 10'],
    [{ repository: 'web', exposedPorts: [0] }, 'exposedPorts[0] must be at least 1'],
    [{ repository: 'web', layers: 3 }, 'layers is unknown;'],
  ])('are refused with the field that is wrong: %j', async (request, message) => {
    const { emulator } = await prepared();
    expect(() => emulator.controls.images.make(request)).toThrow(message);
    expect(emulator.controls.images.list()).toEqual([]);
  });
});

it('an image with a blank name is refused', async () => {
  const { controls } = await startEmulator();
  for (const repository of [' ', '\t', '\u200b'])
    expect(() => controls.images.make({ repository })).toThrow(/repository must not be (blank|empty)/);
});
