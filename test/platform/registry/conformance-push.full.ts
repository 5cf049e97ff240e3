// The conformance category "push" of the OCI distribution specification 1.1, requirement by requirement.

import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { errorEnvelope } from '../../../src/http/wire.js';
import { startWorld } from '../../support/emulator.js';
import {
  artifact,
  image,
  index,
  layer,
  logIn,
  mediaTypes,
  type Repository,
  type SendOptions,
} from '../../support/oci.js';

let repository: Repository;
beforeEach(async () => {
  repository = await logIn(await startWorld());
});

const blob = layer('0123456789');
const { digest } = blob;
const octets = { 'Content-Type': 'application/octet-stream' };
const from = (location: string, parameter: string): string =>
  `${location}${location.includes('?') ? '&' : '?'}${parameter}`;
const chunk = (location: string, first: number, last: number, options: SendOptions = {}) =>
  repository.send('PATCH', location, {
    body: blob.bytes.subarray(first, last + 1),
    ...options,
    headers: { ...octets, 'Content-Range': `${first}-${last}`, ...options.headers },
  });
const pulled = async (): Promise<string> => (await repository.send('GET', `/blobs/${digest}`)).bytes.toString();

describe('end-4a, end-6: a blob with POST and PUT', () => {
  it('begins with 202 and a location', async () => {
    const answer = await repository.send('POST', '/blobs/uploads/');
    expect(answer.status).toBe(202);
    expect(answer.headers.location).toMatch(`${repository.path}/blobs/uploads/`);
    expect(answer.headers.range).toBe('0-0');
    expect(answer.headers['docker-upload-uuid']).toBe(answer.headers.location?.split('/').at(-1));
  });

  it('begins without the last slash too', async () => {
    expect((await repository.send('POST', '/blobs/uploads')).status).toBe(202);
  });

  it('takes the whole blob in the PUT', async () => {
    const location = await repository.begin();
    const answer = await repository.send('PUT', from(location, `digest=${digest}`), {
      headers: octets,
      body: blob.bytes,
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`${repository.path}/blobs/${digest}`);
    expect(answer.headers['docker-content-digest']).toBe(digest);
    expect(answer.bytes).toHaveLength(0);
    expect(await pulled()).toBe('0123456789');
  });

  it('takes the digest with an encoded colon', async () => {
    const location = await repository.begin();
    const encoded = from(location, `digest=${encodeURIComponent(digest)}`);
    expect((await repository.send('PUT', encoded, { body: blob.bytes })).status).toBe(201);
  });

  it('refuses another digest than that of the content', async () => {
    const location = await repository.begin();
    const answer = await repository.send('PUT', from(location, `digest=${layer('other').digest}`), {
      body: blob.bytes,
    });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      { code: 'DIGEST_INVALID', message: expect.stringContaining(digest), detail: null },
    ]);
  });

  it('refuses a PUT without a digest, and what is no digest', async () => {
    const location = await repository.begin();
    const twice = `?digest=${digest}&digest=${digest}`;
    for (const query of [
      '',
      '?digest=',
      twice,
      `?digest=${'a'.repeat(300)}`,
      '?digest=sha256:12',
      '?digest=md5:d41d8cd98f00b204e9800998ecf8427e',
    ]) {
      const answer = await repository.send('PUT', `${location}${query}`, { body: blob.bytes });
      expect([query, answer.status, answer.body.errors[0].code]).toEqual([query, 400, 'DIGEST_INVALID']);
    }
    // Nothing of that has ended the upload.
    expect((await repository.send('PUT', from(location, `digest=${digest}`), { body: blob.bytes })).status).toBe(201);
  });

  it('does not know an upload that nobody began', async () => {
    const answer = await repository.send('PUT', `/blobs/uploads/none?digest=${digest}`, { body: blob.bytes });
    expect([answer.status, answer.body.errors[0].code]).toEqual([404, 'BLOB_UPLOAD_UNKNOWN']);
  });
});

describe('end-4b: a blob in a single POST', () => {
  it('answers 201 with the blob’s location', async () => {
    const answer = await repository.send('POST', `/blobs/uploads/?digest=${digest}`, {
      headers: octets,
      body: blob.bytes,
    });
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`${repository.path}/blobs/${digest}`);
    expect(await pulled()).toBe('0123456789');
  });

  it('refuses another digest than that of the content', async () => {
    const answer = await repository.send('POST', `/blobs/uploads/?digest=${digest}`, { body: 'something else' });
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'DIGEST_INVALID']);
    expect((await repository.send('HEAD', `/blobs/${digest}`)).status).toBe(404);
  });
});

describe('end-5, end-6, end-13: a blob in chunks', () => {
  it('takes chunks in order, each with its range, and says how far it came', async () => {
    const location = await repository.begin();
    const first = await chunk(location, 0, 3);
    expect([first.status, first.headers.range]).toEqual([202, '0-3']);
    const second = await chunk(first.headers.location ?? '', 4, 6);
    expect([second.status, second.headers.range]).toEqual([202, '0-6']);
    const status = await repository.send('GET', second.headers.location ?? '');
    expect([status.status, status.headers.range, status.headers['content-length']]).toEqual([204, '0-6', undefined]);
    expect(status.headers.location).toMatch(`${repository.path}/blobs/uploads/`);
    const last = await repository.send('PUT', from(status.headers.location ?? '', `digest=${digest}`), {
      headers: { ...octets, 'Content-Range': '7-9' },
      body: '789',
    });
    expect(last.status).toBe(201);
    expect(await pulled()).toBe('0123456789');
  });

  it('ends with a PUT without a body', async () => {
    const location = await repository.begin();
    await chunk(location, 0, 9);
    expect((await repository.send('PUT', from(location, `digest=${digest}`))).status).toBe(201);
    expect(await pulled()).toBe('0123456789');
  });

  it('takes one stream without a range, as docker sends it', async () => {
    const location = await repository.begin();
    const answer = await repository.send('PATCH', location, { body: Readable.from(['01234', '56789']) });
    expect([answer.status, answer.headers.range]).toEqual([202, '0-9']);
    expect((await repository.send('PUT', from(location, `digest=${digest}`))).status).toBe(201);
  });

  it.each([
    ['a later one first', 4, 6],
    ['the first one again', 0, 3],
  ])('refuses chunks out of order: %s', async (_name, first, last) => {
    const location = await repository.begin();
    if (first === 0) await chunk(location, 0, 3);
    const answer = await chunk(location, first, last);
    expect([answer.status, answer.body.errors[0].code]).toEqual([416, 'RANGE_INVALID']);
    expect(answer.headers.location).toBe(location);
    expect(answer.headers.range).toBe(first === 0 ? '0-3' : '0-0');
    const status = await repository.send('GET', location);
    expect(status.headers.range).toBe(first === 0 ? '0-3' : '0-0');
  });

  it('gives an upload up on DELETE', async () => {
    const location = await repository.begin();
    await chunk(location, 0, 3);
    expect((await repository.send('DELETE', location)).status).toBe(204);
    const after = await repository.send('GET', location);
    expect([after.status, after.body.errors[0].code]).toEqual([404, 'BLOB_UPLOAD_UNKNOWN']);
  });
});

describe('end-11: a blob of another repository', () => {
  it('is mounted with 201', async () => {
    const world = await startWorld();
    const source = await logIn(world, 'source');
    const target = await logIn(world, 'target');
    await source.pushBlob(blob);
    const answer = await target.send('POST', `/blobs/uploads/?mount=${digest}&from=${source.name}`);
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`${target.path}/blobs/${digest}`);
    expect((await target.send('GET', `/blobs/${digest}`)).bytes).toEqual(blob.bytes);
  });

  it.each(['the other one has not got it', 'there is no such repository', 'it is none', 'no other one is named'])(
    'begins an upload where %s',
    async (why) => {
      const sources: Record<string, string> = {
        'the other one has not got it': repository.name,
        'there is no such repository': `${repository.name}-2`,
        'it is none': '../..',
      };
      const query = sources[why] === undefined ? '' : `&from=${sources[why]}`;
      const answer = await repository.send('POST', `/blobs/uploads/?mount=${digest}${query}`);
      expect(answer.status).toBe(202);
      expect(answer.headers.location).toMatch(`${repository.path}/blobs/uploads/`);
    },
  );
});

describe('end-7: manifests', () => {
  it('are pushed under a tag', async () => {
    const pushed = image();
    for (const one of pushed.blobs) await repository.pushBlob(one);
    const answer = await repository.putManifest('v1', pushed);
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toBe(`${repository.path}/manifests/${pushed.digest}`);
    expect(answer.headers['docker-content-digest']).toBe(pushed.digest);
  });

  it('are pushed under their digest', async () => {
    const pushed = image();
    await repository.push(pushed.digest, pushed);
    expect((await repository.send('GET', `/manifests/${pushed.digest}`)).bytes).toEqual(pushed.bytes);
  });

  it('are refused under another digest', async () => {
    const pushed = image();
    for (const one of pushed.blobs) await repository.pushBlob(one);
    const answer = await repository.putManifest(digest, pushed);
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'DIGEST_INVALID']);
  });

  it('are refused while a blob is missing, which the response names', async () => {
    const pushed = image();
    const [config, missing] = pushed.blobs;
    if (config !== undefined) await repository.pushBlob(config);
    const answer = await repository.putManifest('v1', pushed);
    expect([answer.status, answer.body.errors[0].code]).toEqual([404, 'MANIFEST_BLOB_UNKNOWN']);
    expect(answer.body.errors[0].detail).toEqual({ missing: [missing?.digest] });
    expect(errorEnvelope.safeParse(answer.body).error).toBeUndefined();
    expect((await repository.send('HEAD', '/manifests/v1')).status).toBe(404);
  });

  it('may have no layers, and layers of no bytes', async () => {
    await repository.push('none', image({ layers: [] }));
    await repository.push('empty', image({ layers: [layer('')] }));
    const empty = await repository.send('GET', `/blobs/${layer('').digest}`);
    expect([empty.status, empty.headers['content-length']]).toEqual([200, '0']);
  });

  it('may be indexes of images that are there', async () => {
    const arm = image({ architecture: 'arm64' });
    const amd = image({ architecture: 'amd64' });
    const both = index({ 'linux/amd64': amd, 'linux/arm64': arm });
    await repository.push(amd.digest, amd);
    expect((await repository.putManifest('v1', both)).status).toBe(404);
    await repository.push(arm.digest, arm);
    expect((await repository.putManifest('v1', both)).status).toBe(201);
  });

  it('may name a subject that is not there yet, and the response names it', async () => {
    const subject = image();
    const addition = artifact('application/vnd.example.sbom', subject);
    for (const one of addition.blobs) await repository.pushBlob(one);
    const answer = await repository.putManifest(addition.digest, addition);
    expect(answer.status).toBe(201);
    expect(answer.headers['oci-subject']).toBe(subject.digest);
  });

  const noManifests: [what: string, bytes: string, type: string][] = [
    ['what is not JSON', '{', mediaTypes.manifest],
    ['an empty body', '', mediaTypes.manifest],
    ['null', 'null', mediaTypes.manifest],
    ['a list', '[]', mediaTypes.manifest],
    ['no layers', '{"schemaVersion":2}', mediaTypes.manifest],
    ['another schema version', image({ manifest: { schemaVersion: 1 } }).bytes.toString(), mediaTypes.manifest],
    ['a type that is none of a manifest', image().bytes.toString(), 'application/json'],
    ['a type that is not its own', image().bytes.toString(), mediaTypes.index],
    ['a digest that is none', image({ manifest: { config: { digest: 'x' } } }).bytes.toString(), mediaTypes.manifest],
    ['bytes that are not UTF-8', '\xff', mediaTypes.manifest],
    ['JSON behind a byte order mark', `\xef\xbb\xbf${image().bytes}`, mediaTypes.manifest],
    [
      'an image that says to be an index too',
      image({ manifest: { manifests: [] } }).bytes.toString(),
      mediaTypes.manifest,
    ],
  ];
  it.each(noManifests)('are refused with 400: %s', async (_what, bytes, mediaType) => {
    const body = Buffer.from(bytes, 'latin1');
    const answer = await repository.send('PUT', '/manifests/v1', { headers: { 'Content-Type': mediaType }, body });
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'MANIFEST_INVALID']);
  });

  it('are refused beyond 4 MB, with a response', async () => {
    const answer = await repository.putManifest('v1', layer('x', 5_000_000));
    expect([answer.status, answer.body.errors[0].code]).toEqual([413, 'MANIFEST_INVALID']);
  });

  it.each(['.hidden', '-v1', 'a'.repeat(129), 'v%201', 'sha256:1'])('are refused under %s', async (reference) => {
    const answer = await repository.putManifest(reference, image());
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0].code).toMatch(/^(MANIFEST|DIGEST)_INVALID$/);
  });
});

describe('end-7: a manifest that states another size than a part has', () => {
  const stated = (whole: { bytes: Buffer; mediaType: string }, change: (body: any) => void) => {
    const body = JSON.parse(whole.bytes.toString());
    change(body);
    return { bytes: Buffer.from(JSON.stringify(body)), digest: '', mediaType: whole.mediaType };
  };

  it.each<[string, (body: any) => void]>([
    ['of a layer', (body) => (body.layers[0].size += 1)],
    ['of the config', (body) => (body.config.size = 0)],
  ])('is refused (%s), and nothing is stored', async (_, change) => {
    const whole = image();
    for (const each of whole.blobs) await repository.pushBlob(each);
    const answer = await repository.putManifest('v1', stated(whole, change));
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'SIZE_INVALID']);
    expect(answer.body.errors[0].message).toMatch(/^The manifest says that sha256:\w{64} has \d+ bytes; it has \d+$/);
    expect((await repository.send('GET', '/manifests/v1')).status).toBe(404);
    expect((await repository.putManifest('v1', whole)).status).toBe(201);
  });

  it('is refused of an index too', async () => {
    const one = image();
    await repository.push(one.digest, one);
    const wrong = stated(index({ 'linux/amd64': one }), (body) => (body.manifests[0].size = 1));
    expect((await repository.putManifest('v1', wrong)).body.errors[0].code).toBe('SIZE_INVALID');
  });

  it('may say anything of a layer that lies elsewhere', async () => {
    const foreign = stated(
      image(),
      (body) => (body.layers[0] = { ...body.layers[0], size: 5, urls: ['http://a.test/'] }),
    );
    const [config] = image().blobs;
    if (config !== undefined) await repository.pushBlob(config);
    expect((await repository.putManifest('v1', foreign)).status).toBe(201);
  });
});
