// Requests to the registry that no client library would send.

import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEmulator, type Emulator } from '../../src/index.js';
import { image, layer, logIn, mediaTypes, type Repository, sendTo } from '../support/oci.js';

let emulator: Emulator;
let repository: Repository;
beforeAll(async () => {
  emulator = await createEmulator({ frozen: true });
  repository = await logIn(emulator);
  return () => emulator.close();
});

/** The bytes that come back for a request with a body, until the connection ends. */
function context(line: string, headers: readonly string[] = [], body = ''): Promise<string> {
  const socket = connect(emulator.port, '127.0.0.1');
  const own = ['Host: localhost', `Authorization: ${repository.authorization}`, 'Connection: close'];
  socket.write(`${[line, ...own, ...headers].join('\r\n')}\r\n\r\n${body}`);
  let text = '';
  socket.on('data', (piece) => {
    text += piece.toString('latin1');
  });
  return new Promise((resolve, reject) => {
    socket.on('close', () => resolve(text)).on('error', reject);
  });
}

const firstLine = (answer: string): string => answer.slice(0, answer.indexOf('\r\n'));

describe('on the wire', () => {
  it('an upload begins over HTTP/1.0, without a length', async () => {
    const answer = await context(`POST ${repository.path}/blobs/uploads/ HTTP/1.0`);
    expect(firstLine(answer)).toBe('HTTP/1.1 202 Accepted');
  });

  it('a chunk is asked for with 100 Continue', async () => {
    const location = await repository.begin();
    const answer = await context(`PATCH ${location} HTTP/1.1`, ['Expect: 100-continue', 'Content-Length: 5'], '01234');
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 202 Accepted\r\n/);
  });

  it.each<[what: string, method: string, path: (base: string) => string, status: number]>([
    ['a chunk without a length', 'PATCH', () => '/blobs/uploads/none', 404],
    ['a manifest without a length', 'PUT', () => '/manifests/v1', 400],
    ['dots in a name', 'GET', () => '/../x/tags/list', 400],
    ['two slashes', 'GET', () => '//tags/list', 400],
    ['a percent sign that means nothing', 'GET', () => '/manifests/%E0%A4%A', 404],
    ['a null byte', 'GET', () => '/manifests/%00', 404],
    ['a path for another file', 'GET', () => '/blobs/..%2F..%2Fworld.db', 404],
    ['a path of no end', 'GET', () => `/${'a/'.repeat(5_000)}tags/list`, 404],
    ['a name that is slow to match', 'GET', () => `/${'a-'.repeat(400)}/tags/list`, 400],
    ['the words of paths as a name', 'GET', () => '/blobs/uploads/blobs/uploads/x', 403],
  ])('%s gets its answer', async (_what, method, path, status) => {
    const answer = await context(`${method} ${repository.path}${path(repository.path)} HTTP/1.1`);
    expect(firstLine(answer)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain('"errors":[{"code":');
  });
});

describe('manifests', () => {
  it.each([
    ['brackets of no end', '['.repeat(500_000)],
    ['deep brackets', `{"schemaVersion":2,"layers":${'['.repeat(300_000)}${']'.repeat(300_000)}}`],
    ['deep objects', `{"schemaVersion":2,"x":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`],
    [
      'names without end',
      image()
        .bytes.toString()
        .replace('{', `{${Array(200_000).fill('"a":1').join(',')},`),
    ],
    ['too many layers', image({ layers: Array(20_000).fill(layer()) }).bytes.toString()],
    [
      'a size beyond numbers',
      image()
        .bytes.toString()
        .replace(/"size":\d+/, '"size":1e308'),
    ],
  ])('of %s are refused', async (_what, text) => {
    const answer = await repository.send('PUT', '/manifests/v1', {
      headers: { 'Content-Type': mediaTypes.manifest },
      body: text,
    });
    expect([answer.status, answer.body.errors[0].code]).toEqual([400, 'MANIFEST_INVALID']);
  });
});

it.each<[what: string, path: string, host: string, status: number]>([
  ['a foreign Host', '/v2/', 'evil.example', 403],
  ['the prefix of a world that is not there', '/w/none/v2/', 'localhost', 404],
])('%s is refused in the form of a registry', async (_what, path, host, status) => {
  const { port, url } = emulator;
  const answer = await sendTo(url, 'GET', path, { Host: `${host}:${port}` });
  expect([answer.status, answer.headers['docker-distribution-api-version']]).toEqual([status, 'registry/2.0']);
  expect(answer.body).toMatchObject({
    success: false,
    errors: [{ code: expect.any(String), message: expect.any(String) }],
  });
});
