// Uploads that break, meet each other, or are not what they say; and what is left of them.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { tempDir } from '../../support/command.js';
import { startEmulator } from '../../support/emulator.js';
import { eventually } from '../../support/eventually.js';
import { digestOf, image, layer, logIn, type Repository } from '../../support/oci.js';

const blob = layer('0123456789');
const finishing = `?digest=${blob.digest}`;

interface Opened {
  emulator: Emulator;
  repository: Repository;
  /** The names of what lies in `uploads` or `sha256`. */
  files: (of: string) => string[];
  root: string;
}

async function open(data?: { history: 'off' }): Promise<Opened> {
  const dataDir = tempDir();
  const emulator = await startEmulator({ dataDir, ...(data !== undefined && { data }) });
  const root = join(dataDir, 'registry');
  const files = (of: string): string[] => (existsSync(join(root, of)) ? readdirSync(join(root, of)) : []);
  return { emulator, repository: await logIn(emulator), files, root };
}

/** Sends a part of a body and breaks the connection once the emulator has it. */
async function breakOff(repository: Repository, url: string, location: string, part: string, total: number) {
  const { port } = new URL(url);
  const headers = { Authorization: repository.authorization, 'Content-Length': total };
  const asked = request({ port, host: '127.0.0.1', method: 'PATCH', path: location, headers });
  asked.on('error', () => {});
  asked.write(part);
  const arrived = async (): Promise<string | undefined> => (await repository.send('GET', location)).headers.range;
  await expect.poll(arrived).toBe(`0-${part.length - 1}`);
  asked.destroy();
  // Until the emulator has noticed, the upload is busy.
  const next = async (): Promise<number> => (await repository.send('PATCH', location, { body: '' })).status;
  await expect.poll(next).toBe(202);
}

describe('an upload', () => {
  it('goes on after a broken connection', async () => {
    const { emulator, repository } = await open();
    const location = await repository.begin();
    await breakOff(repository, emulator.url, location, '01234', 10);
    expect((await repository.send('HEAD', `/blobs/${blob.digest}`)).status).toBe(404);
    const rest = { headers: { 'Content-Range': '5-9' }, body: '56789' };
    expect((await repository.send('PATCH', location, rest)).status).toBe(202);
    expect((await repository.send('PUT', location + finishing)).status).toBe(201);
    expect((await repository.send('GET', `/blobs/${blob.digest}`)).bytes).toEqual(blob.bytes);
  });

  it('that broke off is in the journal as that, and no error of the emulator', async () => {
    const { emulator, repository } = await open();
    await breakOff(repository, emulator.url, await repository.begin(), '01234', 10);
    const { requests } = emulator.controls.requests.list({ operation: 'registry.uploadChunk' });
    const broken = requests.find(({ outcome }) => outcome === 'aborted');
    expect(broken).toMatchObject({ status: 0, errorCode: 'SIZE_INVALID' });
  });

  it('with another digest leaves nothing', async () => {
    const { repository, files } = await open();
    const location = await repository.begin();
    await repository.send('PATCH', location, { body: '01234' });
    expect((await repository.send('PUT', location + finishing)).status).toBe(400);
    expect((await repository.send('GET', location)).status).toBe(404);
    const whole = await repository.send('POST', `/blobs/uploads/?digest=${blob.digest}`, { body: 'x' });
    expect(whole.status).toBe(400);
    expect([files('uploads'), files('sha256')]).toEqual([[], []]);
  });

  it.each([
    ['longer', '0-4', '0123456789'],
    ['shorter', '0-9', '01234'],
  ])('keeps nothing of a chunk that is %s than it says', async (_how, range, body) => {
    const { repository } = await open();
    const location = await repository.begin();
    const headers = { 'Content-Range': range };
    for (const sent of [body, Readable.from([body])]) {
      const answer = await repository.send('PATCH', location, { headers, body: sent });
      expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'SIZE_INVALID']);
      expect(answer.headers.range).toBe('0-0');
    }
    expect((await repository.send('PUT', location + finishing, { body: blob.bytes })).status).toBe(201);
  });

  it.each(['x', '5', '4-2', '-5', `0-${'9'.repeat(400)}`, 'bytes 0-', '0-4,5-9'])(
    'refuses the range %s',
    async (range) => {
      const { repository } = await open();
      const answer = await repository.send('PATCH', await repository.begin(), {
        headers: { 'Content-Range': range },
        body: '01234',
      });
      expect([answer.status, answer.body.errors[0].code]).toEqual([416, 'RANGE_INVALID']);
    },
  );

  it('takes chunks of no bytes', async () => {
    const { repository } = await open();
    const location = await repository.begin();
    for (const body of ['', Readable.from([]), '0123', '', '456789'])
      expect((await repository.send('PATCH', location, { body })).status).toBe(202);
    expect((await repository.send('PUT', location + finishing)).status).toBe(201);
  });

  it('may be of no bytes', async () => {
    const { repository } = await open();
    const location = await repository.begin();
    expect((await repository.send('PUT', `${location}?digest=${digestOf('')}`)).status).toBe(201);
  });

  it('is written by one request at a time: another one is refused with the reason', async () => {
    const { repository } = await open();
    const location = await repository.begin();
    const slow = new PassThrough();
    slow.write('01234');
    const first = repository.send('PATCH', location, { body: slow });
    await expect.poll(async () => (await repository.send('GET', location)).headers.range).toBe('0-4');
    for (const [method, query] of [
      ['PATCH', ''],
      ['PUT', finishing],
    ] as const) {
      const answer = await repository.send(method, location + query, { body: 'other' });
      expect([answer.status, answer.body.errors[0].code]).toEqual([416, 'RANGE_INVALID']);
    }
    slow.end('56789');
    expect((await first).headers.range).toBe('0-9');
    expect((await repository.send('PUT', location + finishing)).status).toBe(201);
  });

  it('that is given up while it is written is gone', async () => {
    const { repository, files } = await open();
    const location = await repository.begin();
    const slow = new PassThrough();
    slow.write('01234');
    const sending = repository.send('PATCH', location, { body: slow });
    await expect.poll(async () => (await repository.send('GET', location)).headers.range).toBe('0-4');
    expect((await repository.send('DELETE', location)).status).toBe(204);
    slow.end('56789');
    await sending;
    expect((await repository.send('PUT', location + finishing)).status).toBe(404);
    expect([files('uploads'), files('sha256')]).toEqual([[], []]);
  });

  it('belongs to its repository', async () => {
    const { emulator, repository } = await open();
    const id = (await repository.begin()).split('/').at(-1);
    const other = await logIn(emulator, 'other');
    expect((await other.send('GET', `/blobs/uploads/${id}`)).status).toBe(404);
    expect((await other.send('DELETE', `/blobs/uploads/${id}`)).status).toBe(404);
    expect((await repository.send('GET', `/blobs/uploads/${id}`)).status).toBe(204);
  });

  it('belongs to its world, also where worlds of one seed count alike', async () => {
    const { emulator } = await open();
    const begun = [];
    for (const id of ['one', 'two']) {
      const there = await logIn(await emulator.createWorld({ id, seed: 'same' }));
      begun.push({ there, location: await there.begin() });
    }
    for (const [n, { there, location }] of begun.entries()) {
      const content = layer(`of world ${n}`);
      const answer = await there.send('PUT', `${location}?digest=${content.digest}`, { body: content.bytes });
      expect(answer.status).toBe(201);
      expect((await there.send('GET', `/blobs/${content.digest}`)).bytes).toEqual(content.bytes);
    }
  });

  it('ends with a reset, a restore, and its world', async () => {
    const { emulator, repository, files } = await open();
    emulator.controls.snapshots.take({ name: 'before' });
    const world = await emulator.createWorld({ id: 'beside' });
    for (const end of [
      () => emulator.controls.reset(),
      () => emulator.controls.snapshots.restore('before'),
      () => world.close(),
    ]) {
      const one = end.toString().includes('world.close') ? await logIn(world) : await logIn(emulator);
      await one.send('PATCH', await one.begin(), { body: '01234' });
      expect(files('uploads')).toHaveLength(1);
      await end();
      await eventually(() => files('uploads').length === 0);
    }
    expect((await repository.send('GET', '/v2/')).status).toBe(200);
  });
});

describe('at the same time', () => {
  it('two uploads of one blob both end well', async () => {
    const { repository, files } = await open();
    const big = layer('the same', 3_000_000);
    await Promise.all([repository.pushBlob(big), repository.pushBlob(big)]);
    expect(digestOf((await repository.send('GET', `/blobs/${big.digest}`)).bytes)).toBe(big.digest);
    expect(files('sha256')).toEqual([big.digest.slice('sha256:'.length)]);
  });

  it('two pushes of one tag both end well, and the tag is one of theirs', async () => {
    const { repository } = await open();
    const both = [image({ architecture: 'amd64' }), image({ architecture: 'arm64' })] as const;
    await Promise.all(both.map((one) => repository.push('v1', one)));
    const { bytes } = await repository.send('GET', '/manifests/v1');
    expect(both.map((one) => one.bytes.toString())).toContain(bytes.toString());
    for (const one of both) expect((await repository.send('GET', `/manifests/${one.digest}`)).bytes).toEqual(one.bytes);
  });

  it('a blob that is pushed while it is deleted is there or not, but never half', async () => {
    const { repository } = await open();
    for (let n = 0; n < 20; n++) {
      await Promise.all([repository.pushBlob(blob), repository.send('DELETE', `/blobs/${blob.digest}`)]);
      const answer = await repository.send('GET', `/blobs/${blob.digest}`);
      if (answer.status === 200) expect(answer.bytes).toEqual(blob.bytes);
      else expect(answer.status).toBe(404);
    }
  });
});

describe('blobs', () => {
  const nameOf = ({ digest }: { digest: string }): string => digest.slice('sha256:'.length);

  it('go when no world and no snapshot refers to them', async () => {
    // A history keeps them, too.
    const { emulator, repository, files } = await open({ history: 'off' });
    const pushed = image({ layers: [blob] });
    await repository.push('v1', pushed);
    emulator.controls.snapshots.take({ name: 'pushed' });
    const world = await emulator.createWorld({ id: 'beside' });
    await (await logIn(world)).push('v1', pushed);

    await repository.send('DELETE', `/manifests/${pushed.digest}`);
    world.close();
    const stray = layer('another');
    await repository.pushBlob(stray);
    await repository.send('DELETE', `/blobs/${stray.digest}`);
    await eventually(() => !files('sha256').includes(nameOf(stray)));
    expect(files('sha256')).toContain(nameOf(blob));
    await emulator.controls.snapshots.restore('pushed');
    expect((await repository.send('GET', `/blobs/${blob.digest}`)).bytes).toEqual(blob.bytes);

    emulator.controls.snapshots.remove('pushed');
    await repository.send('DELETE', `/manifests/${pushed.digest}`);
    await eventually(() => files('sha256').length === 0);
  });

  it('of which nothing knows are swept away, and what a killed process left', async () => {
    const dataDir = tempDir();
    const registry = join(dataDir, 'registry');
    for (const dir of ['uploads', 'sha256']) mkdirSync(join(registry, dir), { recursive: true });
    writeFileSync(join(registry, 'uploads', 'half'), 'half');
    const stray = digestOf('stray').slice('sha256:'.length);
    writeFileSync(join(registry, 'sha256', stray), 'stray');
    await startEmulator({ dataDir });
    expect(existsSync(join(registry, 'uploads', 'half'))).toBe(false);
    await eventually(() => readdirSync(join(registry, 'sha256')).length === 0);
  });

  it('that somebody removed from the disk are 404, and can be pushed again', async () => {
    const { repository, root } = await open();
    await repository.push('v1', image({ layers: [blob] }));
    rmSync(root, { recursive: true });
    expect((await repository.send('GET', `/blobs/${blob.digest}`)).status).toBe(404);
    await repository.pushBlob(blob);
    expect((await repository.send('GET', `/blobs/${blob.digest}`)).bytes).toEqual(blob.bytes);
  });
});

it('a disk that takes nothing makes a push 503 with the reason, and the next push goes on', async () => {
  const dataDir = tempDir();
  const repository = await logIn(await startEmulator({ dataDir }));
  // A file where the directory should be: as root, rights would stop nobody.
  writeFileSync(join(dataDir, 'registry'), '');
  for (const path of ['/blobs/uploads/', `/blobs/uploads/${finishing}`]) {
    const answer = await repository.send('POST', path, { body: blob.bytes });
    expect([answer.status, answer.body.errors[0].code]).toEqual([503, 'UNAVAILABLE']);
    expect(answer.body.errors[0].message).toContain('Nothing was stored');
  }
  rmSync(join(dataDir, 'registry'));
  await repository.pushBlob(blob);
});
