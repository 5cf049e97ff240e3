// Secrets in every field of every format of a recording: none is in what `import` writes or prints, neither as it is nor in
// base64 or hex, also where it refuses the file.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run, tempDir } from '../support/command.js';
import { createPlanting, filesBelow, type NamedText } from './support/planted.js';

const { planted, plant, leaksIn } = createPlanting();

const names = [
  ...['password', 'db_pass', 'clientSecret', 'private_key', 'apiKey', 'api_key', 'access_token', 'refreshToken', 'jwt'],
  ...[
    'session',
    'sid',
    'signature',
    'otp',
    'dsn',
    'connectionString',
    'mnemonic',
    'authorization',
    'cookie',
    'webhookUrl',
  ],
];
const headerNames = [
  ...[
    'authorization',
    'x-api-key',
    'cookie',
    'x-auth',
    'x-session',
    'x-csrf-token',
    'proxy-authorization',
    'x-payment',
  ],
  ...['payment-signature', 'x-wallet-signature', 'x-amz-security-token', 'x-jwt', 'x-secret', 'set-cookie'],
];
const looks = ['Bearer ', 'sk_live_', 'ek_live_', 'eliza_', 'ghp_', 'sk-ant-', 'whsec_', 'postgres://me:'];

/** A text of secrets that only their look gives away. */
const talk = (place: string): string =>
  looks
    .map((prefix) => `it said ${plant(`${place}: ${prefix}`, prefix)}${prefix.endsWith(':') ? '@db/x' : ''}`)
    .join(' and ');

const fieldsOf = (place: string): Record<string, unknown> => ({
  ...Object.fromEntries(names.map((name) => [name, plant(`${place}: ${name}`)])),
  nested: [{ deep: Object.fromEntries(names.map((name) => [name, plant(`${place}, deep: ${name}`)])) }],
  pairs: names.map((name) => ({ name, value: plant(`${place}, pair: ${name}`) })),
  text: talk(`${place}, text`),
});

const headersOf = (place: string): [string, string][] => [
  ...headerNames.map((name): [string, string] => [
    name,
    plant(`${place}: ${name}`, name === 'authorization' ? 'Bearer ' : ''),
  ]),
  ['x-note', talk(`${place}: x-note`)],
];

interface Said {
  method: string;
  url: string;
  requestHeaders: [string, string][];
  body: string;
  status: number;
  responseHeaders: [string, string][];
  text: string;
  failure: string;
  at: number;
}

const begun = Date.parse('2026-03-01T10:00:00Z');

/** Requests of an incident, with a secret in each place that a recording can have. */
function saidIn(format: string): Said[] {
  const place = (where: string): string => `${format}, ${where}`;
  const url = (path: string, number: number): string =>
    `https://cloud.example.test${path}?${names.map((name) => `${name}=${plant(place(`query ${number}: ${name}`))}`).join('&')}`;
  const container = {
    name: 'Shop',
    project_name: 'shop',
    ecr_image_uri: 'registry.local/shop:v1',
    environment_vars: Object.fromEntries(
      ['PORT', 'A_B', 'PLAIN'].map((name) => [name, plant(place(`variable ${name}`))]),
    ),
  };
  const json: [string, string] = ['content-type', 'application/json'];
  const one = (
    number: number,
    method: string,
    path: string,
    body: object | string,
    status: number,
    text: object | string,
  ): Said => ({
    method,
    url: url(path, number),
    requestHeaders: [
      ...headersOf(place(`request header ${number}`)),
      json,
      ['user-agent', `me ${plant(place(`agent ${number}`), 'sk_live_')}`],
    ],
    body: typeof body === 'string' ? body : JSON.stringify(body),
    status,
    responseHeaders: [...headersOf(place(`response header ${number}`)), json],
    text: typeof text === 'string' ? text : JSON.stringify(text),
    failure: `failed ${talk(place(`failure ${number}`))}`,
    at: begun + number * 2_000,
  });
  const id = '11111111-2222-4333-8444-555555555555';
  return [
    one(0, 'GET', '/api/v1/containers', '', 200, {
      success: true,
      data: [{ id, ...container, status: 'running', ...fieldsOf(place('listed')) }],
    }),
    one(1, 'POST', '/api/v1/containers', { ...container, ...fieldsOf(place('created')) }, 0, ''),
    one(2, 'POST', '/api/v1/containers', { ...container, project_name: 'other' }, 201, {
      success: true,
      data: { id, ...container, ...fieldsOf(place('answer')) },
    }),
    one(3, 'POST', '/api/v1/api-keys', { name: 'mine', ...fieldsOf(place('key')) }, 201, {
      apiKey: fieldsOf(place('made key')),
      plainKey: plant(place('plain key'), 'eliza_'),
    }),
    one(
      4,
      'POST',
      '/auth/login',
      names.map((name) => `${name}=${plant(place(`form: ${name}`))}`).join('&'),
      500,
      `<html>${talk(place('page'))}</html>`,
    ),
    one(5, 'GET', `/api/v1/containers/${plant(place('path'), 'ek_live_')}`, '', 502, {
      success: false,
      error: talk(place('error')),
      ...fieldsOf(place('error fields')),
    }),
  ];
}

const pairs = (headers: [string, string][]): object[] => headers.map(([name, value]) => ({ name, value }));
const lists = (headers: [string, string][]): Record<string, string[]> =>
  Object.fromEntries(headers.map(([name, value]) => [name, [value]]));

const formats: Record<string, (all: Said[]) => string> = {
  har: (all) =>
    JSON.stringify({
      log: {
        version: '1.2',
        creator: { name: `Test ${plant('har, creator', 'sk_live_')}` },
        pages: [{ title: plant('har, page') }],
        entries: all.map((one) => ({
          startedDateTime: new Date(one.at).toISOString(),
          time: 100,
          serverIPAddress: plant(`har, address ${one.at}`),
          comment: plant(`har, comment ${one.at}`),
          request: {
            method: one.method,
            url: one.url,
            headers: pairs(one.requestHeaders),
            cookies: [{ name: 'a', value: plant(`har, cookie ${one.at}`) }],
            queryString: [{ name: 'token', value: plant(`har, query ${one.at}`) }],
            ...(one.body !== '' && { postData: { mimeType: 'application/json', text: one.body } }),
          },
          response: {
            status: one.status === 0 ? -1 : one.status,
            ...(one.status === 0 && { _failureText: one.failure }),
            headers: pairs(one.responseHeaders),
            content: { mimeType: 'application/json', text: one.text },
            redirectURL: plant(`har, redirect ${one.at}`),
          },
        })),
      },
    }),
  keploy: (all) =>
    all
      .map((one) =>
        JSON.stringify({
          version: 'api.keploy.io/v1beta1',
          kind: 'Http',
          name: plant(`keploy, name ${one.at}`),
          spec: {
            metadata: { connID: plant(`keploy, metadata ${one.at}`) },
            req: {
              method: one.method,
              url: one.url,
              header: Object.fromEntries(one.requestHeaders),
              body: one.body,
              timestamp: new Date(one.at).toISOString(),
            },
            resp: { status_code: one.status || 500, header: Object.fromEntries(one.responseHeaders), body: one.text },
          },
        }),
      )
      .map((document) => `---\n${document}`)
      .join('\n'),
  vcr: (all) =>
    `---\nhttp_interactions: ${JSON.stringify(
      all.map((one) => ({
        request: {
          method: one.method.toLowerCase(),
          uri: one.url,
          headers: lists(one.requestHeaders),
          body: { string: one.body },
        },
        response: {
          status: { code: one.status || 500, message: talk(`vcr, status ${one.at}`) },
          headers: lists(one.responseHeaders),
          body: { base64_string: Buffer.from(one.text).toString('base64') },
        },
        recorded_at: new Date(one.at).toUTCString(),
      })),
    )}\n`,
  vcrpy: (all) =>
    JSON.stringify({
      interactions: all.map((one) => ({
        request: { method: one.method, uri: one.url, headers: lists(one.requestHeaders), body: one.body },
        response: {
          status: { code: one.status || 500 },
          headers: lists(one.responseHeaders),
          body: { string: one.text },
        },
      })),
    }),
  combined: (all) =>
    all
      .map((one) => {
        const { pathname, search } = new URL(one.url);
        const agent = one.requestHeaders.at(-1)?.[1];
        return `10.0.0.1 - ${plant(`combined, user ${one.at}`)} [01/Mar/2026:10:00:0${(one.at - begun) / 2_000} +0000] "${one.method} ${pathname}${search} HTTP/1.1" ${one.status || 499} 5 "https://x.test/?token=${plant(`combined, referrer ${one.at}`)}" "${agent}" rt=0.1 auth="${plant(`combined, more ${one.at}`)}"`;
      })
      .join('\n'),
  ndjson: (all) =>
    all
      .map((one) =>
        JSON.stringify({
          time_iso8601: new Date(one.at).toISOString(),
          request_method: one.method,
          request_uri: one.url.replace('https://cloud.example.test', ''),
          http_host: 'cloud.example.test',
          status: one.status || 499,
          request_time: 0.1,
          http_user_agent: one.requestHeaders.at(-1)?.[1],
          http_authorization: plant(`ndjson, header ${one.at}`),
          message: talk(`ndjson, message ${one.at}`),
        }),
      )
      .join('\n'),
  spans: (all) =>
    JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'token', value: { stringValue: plant('spans, resource') } }] },
          scopeSpans: [
            {
              spans: all.map((one, index) => ({
                traceId: 'a',
                spanId: `b${index}`,
                kind: 3,
                name: talk(`spans, name ${index}`),
                startTimeUnixNano: `${one.at}000000`,
                endTimeUnixNano: `${one.at + 100}000000`,
                status: { message: one.failure },
                attributes: [
                  ...Object.entries({
                    'http.request.method': one.method,
                    'url.full': one.url,
                    'user_agent.original': one.requestHeaders.at(-1)?.[1],
                    'http.request.header.authorization': plant(`spans, header ${index}`),
                    ...(one.status === 0 && { 'error.type': one.failure }),
                  }).map(([key, stringValue]) => ({ key, value: { stringValue } })),
                  ...(one.status === 0
                    ? []
                    : [{ key: 'http.response.status_code', value: { intValue: String(one.status) } }]),
                ],
              })),
            },
          ],
        },
      ],
    }),
  journal: (all) =>
    JSON.stringify({
      requests: all.map((one) => ({
        at: one.at,
        method: one.method,
        path: new URL(one.url).pathname,
        query: new URL(one.url).search,
        status: one.status,
        durationMs: 100,
        outcome: one.status === 0 ? 'lost' : 'answered',
        requestHeaders: Object.fromEntries(one.requestHeaders),
        requestBody: one.body,
        responseHeaders: Object.fromEntries(one.responseHeaders),
        responseBody: one.text,
      })),
    }),
};

it.each(Object.keys(formats))('%s', async (format) => {
  const dir = tempDir();
  writeFileSync(join(dir, 'package.json'), '{}');
  mkdirSync(join(dir, 'out'));
  // The recordings lie elsewhere: they alone may have the secrets.
  const inputs = tempDir();
  const file = join(inputs, 'recording');
  const damaged = join(inputs, 'damaged');
  const content = formats[format]?.(saidIn(format)) ?? '';
  writeFileSync(file, content);
  writeFileSync(damaged, `${content.slice(0, -40)}]]: {\u0001`);
  const printed: NamedText[] = [];
  const commands = [
    ['import', file, '--name', 'planted', '--keep'],
    ['import', file, '--name', 'planted', '--json'],
    ['import', 'check', 'planted'],
    ['import', 'show', 'planted'],
    ['import', 'show', 'planted', '--json'],
    ['import', file, '--name', 'none', '--host', 'other.example.test'],
    ['import', file, '--name', 'none', '--say', 'credits=x'],
    ['import', damaged, '--name', 'damaged'],
    ['import', damaged, '--name', 'damaged', '--json'],
  ];
  const codes: (number | null)[] = [];
  for (const args of commands) {
    const { code, stdout, stderr } = await run(args, { cwd: dir });
    codes.push(code);
    printed.push([`stdout of ${args.join(' ')}`, stdout], [`stderr of ${args.join(' ')}`, stderr]);
  }
  expect(codes.slice(0, 2).every((code) => code !== 2 && code !== null)).toBe(true);
  const written = filesBelow(dir);
  expect(written.some(([name]) => name === 'planted.json')).toBe(true);
  expect(planted.size).toBeGreaterThan(100);
  expect(leaksIn([...printed, ...written])).toEqual([]);
});
