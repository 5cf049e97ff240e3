// The conformance category "content discovery" of the OCI distribution specification 1.1, requirement by requirement.

import { beforeEach, describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { startEmulator } from '../../support/emulator.js';
import { artifact, descriptorOf, digestOf, image, logIn, mediaTypes, type Repository } from '../../support/oci.js';

let emulator: Emulator;
let repository: Repository;
beforeEach(async () => {
  emulator = await startEmulator();
  repository = await logIn(emulator);
});

describe('end-8a, end-8b: tags', () => {
  const pushed = image();
  const tags = ['a', 'a.b', 'B', 'b', 'b-2', 'c_3', 'v1'];
  beforeEach(async () => {
    await repository.push('v1', pushed);
    for (const tag of tags.slice(0, -1).reverse()) await repository.putManifest(tag, pushed);
  });

  it('are all there, in order whatever their case', async () => {
    const answer = await repository.send('GET', '/tags/list');
    expect([answer.status, answer.body]).toEqual([200, { name: repository.name, tags }]);
    expect(answer.headers.link).toBeUndefined();
  });

  it('are a part of them where a query asks for it, with the way to the next', async () => {
    const parts: [query: string, part: string[], next: string | undefined][] = [
      ['n=2', ['a', 'a.b'], 'n=2&last=a.b'],
      ['n=7', tags, undefined],
      ['n=100000', tags, undefined],
      ['n=0', [], undefined],
      ['last=b', ['b-2', 'c_3', 'v1'], undefined],
      ['last=aa', ['B', 'b', 'b-2', 'c_3', 'v1'], undefined],
      ['last=B', ['b', 'b-2', 'c_3', 'v1'], undefined],
      ['n=1&last=A.b', ['a.b'], 'n=1&last=a.b'],
      ['n=1&last=b', ['b-2'], 'n=1&last=b-2'],
      ['last=zzz', [], undefined],
    ];
    for (const [query, part, next] of parts) {
      const { body, headers } = await repository.send('GET', `/tags/list?${query}`);
      const link = next === undefined ? undefined : `<${repository.path}/tags/list?${next}>; rel="next"`;
      expect([query, body.tags, headers.link]).toEqual([query, part, link]);
    }
  });

  it('are all found by going on from page to page', async () => {
    const found: string[] = [];
    let path: string | undefined = '/tags/list?n=2';
    while (path !== undefined) {
      const { body, headers }: Awaited<ReturnType<Repository['send']>> = await repository.send('GET', path);
      found.push(...body.tags);
      path = /<(.+)>; rel="next"/.exec(String(headers.link ?? ''))?.[1];
    }
    expect(found).toEqual(tags);
  });

  it('are refused with a number that is none', async () => {
    for (const query of ['n=x', 'n=-1', 'n=1.5']) {
      const { status, body } = await repository.send('GET', `/tags/list?${query}`);
      expect([query, status, body.errors[0].code]).toEqual([query, 400, 'PAGINATION_NUMBER_INVALID']);
    }
  });

  it('are 404 where nothing was pushed', async () => {
    const answer = await (await logIn(emulator, 'other')).send('GET', '/tags/list');
    expect([answer.status, answer.body.errors[0].code]).toEqual([404, 'NAME_UNKNOWN']);
  });

  it('have the world in the name, as paths have', async () => {
    const world = await emulator.createWorld({ id: 'beside' });
    const there = await logIn(world);
    await there.push('v1', pushed);
    await there.putManifest('v2', pushed);
    const answer = await there.send('GET', '/tags/list?n=1');
    expect(answer.body).toEqual({ name: `w/beside/${there.name}`, tags: ['v1'] });
    expect(answer.headers.link).toBe(`</v2/w/beside/${there.name}/tags/list?n=1&last=v1>; rel="next"`);
    expect((await there.send('GET', '/v2/_catalog')).body).toEqual({ repositories: [`w/beside/${there.name}`] });
  });
});

describe('end-12a, end-12b: referrers', () => {
  const subject = image();
  const sbom = artifact('application/vnd.example.sbom', subject, { made: 'today' });
  const signature = artifact('application/vnd.example.signature', subject);
  const typeless = image({ manifest: { subject: descriptorOf(subject) } });

  it('are an empty index where there are none, whether or not the subject is there', async () => {
    await repository.push('v1', subject);
    for (const digest of [subject.digest, digestOf('nothing')]) {
      const answer = await repository.send('GET', `/referrers/${digest}`);
      expect([answer.status, answer.headers['content-type']]).toEqual([200, mediaTypes.index]);
      expect(answer.body).toEqual({ schemaVersion: 2, mediaType: mediaTypes.index, manifests: [] });
    }
  });

  it('are descriptors with type, annotations and artifact type', async () => {
    for (const one of [sbom, signature, typeless]) await repository.push(one.digest, one);
    await repository.push('v1', subject);
    const { body, headers } = await repository.send('GET', `/referrers/${subject.digest}`);
    expect(headers['oci-filters-applied']).toBeUndefined();
    expect(body.manifests).toHaveLength(3);
    expect(body.manifests).toEqual(
      expect.arrayContaining([
        { ...descriptorOf(sbom), artifactType: 'application/vnd.example.sbom', annotations: { made: 'today' } },
        { ...descriptorOf(signature), artifactType: 'application/vnd.example.signature' },
        // The artifact type of an image is the type of its config.
        { ...descriptorOf(typeless), artifactType: mediaTypes.config },
      ]),
    );
  });

  it('are filtered by artifact type, and the response says so', async () => {
    for (const one of [sbom, signature]) await repository.push(one.digest, one);
    const { body, headers } = await repository.send(
      'GET',
      `/referrers/${subject.digest}?artifactType=${encodeURIComponent('application/vnd.example.signature')}`,
    );
    expect(body.manifests.map((one: { digest: string }) => one.digest)).toEqual([signature.digest]);
    expect(headers['oci-filters-applied']).toBe('artifactType');
  });

  it('go with the manifest that named the subject', async () => {
    await repository.push(sbom.digest, sbom);
    await repository.send('DELETE', `/manifests/${sbom.digest}`);
    expect((await repository.send('GET', `/referrers/${subject.digest}`)).body.manifests).toEqual([]);
  });

  it('are refused for what is no digest', async () => {
    const answer = await repository.send('GET', '/referrers/v1');
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'DIGEST_INVALID']);
  });
});
