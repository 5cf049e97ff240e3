// Whatever secret a client sends, wherever it puts it: it is in no file, no answer of the journal, no stream, no log.

import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.js';
import { tempDir } from '../../support/command.js';
import { type RunEmulator, runWithControls } from '../../support/run-emulator.js';
import { openStream, type SseReader } from '../../support/sse.js';

let dataDir = '';
let emulator: RunEmulator;
let stream: SseReader;
const log: string[] = [];
const errors: unknown[] = [];

beforeEach(async () => {
  dataDir = tempDir();
  const settings = { server: { port: 0 }, data: { dir: dataDir }, rateLimits: { enabled: false } };
  const { config } = loadConfig({ file: null, settings });
  emulator = await runWithControls({
    config,
    onRequest: (entry) => log.push(JSON.stringify(entry)),
    onError: (error) => errors.push(error),
  });
  stream = await openStream(`${emulator.url}/_emulator/requests/stream`, {});
});
afterEach(async () => {
  stream.close();
  await emulator.close();
});

interface Shot {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Sends what fetch would not let us; resolves when it was answered. */
function send({ method, path, headers, body }: Shot): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: emulator.port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve(text));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const random = fc.stringMatching(/^[0-9a-f]{32,64}$/);
const key = fc
  .tuple(fc.constantFrom('ek_test_', 'ek_live_'), random)
  .map(([prefix, value]) => ({ value, text: prefix + value }));
const named = random.map((value) => ({ value, text: value }));
const secretNames = fc.constantFrom(
  'password',
  'apiKey',
  'client_secret',
  'sessionToken',
  'privateKey',
  'signature',
  'plainKey',
);
const secretHeaders = fc.constantFrom(
  'authorization',
  'x-api-key',
  'cookie',
  'x-payment',
  'payment-signature',
  'x-wallet-signature',
  'x-csrf-token',
  'x-my-secret',
);

/** A secret somewhere in a request: of a look that gives it away, or under a name that does. */
const shots = fc.oneof(
  fc.tuple(key, fc.constantFrom('x-note', 'user-agent', 'x-request-id', 'referer')).map(([{ value, text }, name]) => ({
    value,
    shot: { headers: { [name]: `about ${text} and more` } },
  })),
  fc
    .tuple(fc.oneof(key, named), secretHeaders, fc.constantFrom('', 'Bearer ', 'Basic '))
    .map(([{ value, text }, name, scheme]) => ({
      value,
      shot: { headers: { [name]: scheme + text } },
    })),
  fc
    .tuple(key, fc.constantFrom('/api/v1/containers/', '/nowhere/', '/api/v1/api-keys/'))
    .map(([{ value, text }, path]) => ({
      value,
      shot: { path: path + text },
    })),
  fc.tuple(key, fc.constantFrom('tail', 'zzz', 'search')).map(([{ value, text }, name]) => ({
    value,
    shot: { path: `/api/v1/containers?${name}=${text.replace('_', '%5F')}` },
  })),
  fc
    .tuple(named, fc.constantFrom('token', 'api_key', 'password', 'sig', 'signature'))
    .map(([{ value, text }, name]) => ({
      value,
      shot: { path: `/api/v1/credits/balance?${name}=${text}&b=1` },
    })),
  fc.tuple(named, secretNames, fc.nat(5)).map(([{ value }, name, depth]) => {
    let tree: object = { [name]: value };
    for (let i = 0; i < depth; i++) tree = i % 2 === 0 ? { list: [1, tree] } : { inside: tree };
    return { value, shot: { method: 'POST', body: JSON.stringify({ name: 'a', ...tree }) } };
  }),
  fc.tuple(named, fc.nat(9)).map(([{ value }, number]) => ({
    value,
    shot: {
      method: 'POST',
      body: JSON.stringify({
        name: `web ${number}`,
        project_name: `web-${number}`,
        ecr_image_uri: 'r/a:1',
        environment_vars: { DATABASE: value, B: `x${value}` },
      }),
    },
  })),
  fc.tuple(key, fc.constantFrom('name', 'ecr_image_uri', 'nope')).map(([{ value, text }, name]) => ({
    value,
    shot: { method: 'POST', body: JSON.stringify({ [name]: `${text}!`, port: 'none' }) },
  })),
  fc.tuple(key, fc.constantFrom('just text with', '{"name": "', '{"a":1}} ')).map(([{ value, text }, before]) => ({
    value,
    shot: { method: 'POST', body: `${before} ${text} and an end` },
  })),
  fc.tuple(named).map(([{ value }]) => ({
    value,
    shot: { method: 'POST', body: `{"name": "a", "password": "${value}", "pad": "${'x'.repeat(20_000)}"` },
  })),
);

function filesWith(text: string): string[] {
  return (readdirSync(dataDir, { recursive: true }) as string[]).filter((file) => {
    try {
      return readFileSync(join(dataDir, file)).includes(text);
    } catch {
      return false;
    }
  });
}

it('the emulator keeps no secret of a client anywhere', async () => {
  const property = fc.asyncProperty(fc.array(shots, { minLength: 8, maxLength: 24 }), async (salvo) => {
    const answers = await Promise.all(
      salvo.map(({ shot }) =>
        send({
          method: 'GET',
          path: '/api/v1/containers',
          body: undefined,
          ...shot,
          headers: { authorization: `Bearer ${emulator.apiKey}`, ...('headers' in shot ? shot.headers : {}) },
        }),
      ),
    );
    expect(answers).toHaveLength(salvo.length);
    const listed = await fetch(`${emulator.url}/_emulator/requests?limit=1000`).then((response) => response.text());
    const count = (JSON.parse(listed) as { requests: { seq: number }[] }).requests[0]?.seq ?? 0;
    const streamed = JSON.stringify(await stream.until(count));
    // Written only now: whoever reads files must not find what whoever asked did not.
    emulator.controls.snapshots.take({ name: 'now' });
    expect(filesWith(emulator.organizationId)).not.toEqual([]);
    for (const { value } of salvo) {
      const places = { listed, streamed, log: log.join('\n'), verdicts: JSON.stringify(emulator.controls.verdicts()) };
      for (const [place, text] of Object.entries(places))
        expect(text.includes(value), `${value} in ${place}`).toBe(false);
      const stored = filesWith(value).filter((file) => file !== 'world.db-shm');
      // A container's variables are the platform's own data, and stay in it.
      const isVariable = salvo.some((one) => one.value === value && JSON.stringify(one).includes('environment_vars'));
      if (!isVariable) expect(stored, value).toEqual([]);
    }
  });
  await fc.assert(property, { numRuns: 12 });
  expect(errors).toEqual([]);
});

it('the emulator keeps none of the secrets that responses hold', async () => {
  const headers = { authorization: `Bearer ${emulator.apiKey}` };
  const post = async (path: string, body: object): Promise<any> =>
    (await fetch(emulator.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  const { plainKey } = await post('/api/v1/api-keys', { name: 'a' });
  const { plainKey: live } = await post('/api/v1/api-keys', { name: 'b', environment: 'live' });
  const { credentials } = (await (
    await fetch(`${emulator.url}/api/v1/containers/credentials`, { headers })
  ).json()) as any;
  const listed = JSON.stringify(emulator.controls.requests.list());
  const streamed = JSON.stringify(await stream.until(3));
  await emulator.close();
  for (const secret of [plainKey, live, credentials.password, emulator.apiKey]) {
    expect(secret.length).toBeGreaterThan(20);
    for (const text of [listed, streamed, log.join('\n')]) expect(text).not.toContain(secret.slice(12));
    expect(filesWith(secret.slice(12))).toEqual([]);
  }
  expect(listed).toContain('********');
});
