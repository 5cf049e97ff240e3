// Odd values: texts, numbers, shapes, bodies, query strings and headers that break programs.

import * as fc from 'fast-check';

export const prototypeNames = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'prototype',
  'then',
];
const oddTexts = [
  ...prototypeNames,
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\u0007\u001b[31m',
  '\u202egnp.exe',
  '\ud800',
  'x\udc00y',
  '😀'.repeat(60),
  'e\u0301\u200b\ufeff',
  'İıßŉ',
  "'; DROP TABLE agents; --",
  '%s%n%00',
  '../../etc/passwd',
  '$' + '{7*7}<script>',
  'NaN',
  'Infinity',
  '-0',
  '1e309',
  '0x10',
  '2026-02-30T00:00:00Z',
  '9999-12-31T23:59:59.999-23:59',
  '0000-01-01T00:00:00Z',
  '-1s',
  '99999999999999999999d',
  '1ms1ms',
  'true',
  'null',
  '[]',
];
const oddNumbers = [0, -0, -1, 1.5, 1e-7, 0.1 + 0.2, 2 ** 31, 2 ** 53, -(2 ** 53), 1e21, 1e308, -1e308, 5e-324];

export const oddText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...oddTexts) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom(101, 501, 2_001, 40_000).map((length) => 'x'.repeat(length)) },
);

function nested(depth: number, list: boolean): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = list ? [value] : { a: value };
  return value;
}

export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: oddText },
  { weight: 3, arbitrary: fc.constantFrom(...oddNumbers) },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null], [{}], { length: 1 }) },
  { weight: 2, arbitrary: fc.dictionary(oddText, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 5 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(50, 190, 250), fc.boolean()).map(([d, list]) => nested(d, list)) },
);
/** Rarely drawn: they take time. */
export const hugeValue: fc.Arbitrary<unknown> = fc
  .constantFrom<() => unknown>(
    () => 'x'.repeat(1_000_000),
    () => '😀'.repeat(200_000),
    () => Array.from({ length: 10_000 }, (_, i) => i),
    () => Array.from({ length: 10_000 }, () => ({})),
    () => Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`K${i}`, 'v'])),
  )
  .map((make) => make());

export const rawBodies = fc.constantFrom<string | Buffer>(
  '',
  ' ',
  'null',
  '{',
  '{"name":',
  '{"name":"x",}',
  "{'name':'x'}",
  '{"name":NaN}',
  '{"name":"\t"}',
  '// no\n{}',
  '{}{}',
  '\ufeff{}',
  '\u00a0{}',
  '[',
  '['.repeat(5_000),
  '['.repeat(100_000),
  `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`,
  '{"__proto__":{"name":"x"}}',
  '{"name":"x","__proto__":null,"constructor":{"prototype":{"isAdmin":true}}}',
  '{"name":"\\ud800"}',
  '{"\\udfff":1}',
  '{"name":"a","name":"b"}',
  `{"name":"${'x'.repeat(1_000_000)}"`,
  `{"name":"${'\\u0041'.repeat(50_000)}" x`,
  `"${'9'.repeat(10_000)}"`,
  '9'.repeat(10_000),
  Buffer.from([0xff, 0xfe, 0x7b, 0x00]),
  Buffer.from([0x7b, 0x22, 0x6e, 0x22, 0x3a, 0x22, 0xc3, 0x28, 0xed, 0xa0, 0x80, 0x22, 0x7d]),
  Buffer.alloc(1_000),
);

export const oddPairs = fc.constantFrom(
  '__proto__=1',
  'constructor=1&toString=2',
  'hasOwnProperty=1&hasOwnProperty=2',
  '%',
  '%zz=%E0%A4%A',
  '%FF=%00',
  '=',
  '=x',
  '&&&',
  'a[b]=c&a[]=1',
  'limit=1&limit=2',
  'page=9007199254740993&tail=99999999999999999999999',
  `hours=${'9'.repeat(400)}`,
  'page=1e3&limit=0x10',
  'since=9999-12-31T23:59:59-23:59',
  'since=0000-01-01T00:00:00Z',
  'tail=-1&level=ALL',
  'search=%00%F0%9F%98%80%ED%A0%80',
  `search=${'x'.repeat(6_000)}`,
  Array.from({ length: 1_000 }, (_, i) => `p${i}`).join('&'),
  ';?#',
);

const latin = (text: string) => Buffer.from(text).toString('latin1');
export const oddHeaders = fc.constantFrom<Record<string, string>>(
  { 'content-type': 'text/plain' },
  { 'content-type': 'multipart/form-data; boundary=' },
  { 'content-type': 'application/x-www-form-urlencoded; charset=nonsense' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': ';;;' },
  { 'content-encoding': 'gzip' },
  { 'content-encoding': 'deflate' },
  { 'content-encoding': 'br' },
  { 'content-encoding': 'gzip, gzip' },
  { 'content-encoding': 'identity' },
  { authorization: `Bearer ${'x'.repeat(9_000)}` },
  { authorization: 'Bearer' },
  { authorization: latin('Bearer schlüssel😀') },
  { authorization: 'Bearer a.b.c' },
  { authorization: 'Basic Og==' },
  { 'x-api-key': '__proto__' },
  { 'x-api-key': latin('ü') },
  { 'x-emulator-failure': '__proto__' },
  { 'x-emulator-failure': '../../package' },
  { 'x-emulator-failure': latin('oom-läter') },
  { 'x-emulator-failure': 'stack-rollback' },
  { 'last-event-id': '-1' },
  { 'x-payment': '__proto__' },
  { 'x-payment': Buffer.from('{"x402Version":1}').toString('base64') },
  { 'payment-signature': Buffer.from('[{"x402Version":2}]').toString('base64'), 'x-payment': 'e30=' },
  { 'last-event-id': '99999999999999999999.999999999999999999' },
  { 'last-event-id': '1e999:NaN.__proto__' },
  { accept: 'text/plain' },
  { accept: 'text/event-stream;q=nonsense' },
  { origin: 'null' },
  { origin: 'http://[' },
  { origin: 'http://localhost:1', 'access-control-request-method': '__proto__' },
  { host: '[::1' },
  { host: 'a b/?#' },
  { host: 'x.y.localhost' },
  { host: latin('höst') },
  { host: '' },
  { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'javascript' },
  { cookie: 'session=__proto__; =; ;;' },
  { expect: '100-continue' },
  { range: 'bytes=0-0', 'if-none-match': '*' },
  { 'x-http-method-override': 'DELETE' },
);
