// The conformance category "pull" of the OCI distribution specification 1.1, requirement by requirement.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../../src/index.js';
import { digestOf, image, index, layer, logIn, mediaTypes, type Repository } from '../../support/oci.js';

const blob = layer('0123456789');
const pushed = image({ layers: [blob] });
const both = index({ 'linux/amd64': pushed });
const blobTag = `"${blob.digest}"`;
const absent = digestOf('what nobody has pushed');

let emulator: Emulator;
let repository: Repository;
beforeAll(async () => {
  emulator = await createEmulator({ frozen: true, strict: { responses: true } });
  repository = await logIn(emulator);
  await repository.push('v1', pushed);
  await repository.putManifest('all', both);
});
afterAll(() => emulator.close());

describe('end-2: blobs', () => {
  it('GET answers 200 with the content', async () => {
    const answer = await repository.send('GET', `/blobs/${blob.digest}`);
    expect(answer.status).toBe(200);
    expect(answer.bytes).toEqual(blob.bytes);
    expect(answer.headers).toMatchObject({
      'content-length': '10',
      'content-type': 'application/octet-stream',
      'docker-content-digest': blob.digest,
      'accept-ranges': 'bytes',
    });
  });

  it('HEAD answers the same without a body', async () => {
    const answer = await repository.send('HEAD', `/blobs/${blob.digest}`);
    expect(answer.status).toBe(200);
    expect(answer.bytes).toHaveLength(0);
    expect(answer.headers).toMatchObject({ 'content-length': '10', 'docker-content-digest': blob.digest });
  });

  it('an encoded colon is one', async () => {
    expect((await repository.send('GET', `/blobs/${encodeURIComponent(blob.digest)}`)).status).toBe(200);
  });

  it.each(['GET', 'HEAD'])('%s answers 404 where there is none', async (method) => {
    const answer = await repository.send(method, `/blobs/${absent}`);
    expect(answer.status).toBe(404);
    if (method === 'GET') expect(answer.body.errors[0].code).toBe('BLOB_UNKNOWN');
    else expect(answer.bytes).toHaveLength(0);
  });

  it.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=4-', '456789', 'bytes 4-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
  ])('a range %s answers 206 with that part', async (range, part, contentRange) => {
    const answer = await repository.send('GET', `/blobs/${blob.digest}`, { headers: { Range: range } });
    expect([answer.status, answer.bytes.toString()]).toEqual([206, part]);
    expect(answer.headers).toMatchObject({ 'content-range': contentRange, 'content-length': String(part.length) });
  });

  it.each([
    ['its own', blobTag, 304],
    ['any', '*', 304],
    ['one of two', `"another", W/${blobTag}`, 304],
    ['another', '"another"', 200],
  ])('If-None-Match with %s ETag answers %i', async (_whose, tag, status) => {
    const answer = await repository.send('GET', `/blobs/${blob.digest}`, { headers: { 'If-None-Match': tag } });
    expect([answer.status, answer.headers.etag]).toEqual([status, blobTag]);
    expect(answer.bytes.toString()).toBe(status === 304 ? '' : '0123456789');
  });

  it.each([
    ['its own', 206, '0123'],
    ['another', 200, '0123456789'],
  ])('a range with If-Range of %s ETag answers %i', async (whose, status, part) => {
    const etag = whose === 'another' ? '"another"' : `"${blob.digest}"`;
    const headers = { Range: 'bytes=0-3', 'If-Range': etag };
    const answer = await repository.send('GET', `/blobs/${blob.digest}`, { headers });
    expect([answer.status, answer.bytes.toString()]).toEqual([status, part]);
  });

  it.each(['bytes=10-', 'bytes=10-12', 'bytes=-0', 'bytes=99999999999999999999-'])(
    'a range %s, where there is nothing, answers 416',
    async (range) => {
      const answer = await repository.send('GET', `/blobs/${blob.digest}`, { headers: { Range: range } });
      expect([answer.status, answer.headers['content-range']]).toEqual([416, 'bytes */10']);
      expect(answer.body.errors[0].code).toBe('RANGE_INVALID');
    },
  );

  it.each(['bytes=3-1', 'bytes=a-b', 'items=0-1', 'bytes=0-1,3-4', 'bytes=-', 'bytes'])(
    'what is no single range (%s) is answered with all of it',
    async (range) => {
      const answer = await repository.send('GET', `/blobs/${blob.digest}`, { headers: { Range: range } });
      expect([answer.status, answer.bytes.toString()]).toEqual([200, '0123456789']);
    },
  );

  it('a HEAD has no part of it', async () => {
    const answer = await repository.send('HEAD', `/blobs/${blob.digest}`, { headers: { Range: 'bytes=0-3' } });
    expect(answer.headers['content-length']).toBe(answer.status === 206 ? '4' : '10');
    expect(answer.bytes).toHaveLength(0);
  });
});

describe('end-3: manifests', () => {
  it.each([
    ['by tag', 'v1'],
    ['by digest', pushed.digest],
    ['by an encoded digest', encodeURIComponent(pushed.digest)],
  ])('GET answers %s, byte for byte', async (_by, reference) => {
    const answer = await repository.send('GET', `/manifests/${reference}`);
    expect(answer.status).toBe(200);
    expect(answer.bytes).toEqual(pushed.bytes);
    expect(answer.headers).toMatchObject({
      'content-type': mediaTypes.manifest,
      'content-length': String(pushed.bytes.length),
      'docker-content-digest': pushed.digest,
    });
  });

  it.each(['v1', pushed.digest])('HEAD answers the same without a body', async (reference) => {
    const answer = await repository.send('HEAD', `/manifests/${reference}`);
    expect(answer.status).toBe(200);
    expect(answer.bytes).toHaveLength(0);
    expect(answer.headers).toMatchObject({
      'content-type': mediaTypes.manifest,
      'content-length': String(pushed.bytes.length),
      'docker-content-digest': pushed.digest,
    });
  });

  it.each(['GET', 'HEAD'])('%s answers 304 where If-None-Match names it', async (method) => {
    const headers = { 'If-None-Match': `"${pushed.digest}"` };
    const answer = await repository.send(method, '/manifests/v1', { headers });
    expect([answer.status, answer.bytes.length, answer.headers['docker-content-digest']]).toEqual([
      304,
      0,
      pushed.digest,
    ]);
  });

  it('an index comes with its own type', async () => {
    const answer = await repository.send('GET', '/manifests/all', { headers: { Accept: mediaTypes.index } });
    expect([answer.headers['content-type'], answer.bytes]).toEqual([mediaTypes.index, both.bytes]);
  });

  it.each(['GET', 'HEAD'])('%s answers 404 where there is none', async (method) => {
    for (const reference of ['v2', absent, '.x']) {
      const answer = await repository.send(method, `/manifests/${reference}`);
      expect(answer.status).toBe(404);
      if (method === 'GET') expect(answer.body.errors[0].code).toBe('MANIFEST_UNKNOWN');
      else expect(answer.bytes).toHaveLength(0);
    }
  });

  it('a wrong tag is answered with the tags that exist', async () => {
    expect((await repository.send('GET', '/manifests/v2')).body.errors[0].message).toContain('all, v1');
  });
});

describe('the error body', () => {
  it('is that of the specification, beside the platform’s', async () => {
    const { body, headers } = await repository.send('GET', '/manifests/v2');
    expect(body.errors).toEqual([{ code: 'MANIFEST_UNKNOWN', message: expect.any(String), detail: null }]);
    expect(body).toMatchObject({ success: false, error: { code: 'MANIFEST_UNKNOWN' } });
    expect(headers['docker-distribution-api-version']).toBe('registry/2.0');
  });

  it.each([
    ['POST', '/v2/'],
    ['PATCH', '/manifests/v1'],
    ['PUT', '/tags/list'],
    ['POST', '/v2/token'],
  ])('says UNSUPPORTED with 405 for %s %s, and what is supported', async (method, path) => {
    const answer = await repository.send(method, path);
    expect([answer.status, answer.body.errors[0].code]).toEqual([405, 'UNSUPPORTED']);
    expect(answer.headers.allow).toMatch(/GET/);
  });

  it.each(['/v2/_unknown', '/tags', '/manifests', '/manifests/', '/blobs/', '/v2//', '/v2/a/b/c'])(
    'says so with 404 for the path %s',
    async (path) => {
      const answer = await repository.send('GET', path);
      expect([answer.status, answer.body.errors[0].code]).toEqual([404, 'UNSUPPORTED']);
      expect(answer.headers['docker-distribution-api-version']).toBe('registry/2.0');
    },
  );
});
