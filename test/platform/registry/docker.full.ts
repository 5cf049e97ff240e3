// A real docker against the registry, both ways, and as what runs a pushed image.
// The tests need a daemon that answers and a static busybox; where there is none, they are skipped and say why.

import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { createEmulator } from '../../../src/index.js';
import { tempDir } from '../../support/command.js';
import { call, deploy, getContainer } from '../../support/emulator.js';
import { linesOf } from '../../support/engine.js';
import { content, digestOf, image, logIn } from '../../support/oci.js';
import { works } from '../../support/tools.js';

const run = promisify(execFile);

// Not even the full run can count on one: it takes rights that machines for tests seldom give.
const why = !works(['docker', 'version', '--format', '{{.Server.Os}}'])
  ? 'no docker daemon answers'
  : !works(['sh', '-c', 'ldd /bin/busybox 2>&1 | grep -q "not a dynamic"'])
    ? 'there is no static /bin/busybox'
    : undefined;
const itReal = it.skipIf(why !== undefined);
const reason = why === undefined ? '' : ` (skipped: ${why})`;

const home = tempDir();
const docker = async (...args: string[]): Promise<string> =>
  (await run('docker', ['--config', join(home, '.docker'), ...args])).stdout.trim();
const made = new Set<string>();
afterAll(async () => {
  for (const name of made) await docker('rmi', '--force', name).catch(() => {});
});

/** An image of a static busybox that serves a page. */
function busyboxImage(architecture: string) {
  const root = join(tempDir(), 'root');
  mkdirSync(join(root, 'bin'), { recursive: true });
  mkdirSync(join(root, 'www'));
  copyFileSync('/bin/busybox', join(root, 'bin/busybox'));
  chmodSync(join(root, 'bin/busybox'), 0o755);
  writeFileSync(join(root, 'www/index.html'), 'a real page');
  const tar = execFileSync('tar', ['-C', root, '-cf', '-', '.'], { maxBuffer: 64 * 1_024 * 1_024 });
  const zipped = execFileSync('gzip', ['-n'], { input: tar, maxBuffer: 64 * 1_024 * 1_024 });
  const layer = content(zipped, 'application/vnd.oci.image.layer.v1.tar+gzip');
  const shell = 'echo "greeting is $GREETING"; exec /bin/busybox httpd -f -v -p 8080 -h /www';
  const about = {
    architecture,
    os: 'linux',
    config: { Entrypoint: ['/bin/busybox', 'sh', '-c', shell], ExposedPorts: { '8080/tcp': {} } },
    rootfs: { type: 'layers', diff_ids: [digestOf(tar)] },
  };
  const config = content(JSON.stringify(about), 'application/vnd.oci.image.config.v1+json');
  const named = ({ mediaType, digest, bytes }: typeof layer) => ({ mediaType, digest, size: bytes.length });
  const base = image();
  const manifest = { ...JSON.parse(base.bytes.toString()), config: named(config), layers: [named(layer)] };
  return { ...content(JSON.stringify(manifest), base.mediaType), blobs: [config, layer] };
}

itReal(`docker logs in, pulls, pushes, and runs what was pushed${reason}`, { timeout: 180_000 }, async () => {
  const emulator = await createEmulator({ containers: { run: 'image', timing: 'instant' } });
  try {
    const architecture = await docker('version', '--format', '{{.Server.Arch}}');
    const repository = await logIn(emulator);
    await repository.push('v1', busyboxImage(architecture));
    const reference = `${new URL(emulator.url).host}${repository.path.slice('/v2'.length)}`;
    const login = run('docker', [
      '--config',
      join(home, '.docker'),
      'login',
      '--username',
      repository.username,
      '--password-stdin',
      emulator.url,
    ]);
    login.child.stdin?.end(repository.password);
    expect((await login).stdout).toContain('Login Succeeded');

    made.add(`${reference}:v1`).add(`${reference}:v2`);
    await docker('pull', `${reference}:v1`);
    await docker('tag', `${reference}:v1`, `${reference}:v2`);
    expect(await docker('push', `${reference}:v2`)).toMatch(/v2: digest: sha256:\w{64}/);
    expect((await repository.send('GET', '/tags/list')).body.tags).toEqual(['v1', 'v2']);

    const { id } = await deploy(emulator, {
      ecr_image_uri: `${reference}:v2`,
      architecture: architecture === 'arm64' ? 'arm64' : 'x86_64',
      port: 8_080,
      memory: 256,
      cpu: 256,
      health_check_path: '/index.html',
      environment_vars: { GREETING: 'two\nlines' },
    });
    const { url } = await getContainer(emulator, id);
    expect(await (await fetch(`${url}/index.html`)).text()).toBe('a real page');
    expect((await call(emulator, 'GET', `/api/v1/containers/${id}/health`)).body.status).toBe('healthy');
    await expect.poll(() => linesOf(emulator, { id })).toEqual(expect.arrayContaining(['greeting is two', 'lines']));

    const [name = ''] = (await docker('ps', '--filter', 'label=cloudemu', '--format', '{{.Names}}'))
      .split('\n')
      .filter((each) => each.includes(`-${process.pid}-`));
    const [about] = JSON.parse(await docker('inspect', name));
    expect(about.HostConfig).toMatchObject({ Memory: 256 * 1_024 * 1_024, Privileged: false, AutoRemove: true });
    expect(Object.values(about.NetworkSettings.Ports).flat()).toMatchObject([{ HostIp: '127.0.0.1' }]);

    await docker('kill', name);
    await expect.poll(() => getContainer(emulator, id)).toMatchObject({ status: 'failed', exit_code: 137 });
    emulator.controls.containers.recover('web');
    expect(await (await fetch(`${url}/index.html`)).text()).toBe('a real page');
  } finally {
    await emulator.close();
  }
  const left = async (...args: string[]) =>
    (await docker(...args)).split('\n').filter((line) => line.includes(`-${process.pid}-`));
  expect(await left('ps', '--all', '--format', '{{.Names}}')).toEqual([]);
  expect(await left('images', '--format', '{{.Repository}}')).toEqual([]);
});
