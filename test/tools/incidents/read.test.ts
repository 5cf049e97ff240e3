// Recordings in all formats become exchanges, whatever the file is called; what is none is refused with what helps.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Recording } from '../../../src/tools/incidents/exchange.js';
import { readRecording } from '../../../src/tools/incidents/read.js';
import { tempDir } from '../../support/command.js';
import { call, startWorld } from '../../support/emulator.js';

const dir = tempDir();
let files = 0;

/** What is read of a file with this content. */
function read(content: string | Buffer): Promise<Recording> {
  const file = join(dir, `recording-${files++}`);
  writeFileSync(file, content);
  return readRecording(file);
}

const at = Date.parse('2026-03-01T10:00:00.000Z');
const url = 'https://cloud.example.test/api/v1/containers';
const shop = '{"name":"Shop"}';

const entry = {
  startedDateTime: '2026-03-01T10:00:00.000Z',
  time: 120,
  request: {
    method: 'POST',
    url,
    headers: [{ name: 'Authorization', value: 'Bearer one' }],
    postData: { mimeType: 'application/json', text: shop },
  },
  response: {
    status: 201,
    headers: [{ name: 'Content-Type', value: 'application/json' }],
    content: { mimeType: 'application/json', text: '{"success":true}' },
  },
};
const har = (entries: unknown[]): string =>
  JSON.stringify({ log: { version: '1.2', creator: { name: 'Test' }, entries } });

it('HAR, of which each entry is read by itself', async () => {
  const lost = { ...entry, response: { status: -1, _failureText: 'net::ERR_CONNECTION_RESET', headers: [] } };
  const preflight = { ...entry, request: { ...entry.request, method: 'OPTIONS' } };
  const { format, exchanges, limits } = await read(har([entry, preflight, lost]));
  expect([format, limits]).toEqual(['HAR of Test', []]);
  expect(exchanges).toEqual([
    {
      index: 0,
      sentAt: at,
      ms: 120,
      method: 'POST',
      url,
      headers: { authorization: 'Bearer one' },
      body: shop,
      status: 201,
      answer: { 'content-type': 'application/json' },
      text: '{"success":true}',
    },
    expect.objectContaining({ index: 2, status: 0, failure: 'net::ERR_CONNECTION_RESET', text: '' }),
  ]);
});

it('HAR whose bodies lie beside it, and never elsewhere', async () => {
  const below = join(dir, 'attached');
  mkdirSync(below);
  writeFileSync(join(below, 'ab12.json'), '{"data":[]}');
  writeFileSync(join(dir, 'outside.json'), 'outside');
  const withFile = (_file: string): object => ({ ...entry, response: { ...entry.response, content: { _file } } });
  const file = join(below, 'page.har');
  writeFileSync(file, `\ufeff ${har(['ab12.json', '../outside.json', '/etc/passwd', 'none.json'].map(withFile))}`);
  expect((await readRecording(file)).exchanges.map(({ text }) => text)).toEqual(['{"data":[]}', null, null, null]);
});

it('keploy: test cases and mocks, with bodies that were left out', async () => {
  const document = (times: string, more: string): string => `version: api.keploy.io/v1beta1
kind: Http
name: test-1
spec:
  req:
    method: POST
    url: ${url}
    header: { Content-Type: application/json, X-Api-Key: one }
    body: '${shop}'
${times}
  resp:
    status_code: 201
    header: { Content-Type: application/json }
${more}
`;
  const tests = document(
    '    timestamp: 2026-03-01T10:00:00.000000001Z',
    "    body: '{}'\n    timestamp: 2026-03-01T10:00:00.25Z",
  );
  const mock = document(
    '',
    '    body_skipped: true\n  reqTimestampMock: 2026-03-01T10:00:01Z\n  resTimestampMock: 2026-03-01T10:00:02Z',
  );
  const other = 'version: api.keploy.io/v1beta1\nkind: Mongo\nspec: {}\n';
  const { format, exchanges } = await read([tests, other, mock].join('---\n'));
  expect(format).toBe('keploy');
  expect(exchanges).toMatchObject([
    {
      index: 0,
      sentAt: at,
      ms: 250,
      method: 'POST',
      url,
      body: shop,
      status: 201,
      text: '{}',
      headers: { 'x-api-key': 'one' },
    },
    { index: 2, sentAt: at + 1_000, ms: 1_000, text: null },
  ]);
});

it('cassettes of VCR and vcrpy, in YAML and JSON', async () => {
  const ofRuby = `---
http_interactions:
- request:
    method: post
    uri: ${url}
    body: {encoding: UTF-8, string: '${shop}'}
    headers: {Authorization: [Bearer one], Accept: ["a", "b"]}
  response:
    status: {code: 201, message: Created}
    headers: {Content-Type: [application/json]}
    body: {encoding: ASCII-8BIT, base64_string: ${Buffer.from('{"success":true}').toString('base64')}}
  recorded_at: Sun, 01 Mar 2026 10:00:00 GMT
recorded_with: VCR 6.2.0
`;
  const expected = { method: 'POST', url, body: shop, status: 201, text: '{"success":true}' };
  const first = await read(ofRuby);
  expect(first.format).toBe('a cassette of VCR');
  expect(first.exchanges).toMatchObject([
    { ...expected, sentAt: at, headers: { authorization: 'Bearer one', accept: 'a, b' } },
  ]);
  const ofPython = `interactions:
- request:
    body: '${shop}'
    headers: {X-Api-Key: [one]}
    method: POST
    uri: ${url}
  response:
    body: {string: !!binary ${Buffer.from('{"success":true}').toString('base64')}}
    headers: {content-type: [application/json]}
    status: {code: 201, message: Created}
version: 1
`;
  const second = await read(ofPython);
  expect(second.exchanges).toMatchObject([{ ...expected, sentAt: null }]);
  expect(second.limits).toContain('The cassette has no times, only the order of its requests');
  const { exchanges } = await read(
    JSON.stringify({
      interactions: [
        { request: { method: 'GET', uri: url }, response: { status: { code: 200 }, body: { string: 'x' } } },
      ],
    }),
  );
  expect(exchanges).toMatchObject([{ method: 'GET', body: '', status: 200, text: 'x' }]);
});

it('logs of nginx and Apache, and lines of JSON; a proxy that got an answer says so', async () => {
  const agent = '"-" "undici"';
  const text = [
    `10.0.0.1 - - [01/Mar/2026:11:00:00 +0100] "POST /api/v1/containers HTTP/1.1" 499 0 ${agent} rt=2.000 upstream_status=202`,
    `10.0.0.1 - bob [01/Mar/2026:10:00:05 +0000] "GET /api/v1/containers?limit=5 HTTP/1.1" 200 512 ${agent}`,
    'what no log has',
  ].join('\r\n');
  const { exchanges, limits } = await read(text);
  expect(exchanges).toMatchObject([
    {
      sentAt: at - 2_000,
      ms: 2_000,
      method: 'POST',
      url: '/api/v1/containers',
      status: 0,
      upstreamStatus: 202,
      body: null,
    },
    {
      sentAt: at + 5_000,
      ms: null,
      method: 'GET',
      url: '/api/v1/containers?limit=5',
      status: 200,
      body: '',
      text: null,
    },
  ]);
  expect(exchanges[0]).toMatchObject({ failure: 'aborted by the client', headers: { 'user-agent': 'undici' } });
  expect(limits.join()).toContain('1 lines of the log are none of a request');
  const ofNginx = {
    time_iso8601: '2026-03-01T10:00:02+00:00',
    request: 'POST /api/v1/containers HTTP/2.0',
    status: '504',
    request_time: '2.000',
    upstream_status: '502, 201',
    http_host: 'cloud.example.test',
  };
  const other = { ts: at / 1_000, method: 'get', url, status_code: 200, duration_ms: 7 };
  expect((await read([ofNginx, other].map((line) => JSON.stringify(line)).join('\n'))).exchanges).toMatchObject([
    { sentAt: at, ms: 2_000, method: 'POST', url, status: 504, upstreamStatus: 201 },
    { sentAt: at - 7, ms: 7, method: 'GET', url, status: 200 },
  ]);
  expect((await read(JSON.stringify(ofNginx))).exchanges).toHaveLength(1);
});

it('spans of OpenTelemetry, whole and as lines of a collector', async () => {
  const text = (key: string, stringValue: string): object => ({ key, value: { stringValue } });
  const number = (key: string, intValue: string): object => ({ key, value: { intValue } });
  const span = (kind: number | string, more: object, attributes: object[]): object => ({
    traceId: 'a1',
    spanId: 'b1',
    kind,
    startTimeUnixNano: `${at}000000`,
    endTimeUnixNano: `${at + 30}000000`,
    attributes,
    ...more,
  });
  const client = span(3, {}, [
    text('http.request.method', 'POST'),
    text('url.full', url),
    text('error.type', 'ECONNRESET'),
    number('http.request.resend_count', '1'),
  ]);
  const server = span(2, { spanId: 'c1', parentSpanId: 'b1' }, [number('http.response.status_code', '201')]);
  const older = span(
    'SPAN_KIND_CLIENT',
    { spanId: 'd1', startTimeUnixNano: `${at + 50}000000`, endTimeUnixNano: `${at + 60}000000` },
    [text('http.method', 'GET'), text('http.url', url), number('http.status_code', '200')],
  );
  const document = (spans: object[]): string => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
  const expected = [
    {
      sentAt: at,
      ms: 30,
      method: 'POST',
      url,
      status: 0,
      failure: 'ECONNRESET',
      upstreamStatus: 201,
      resent: 1,
      body: null,
    },
    { sentAt: at + 50, ms: 10, method: 'GET', status: 200, body: '', text: null },
  ];
  expect((await read(document([older, client, server]))).exchanges).toMatchObject(expected);
  expect((await read(`${document([older, client])}\n${document([server])}\n`)).exchanges).toMatchObject(expected);
  await expect(read(document([server]))).rejects.toThrow(/holds no spans of kind CLIENT/);
});

it('the journal of cloudemu', async () => {
  const world = await startWorld();
  world.controls.faults.add({ when: { nth: 2 }, effect: { network: 'reset' } });
  await call(world, 'GET', '/api/v1/containers?limit=1');
  await call(world, 'GET', '/api/v1/user').catch(() => {});
  const list = world.controls.requests.list();
  const expected = [
    {
      method: 'GET',
      url: expect.stringContaining('/api/v1/containers?limit=1'),
      status: 200,
      text: expect.stringContaining('"data"'),
    },
    { method: 'GET', status: 0, failure: 'net::ERR_CONNECTION_RESET' },
  ];
  const { format, exchanges } = await read(JSON.stringify(list));
  expect([format, exchanges]).toMatchObject(['the journal of cloudemu', expected]);
  const lines = list.requests.toReversed().map((one) => JSON.stringify(one));
  expect((await read(lines.join('\n'))).exchanges).toMatchObject(expected);
});

const deep = (count: number): string => '['.repeat(count) + ']'.repeat(count);

it.each<[string, string | Buffer, RegExp]>([
  ['nothing', ' \n', /is empty/],
  ['a flow of mitmproxy', '2048:9:websocket;0:~8:response;', /mitmdump -n -r .* --set hardump=incident.har/],
  ['a zip', Buffer.from('PK\x03\x04abc'), /is a zip, such as a trace of Playwright/],
  ['something compressed', Buffer.from([0x1f, 0x8b, 8, 0]), /gunzip it first/],
  ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0]), /is binary/],
  ['another text', 'Dear all,\nit failed.', /is in no format that can be read: HAR, keploy/],
  ['other JSON', '{"a": {"entries": []}}', /is JSON, but no recording/],
  ['a list', '[1]', /is in no format/],
  ['no requests', '{"log": {"entries": []}}', /holds no requests/],
  ['cut JSON', har([entry, entry]).slice(0, -200), /ends in the middle/],
  ['damaged JSON', har([entry]).replace('"time":', '"time"::'), /is no JSON/],
  ['deep JSON', `{"log": {"entries": [${deep(5_000)}]}}`, /nests deeper than 200/],
  ['deep JSON elsewhere', `{"a": ${deep(100_000)}}`, /nests deeper than 200/],
  ['deep YAML', `interactions: ${'['.repeat(20_000)}`, /nests too deep|is no YAML/],
  [
    'YAML of aliases',
    `a: &a [x]\n${Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [${`*${i === 0 ? 'a' : `b${i - 1}`}, `.repeat(9)}]`).join('\n')}\ninteractions: *b29`,
    /YAML/,
  ],
  [
    'dense JSON',
    `{"log": {"entries": [[${'{},'.repeat(1_100_000)}{}]]}}`,
    /holds more than 1,000,000 values in one part/,
  ],
  ['dense YAML', `interactions: [${'a,'.repeat(210_000)}a]`, /holds more than 200,000 values in one part/],
  ['other YAML', 'kind: Pod\nmetadata: {}', /is YAML, but no recording/],
  ['an endless line', Buffer.alloc(600_000, '{"a": '), /no JSON|nests deeper|middle/],
])('%s is refused', async (_, content, message) => {
  await expect(read(content)).rejects.toThrow(message);
});

it('names of prototypes in a recording are names', async () => {
  const hostile = JSON.stringify(entry).replace(
    '"Content-Type"',
    '"__proto__","value":"x"},{"name":"constructor","value":"y"},{"name":"Content-Type"',
  );
  const { exchanges } = await read(
    `{"log":{"__proto__":{"x":1},"entries":[{"__proto__":{"y":2},${hostile.slice(1)}]}}`,
  );
  expect(exchanges).toMatchObject([{ status: 201, answer: { constructor: 'y' } }]);
  expect(({} as Record<string, unknown>).x ?? ({} as Record<string, unknown>).y).toBeUndefined();
});

it('bodies that no answer of the platform has are unknown', async () => {
  const of = (mimeType: string, text: string): object => ({
    ...entry,
    response: { status: 200, headers: [{ name: 'content-type', value: mimeType }], content: { mimeType, text } },
  });
  const { exchanges, limits } = await read(
    har([of('image/png', 'aaaa'), of('application/json', 'x'.repeat(300_000)), of('text/html', 'page')]),
  );
  expect(exchanges.map(({ text }) => text)).toEqual([null, null, 'page']);
  expect(limits.join()).toContain('The bodies of 2 requests are left out');
});
