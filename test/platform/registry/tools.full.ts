// Debian's own clients against the registry: skopeo pushes, pulls, lists and deletes; docker logs in.

import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { tempDir } from '../../support/command.js';
import { startEmulator } from '../../support/emulator.js';
import {
  type Content,
  content,
  digestOf,
  type Image,
  image,
  index,
  logIn,
  type Repository,
} from '../../support/oci.js';
import { itWhere, works } from '../../support/tools.js';

const hasSkopeo = works(['skopeo', '--version']);
const hasDocker = works(['docker', '--version']);
const run = promisify(execFile);

interface Session {
  emulator: Emulator;
  repository: Repository;
  /** `127.0.0.1:4747/<repository>`, as references begin. */
  reference: string;
  /** A command with a home of its own; returns its output, throws with what it said. */
  tool: (...command: string[]) => Promise<string>;
  home: string;
}

async function open(challenge: 'basic' | 'bearer' = 'basic'): Promise<Session> {
  const emulator = await startEmulator({ host: '127.0.0.1', registry: { challenge } });
  const repository = await logIn(emulator);
  const home = tempDir();
  const env = { PATH: process.env.PATH ?? '', HOME: home, DOCKER_CONFIG: join(home, '.docker'), XDG_RUNTIME_DIR: home };
  const tool = async ([name = '', ...args]: string[]): Promise<string> =>
    (await run(name, args, { env, cwd: home, maxBuffer: 64 * 1_024 * 1_024 })).stdout;
  const reference = `${new URL(emulator.url).host}${repository.path.slice('/v2'.length)}`;
  return { emulator, repository, reference, tool: (...command) => tool(command), home };
}

/** A layer that tools can unpack: a tar file compressed with gzip. */
function tarLayer(text: string): { layer: Content; diffId: string } {
  const dir = tempDir();
  writeFileSync(join(dir, 'hello.txt'), text);
  const tar = execFileSync('tar', ['--mtime=@0', '--owner=0', '--group=0', '-C', dir, '-cf', '-', 'hello.txt']);
  const zipped = execFileSync('gzip', ['-n'], { input: tar });
  return { layer: content(zipped, 'application/vnd.oci.image.layer.v1.tar+gzip'), diffId: digestOf(tar) };
}

function realImage(architecture: string, text = architecture): Image {
  const { layer, diffId } = tarLayer(text);
  const made = image({ architecture, layers: [layer] });
  const config = {
    architecture,
    os: 'linux',
    config: { Cmd: ['/hello'] },
    rootfs: { type: 'layers', diff_ids: [diffId] },
  };
  const blob = content(JSON.stringify(config), made.blobs[0]?.mediaType ?? '');
  const body = JSON.parse(made.bytes.toString());
  body.config = { mediaType: blob.mediaType, digest: blob.digest, size: blob.bytes.length };
  return { ...content(JSON.stringify(body), made.mediaType), blobs: [blob, layer] };
}

/** Docker pushes it so: the clients of its older versions read no other. */
function asDocker({ bytes, blobs }: Image): Image {
  const type = 'application/vnd.docker';
  const body = JSON.parse(bytes.toString());
  body.mediaType = `${type}.distribution.manifest.v2+json`;
  body.config.mediaType = `${type}.container.image.v1+json`;
  for (const one of body.layers) one.mediaType = `${type}.image.rootfs.diff.tar.gzip`;
  return { ...content(JSON.stringify(body), body.mediaType), blobs };
}

/** Writes an OCI layout with one thing of a name. */
function writeLayout(dir: string, name: string, top: Content, others: readonly Content[]): void {
  mkdirSync(join(dir, 'blobs/sha256'), { recursive: true });
  for (const { digest, bytes } of [top, ...others]) writeFileSync(join(dir, 'blobs', digest.replace(':', '/')), bytes);
  writeFileSync(join(dir, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  const annotations = { 'org.opencontainers.image.ref.name': name };
  const entry = { mediaType: top.mediaType, digest: top.digest, size: top.bytes.length, annotations };
  writeFileSync(join(dir, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [entry] }));
}

function filesOf(dir: string): Record<string, string> {
  const blobs = join(dir, 'blobs/sha256');
  return Object.fromEntries(readdirSync(blobs).map((name) => [name, digestOf(readFileSync(join(blobs, name)))]));
}

const failing = (emulator: Emulator) =>
  emulator.controls.verdicts().verdicts.filter(({ verdict }) => verdict === 'fail' || verdict === 'unclear');

describe.each(['basic', 'bearer'] as const)('with %s', (challenge) => {
  itWhere(hasSkopeo)('skopeo pushes an image and pulls it back byte for byte (needs skopeo)', async () => {
    const { emulator, repository, reference, tool, home } = await open(challenge);
    const pushed = realImage('amd64');
    writeLayout(join(home, 'pushed'), 'v1', pushed, pushed.blobs);
    const credentials = `${repository.username}:${repository.password}`;
    const to = ['--dest-tls-verify=false', `--dest-creds=${credentials}`];
    const from = ['--src-tls-verify=false', `--src-creds=${credentials}`];
    await tool('skopeo', 'copy', ...to, 'oci:pushed:v1', `docker://${reference}:v1`);
    await tool('skopeo', 'copy', ...from, `docker://${reference}:v1`, 'oci:pulled:v1');
    expect(filesOf(join(home, 'pulled'))).toEqual(filesOf(join(home, 'pushed')));

    // A second push finds everything there.
    await tool('skopeo', 'copy', ...to, 'oci:pushed:v1', `docker://${reference}:v2`);
    const listed = await tool(
      'skopeo',
      'list-tags',
      '--tls-verify=false',
      `--creds=${credentials}`,
      `docker://${reference}`,
    );
    expect(JSON.parse(listed).Tags).toEqual(['v1', 'v2']);
    const about = await tool(
      'skopeo',
      'inspect',
      '--tls-verify=false',
      `--creds=${credentials}`,
      `docker://${reference}:v1`,
    );
    expect(JSON.parse(about)).toMatchObject({ Digest: pushed.digest, Architecture: 'amd64', RepoTags: ['v1', 'v2'] });

    await tool('skopeo', 'delete', '--tls-verify=false', `--creds=${credentials}`, `docker://${reference}:v1`);
    expect((await repository.send('GET', `/manifests/${pushed.digest}`)).status).toBe(404);
    const { requests } = emulator.controls.requests.list({ operation: 'registry.*' });
    expect(requests.filter(({ status }) => status >= 500)).toEqual([]);
    expect(failing(emulator)).toEqual([]);
  });

  itWhere(hasSkopeo)('skopeo pushes all platforms of an index, and pulls one (needs skopeo)', async () => {
    const { repository, reference, tool, home } = await open(challenge);
    const images = { 'linux/amd64': realImage('amd64'), 'linux/arm64': realImage('arm64') };
    const both = index(images);
    const others = Object.values(images).flatMap((one) => [one, ...one.blobs]);
    writeLayout(join(home, 'pushed'), 'v1', both, others);
    const credentials = `${repository.username}:${repository.password}`;
    const to = ['--dest-tls-verify=false', `--dest-creds=${credentials}`];
    const from = ['--src-tls-verify=false', `--src-creds=${credentials}`];
    await tool('skopeo', 'copy', '--all', ...to, 'oci:pushed:v1', `docker://${reference}:v1`);
    await tool('skopeo', 'copy', '--all', ...from, `docker://${reference}:v1`, 'oci:pulled:v1');
    expect(filesOf(join(home, 'pulled'))).toEqual(filesOf(join(home, 'pushed')));
    await tool('skopeo', '--override-arch=arm64', 'copy', ...from, `docker://${reference}:v1`, 'oci:arm:v1');
    expect(Object.keys(filesOf(join(home, 'arm')))).toContain(images['linux/arm64'].digest.slice('sha256:'.length));
  });

  itWhere(hasSkopeo)('skopeo logs in, and pushes a docker archive with what it has kept (needs skopeo)', async () => {
    const { emulator, repository, reference, tool, home } = await open(challenge);
    const { host } = new URL(emulator.url);
    const pushed = realImage('amd64', 'archived');
    writeLayout(join(home, 'layout'), 'v1', pushed, pushed.blobs);
    await tool('skopeo', 'copy', 'oci:layout:v1', 'docker-archive:image.tar:web:v1');
    await tool('skopeo', 'login', '--tls-verify=false', '-u', repository.username, '-p', repository.password, host);
    await tool('skopeo', 'copy', '--dest-tls-verify=false', 'docker-archive:image.tar', `docker://${reference}:v1`);
    const { body } = await repository.send('GET', '/manifests/v1');
    expect(body.layers).toHaveLength(1);
    await tool(
      'skopeo',
      'copy',
      '--src-tls-verify=false',
      `docker://${reference}:v1`,
      'docker-archive:back.tar:web:v1',
    );
    const unpacked = join(home, 'unpacked');
    mkdirSync(unpacked);
    execFileSync('tar', ['-xf', join(home, 'back.tar'), '-C', unpacked]);
    const [layer = ''] = readdirSync(unpacked).filter((name) => name.endsWith('.tar'));
    expect(execFileSync('tar', ['-xOf', join(unpacked, layer), 'hello.txt']).toString()).toBe('archived');
  });

  itWhere(hasSkopeo)('skopeo is told what is wrong with its password (needs skopeo)', async () => {
    const { emulator, tool } = await open(challenge);
    const { host } = new URL(emulator.url);
    await expect(tool('skopeo', 'login', '--tls-verify=false', '-u', 'AWS', '-p', 'wrong', host)).rejects.toThrow(
      /401|unauthorized|invalid username/i,
    );
  });

  itWhere(hasDocker)('docker logs in and out, and reads a manifest, without a daemon (needs docker)', async () => {
    const { emulator, repository, reference, tool, home } = await open(challenge);
    const { host } = new URL(emulator.url);
    await repository.push('v1', asDocker(realImage('amd64')));
    const { username, password } = repository;
    // No daemon of this machine's is asked.
    const docker = (...args: string[]): Promise<string> =>
      tool('docker', '--host', `unix://${home}/none.sock`, ...args);
    await docker('login', '-u', username, '-p', password, host);
    const kept = JSON.parse(readFileSync(join(home, '.docker/config.json'), 'utf8'));
    expect(Buffer.from(kept.auths[host].auth, 'base64').toString()).toBe(`${username}:${password}`);
    const shown = JSON.parse(await docker('manifest', 'inspect', '--insecure', `${reference}:v1`));
    expect(shown.layers).toHaveLength(1);
    await docker('logout', host);
    await expect(docker('login', '-u', username, '-p', 'wrong', host)).rejects.toThrow(/401|unauthorized/i);
    expect(failing(emulator)).toEqual([]);
  });
});
