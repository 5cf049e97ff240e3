// Fault rules on pushes and pulls, and what the journal and the verdicts make of them.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { startEmulator } from '../../support/emulator.js';
import { digestOf, image, layer, logIn, type Repository } from '../../support/oci.js';

const layers = ['one', 'two', 'three', 'four'].map((text) => layer(text));
const pushed = image({ layers });

let emulator: Emulator;
let repository: Repository;
beforeEach(async () => {
  emulator = await startEmulator();
  repository = await logIn(emulator);
});

/** Pushes as docker does: looks for each blob, begins, sends and ends it; returns the statuses of the ends. */
async function pushLikeDocker(): Promise<(number | string)[]> {
  const seen: (number | string)[] = [];
  for (const blob of [...layers, pushed.blobs[0] ?? layer()]) {
    if ((await repository.send('HEAD', `/blobs/${blob.digest}`)).status === 200) {
      seen.push('there');
      continue;
    }
    const begun = await repository.send('POST', '/blobs/uploads/').catch((error: NodeJS.ErrnoException) => error.code);
    if (typeof begun !== 'object') return [...seen, begun ?? ''];
    const { location = '' } = begun.headers;
    if (begun.status !== 202) return [...seen, begun.status];
    const sent = await repository
      .send('PATCH', location, { body: blob.bytes })
      .catch((error: NodeJS.ErrnoException) => error.code);
    if (typeof sent !== 'object') return [...seen, sent ?? ''];
    if (sent.status !== 202) return [...seen, sent.status];
    seen.push((await repository.send('PUT', `${location}?digest=${blob.digest}`)).status);
  }
  seen.push((await repository.putManifest('v1', pushed)).status);
  return seen;
}

describe('a push', () => {
  it.each([
    ['reset', 'before', 'ECONNRESET'],
    ['reset', 'after', 'ECONNRESET'],
    ['close', 'before', 'ECONNRESET'],
  ] as const)('dies at layer 3 (%s, %s), and goes on with what is there', async (network, phase, end) => {
    emulator.controls.faults.add({
      match: { operation: 'registry.uploadChunk' },
      when: { nth: 3 },
      phase,
      effect: { network },
    });
    expect(await pushLikeDocker()).toEqual([201, 201, end]);
    expect((await repository.send('HEAD', '/manifests/v1')).status).toBe(404);
    expect(await pushLikeDocker()).toEqual(['there', 'there', 201, 201, 201, 201]);
    expect((await repository.send('GET', '/manifests/v1')).bytes).toEqual(pushed.bytes);
  });

  it.each([
    [429, 'TOOMANYREQUESTS'],
    [503, 'UNAVAILABLE'],
  ])('is refused with %s, Retry-After and the registry’s code', async (status, code) => {
    emulator.controls.faults.add({
      match: { operation: 'registry.startUpload' },
      when: { after: 1, times: 1 },
      effect: { status, retryAfter: 7 },
    });
    expect((await repository.send('POST', '/blobs/uploads/')).status).toBe(202);
    const answer = await repository.send('POST', '/blobs/uploads/');
    expect([answer.status, answer.headers['retry-after'], answer.body.errors[0].code]).toEqual([status, '7', code]);
    expect((await repository.send('POST', '/blobs/uploads/')).status).toBe(202);
  });

  it('is refused whole, though it has sent its body', async () => {
    emulator.controls.faults.add({ match: { operation: 'registry.uploadChunk' }, effect: { status: 429 } });
    const location = await repository.begin();
    const answer = await repository.send('PATCH', location, { body: Buffer.alloc(2_000_000) });
    expect(answer.status).toBe(429);
    expect((await repository.send('GET', location)).headers.range).toBe('0-0');
  });

  it('has an expired token in the middle, with a challenge', async () => {
    emulator.controls.faults.add({
      match: { operation: 'registry.uploadChunk' },
      when: { nth: 2 },
      effect: { error: 'UNAUTHORIZED' },
    });
    expect(await pushLikeDocker()).toEqual([201, 401]);
    expect(await pushLikeDocker()).toEqual(['there', 201, 201, 201, 201, 201]);
    const [refused] = emulator.controls.requests.list({ status: '401' }).requests;
    expect(refused?.operation).toBe('registry.uploadChunk');
  });

  it('loses the response to its manifest, which is there all the same', async () => {
    emulator.controls.faults.add({
      match: { operation: 'registry.putManifest' },
      phase: 'after',
      effect: { network: 'reset' },
      when: { times: 1 },
    });
    await expect(pushLikeDocker()).rejects.toThrow();
    expect((await repository.send('GET', '/manifests/v1')).bytes).toEqual(pushed.bytes);
  });
});

describe('a pull', () => {
  const big = layer('0123456789', 20_000_000);
  beforeEach(() => repository.pushBlob(big));

  it('is slow, and whole, whatever its size', async () => {
    emulator.controls.faults.add({
      match: { operation: 'registry.getBlob' },
      effect: { network: 'drip', delay: '400ms' },
    });
    const startedAt = performance.now();
    const { status, bytes } = await repository.send('GET', `/blobs/${big.digest}`);
    expect([status, digestOf(bytes)]).toEqual([200, big.digest]);
    expect(performance.now() - startedAt).toBeGreaterThan(300);
  });

  it('breaks off in the middle', async () => {
    emulator.controls.faults.add({
      match: { operation: 'registry.getBlob' },
      when: { times: 1 },
      effect: { network: 'truncate' },
    });
    await expect(repository.send('GET', `/blobs/${big.digest}`)).rejects.toThrow();
    expect((await repository.send('GET', `/blobs/${big.digest}`)).status).toBe(200);
  });

  it('gets what is not the blob: a client must look at the digest', async () => {
    emulator.controls.faults.add({
      match: { operation: 'registry.getBlob' },
      effect: { network: 'malformed' },
    });
    const { status, bytes } = await repository.send('GET', `/blobs/${big.digest}`);
    expect(status).toBe(200);
    expect(digestOf(bytes)).not.toBe(big.digest);
  });
});

describe('the journal', () => {
  it('has no operation for a path that is none, and no password', async () => {
    await repository.send('POST', '/v2/nothing');
    const { requests } = emulator.controls.requests.list({});
    expect(requests.find(({ path }) => path === '/v2/nothing')).toMatchObject({ operation: null, status: 404 });
    const all = JSON.stringify(requests);
    expect(all).not.toContain(repository.password);
    expect(all).not.toContain(repository.authorization.slice('Basic '.length));
  });
});

describe('verdicts', () => {
  const failing = () =>
    emulator.controls
      .verdicts()
      .verdicts.filter(({ verdict }) => verdict === 'fail' || verdict === 'unclear')
      .map(({ rule, evidence }) => ({ rule, evidence }));

  it.each(['bearer', 'basic'] as const)('find nothing wrong with an ordinary push and pull (%s)', async (challenge) => {
    emulator = await startEmulator({ registry: { challenge } });
    repository = await logIn(emulator);
    await repository.send('GET', '/v2/', { authorization: null });
    await repository.send('GET', '/v2/token?account=AWS&client_id=docker&offline_token=true&service=x');
    await pushLikeDocker();
    await repository.send('GET', '/v2/', { authorization: null });
    await pushLikeDocker();
    await repository.send('GET', '/manifests/v1');
    for (const { digest } of [...layers, ...layers]) await repository.send('GET', `/blobs/${digest}`);
    expect(failing()).toEqual([]);
  });

  it('find a client that does not wait as long as it was told', async () => {
    emulator.controls.faults.add({
      match: { operation: 'registry.startUpload' },
      when: { times: 1 },
      effect: { status: 429, retryAfter: 30 },
    });
    await repository.send('POST', '/blobs/uploads/');
    await repository.send('POST', '/blobs/uploads/');
    expect(failing().map(({ rule }) => rule)).toContain('retry-after-obeyed');
  });
});
