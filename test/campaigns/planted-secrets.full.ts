// Hundreds of secrets, each planted in a place of its own: afterwards none of them is in a file of the data directory or
// an exported snapshot, neither as it is nor in base64 or hex, though the process was killed before it could clean up.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startCommand } from '../support/command.js';
import { sendRaw } from './support/hostile-raw.js';
import { createPlanting, exported, filesBelow } from './support/planted.js';

const { planted, plant, leaksIn } = createPlanting();

const names = [
  ...[
    'password',
    'pass',
    'passcode',
    'passphrase',
    'db_pass',
    'userPassword',
    'secret',
    'client_secret',
    'clientSecret',
  ],
  ...['privateKey', 'private_key', 'ssh_key', 'license_key', 'apiKey', 'api_key', 'accessKey', 'signingKey', 'key'],
  ...['token', 'access_token', 'refreshToken', 'jwt', 'session', 'sid', 'sig', 'signature', 'otp', 'pin', 'cvv', 'dsn'],
  ...[
    'connectionString',
    'webhookUrl',
    'creds',
    'credentials',
    'code',
    'mnemonic',
    'seed_phrase',
    'authorization',
    'cookie',
  ],
];
const headerNames = [
  ...[
    'x-auth',
    'x-pass',
    'x-bearer',
    'x-sid',
    'x-otp',
    'x-token',
    'x-secret',
    'x-session',
    'x-api-key',
    'x-csrf-token',
  ],
  ...['x-payment', 'payment-signature', 'x-wallet-signature', 'proxy-authorization', 'x-amz-security-token', 'x-jwt'],
];

const agents = '/api/v1/app/agents';
const formType = { 'content-type': 'application/x-www-form-urlencoded' };
const textType = { 'content-type': 'text/plain' };

/** Sends requests with a good key, and counts them. */
interface Sender {
  ask(method: string, target: string, headers?: Record<string, string>, body?: string): Promise<any>;
  json(path: string, body: object): Promise<any>;
  sent(): number;
}

function senderTo({ url: base, apiKey }: { url: string; apiKey: string }): Sender {
  let sent = 0;
  const ask: Sender['ask'] = (method, target, headers = {}, body) => {
    sent++;
    const sending = { method, headers: { authorization: `Bearer ${apiKey}`, ...headers } };
    return new Promise((resolve, reject) => {
      const asked = request(new URL(target, base), sending, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        answer.on('end', () => resolve(text.startsWith('{') ? JSON.parse(text) : text));
      });
      asked.on('error', reject).end(body);
    });
  };
  return { ask, json: (path, body) => ask('POST', path, {}, JSON.stringify(body)), sent: () => sent };
}

async function plantByName({ ask, json }: Sender): Promise<void> {
  for (const name of names) {
    await json(agents, { name: 'A', [name]: plant(`JSON: ${name}`) });
    await json(agents, { name: 'B', list: [{ deep: { [name]: plant(`nested JSON: ${name}`) } }] });
    await ask('GET', `/api/v1/user?${name}=${plant(`query: ${name}`)}`);
    await ask('POST', '/auth/login', formType, `email=a&${name}=${plant(`form: ${name}`)}`);
    await json(agents, { name: 'C', vars: [{ name, value: plant(`pair by name: ${name}`) }] });
    await json(agents, { name: 'D', vars: [{ key: name, value: plant(`pair by key: ${name}`) }] });
    await ask('GET', '/api/v1/user', { [`x-${name.replaceAll('_', '-')}`]: plant(`header: x-${name}`) });
    for (const by of ['name', 'key']) {
      const pair = (place: string) =>
        `v%5B0%5D%5B${by}%5D=${name}&v%5B0%5D%5Bvalue%5D=${plant(`${place}: ${by} ${name}`)}`;
      await ask('POST', '/auth/login', formType, `email=a&${pair('pair in a form')}`);
      await ask('GET', `/api/v1/user?${pair('pair in a query')}`);
    }
  }
  for (const name of headerNames) await ask('GET', '/api/v1/user', { [name]: plant(`header: ${name}`) });
  for (const name of ['session', 'sid', 'anything'])
    await ask('GET', '/api/v1/user', { cookie: `a=b; ${name}=${plant(`cookie: ${name}`)}` });
}

async function plantInForms({ ask }: Sender): Promise<void> {
  const boundary = { 'content-type': 'multipart/form-data; boundary=b' };
  for (const name of ['password', 'api_key', 'environment_vars[DB]', 'token'])
    for (const path of ['/api/v1/voice/clone', agents, '/api/v1/knowledge'])
      await ask(
        'POST',
        path,
        boundary,
        `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${plant(`multipart: ${name} ${path}`)}\r\n--b--\r\n`,
      );
  await ask(
    'POST',
    '/auth/login',
    formType,
    `environment_vars%5BDB%5D=${plant('variables in a form')}&environment_vars[X]=${plant('variables in a form, bare')}`,
  );
}

async function plantKeys({ ask, json }: Sender): Promise<void> {
  const asKey = plant('a key in Basic', 'ek_test_');
  await ask('GET', '/api/v1/user', { authorization: `Basic ${btoa(`me:${asKey}`)}` });
  await ask('GET', '/api/v1/user', { authorization: `Bearer ${plant('an unknown key', 'ek_test_')}` });
  await ask('GET', '/api/v1/user', { authorization: `Bearer ${plant('a live key', 'ek_live_')}` });
  await ask('GET', `/api/v1/containers/${plant('a key in a path', 'ek_test_')}`);
  await ask('GET', `/nowhere/${plant('a key in no path', 'ek_live_')}`);
  for (const before of ['', 'x', 'xy'])
    await json(agents, {
      name: 'E',
      note: btoa(`${before}${plant(`a key in base64 after ${before.length}`, 'ek_test_')}`),
    });
}

// Secrets that are recognized by their looks, wherever they are.
const lookalikes: [what: string, of: (place: string) => string][] = [
  [
    'an id of AWS',
    (place) => {
      const id = `AKIA${createHash('sha256').update(place).digest('hex').slice(0, 16).toUpperCase()}`;
      planted.set(`an id of AWS in ${place}`, id);
      return id;
    },
  ],
  ['PEM', (place) => `-----BEGIN RSA PRIVATE KEY-----\n${plant(`PEM in ${place}`)}\n-----END RSA PRIVATE KEY-----`],
  ['base64', (place) => btoa(plant(`a key in base64 in ${place}`, 'ek_test_'))],
];

async function plantByLooks({ ask, json }: Sender): Promise<void> {
  for (const [what, of] of lookalikes) {
    await json(agents, { name: 'F', note: `uses ${of('JSON')}` });
    await ask('GET', `/api/v1/user?note=${encodeURIComponent(of('a query'))}`);
    await ask('POST', '/auth/login', formType, `email=a&note=${encodeURIComponent(of('a form'))}`);
    await ask('POST', agents, textType, `uses ${of('a text')}`);
    if (what !== 'PEM') await ask('GET', '/api/v1/user', { 'x-note': of('a header') });
  }
  await json(agents, { name: 'H', link: `https://me:${plant('a URL with a password')}@example.com/` });
  const link = `https://me:${plant('such a URL in a query')}@example.com/`;
  await ask('GET', `/api/v1/user?next=${encodeURIComponent(link)}`);
  await json(agents, { name: 'I', note: `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJtZSJ9.${plant('a token in a text')}` });
  await ask('POST', agents, {}, `{"name": "J", "password": "${plant('damaged JSON')}"`);
  await ask('POST', agents, textType, `password=${plant('pairs in a text')}`);
}

async function plantWhatIsMade({ ask, json }: Sender): Promise<void> {
  const minted = await json('/_emulator/sessions', {});
  planted.set('a session', minted.token.split('.')[2]);
  await ask('GET', '/api/v1/user', { authorization: `Bearer ${minted.token}` });
  const wallet = await json('/_emulator/wallets', {});
  planted.set('a wallet', wallet.privateKey.slice(2));
  const key = await json('/api/v1/api-keys', { name: 'K' });
  planted.set('a minted key', key.plainKey.slice(12));
  await json('/api/auth/siwe/verify', { message: 'x', signature: `0x${plant('a signature').repeat(4)}` });
  await json('/api/v1/x402/verify', { paymentPayload: { payload: { signature: plant('a payment’s signature') } } });
}

async function plantInPushes({ ask }: Sender): Promise<void> {
  const pushes: [string, string][] = [
    ['Basic', btoa(`AWS:${plant('a push with Basic')}`)],
    ['Bearer', plant('a push with Bearer')],
  ];
  for (const [scheme, value] of pushes)
    await ask('POST', '/v2/acme/web/blobs/uploads/', { authorization: `${scheme} ${value}` });
  await ask('GET', `/v2/token?service=x&password=${plant('a registry’s query')}`);
}

// The variables of a container, which are kept as they are.
const kept = 'the-variable-of-a-container';

async function plantInContainer({ ask, json }: Sender, emulatorPort: number): Promise<void> {
  const variables = { DATABASE_URL: kept };
  const web = { name: 'web', project_name: 'web', ecr_image_uri: 'localhost/acme/web:v1' };
  const { data } = await json('/api/v1/containers', { ...web, environment_vars: variables });
  const { url } = (await ask('GET', `/api/v1/containers/${data.id}`)).data;
  const app = (path: string, headers: Record<string, string>) => ask('GET', new URL(path, url).href, headers);
  await app(`/?token=${plant('a container’s query')}`, { authorization: `Bearer ${plant('a container’s header')}` });
  await app('/', { cookie: `sid=${plant('a container’s cookie')}` });
  const upgrade = `GET /?key=${plant('a WebSocket’s query')} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer ${plant('a WebSocket’s header')}\r\n\r\n`;
  for (const to of [emulatorPort, Number(new URL(url).port)]) await sendRaw(to, [upgrade], true);
}

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

it('the emulator keeps no planted secret, except the variables of containers', async () => {
  const upstream = createServer((_, res) => res.end('fine'));
  const upstreams = JSON.stringify({ web: await listening(upstream) });
  const emulator = await startCommand(['--seed', 'planted'], {
    env: { CLOUDEMU_CONTAINERS_TIMING: 'instant', CLOUDEMU_CONTAINERS_UPSTREAMS: upstreams },
  });
  const sender = senderTo(emulator);
  const { ask, json, sent } = sender;
  for (const plantIn of [plantByName, plantInForms, plantKeys, plantByLooks, plantWhatIsMade, plantInPushes])
    await plantIn(sender);
  await plantInContainer(sender, emulator.port);
  await json('/api/v1/chat/completions', { model: 'm', api_key: plant('beside a chat'), messages: [] });
  await json('/_emulator/faults', { match: { headers: { 'x-secret': plant('a fault’s match') } }, effect: {} });
  const open = 'an-open-word-of-a-chat';
  await json('/api/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: open }] });

  // The journal is written behind the answers, in their order; the kill leaves everything as it lies.
  const { requests } = await ask('GET', '/_emulator/requests?limit=1000');
  expect(requests.length).toBeGreaterThan(250);
  await json('/_emulator/snapshots', { name: 'planted' });
  const whole = JSON.stringify(await ask('GET', '/_emulator/snapshots/planted/export'));
  const cleared = JSON.stringify(await ask('GET', '/_emulator/snapshots/planted/export?withoutSecrets=true'));
  expect(sent()).toBeGreaterThan(500);
  const read = () => filesBelow(join(emulator.dir, '.cloudemu'));
  await expect.poll(() => read().some(([, text]) => text.includes(open))).toBe(true);
  await emulator.end('SIGKILL');
  upstream.close();
  const files = read();
  expect(planted.size).toBeGreaterThanOrEqual(480);
  expect(new Set(planted.values()).size).toBe(planted.size);
  const exports = { whole: exported('the export', whole), cleared: exported('the export without secrets', cleared) };
  expect(leaksIn([...files, ...exports.whole, ...exports.cleared])).toEqual([]);
  // These words prove that the journal is in these files: docs/settings-and-data.md says that the first is kept in plain
  // text, and the second is no secret.
  for (const word of [kept, open]) expect(files.some(([, text]) => text.includes(word))).toBe(true);
  expect(exports.whole.some(([, text]) => text.includes(kept))).toBe(true);
  expect(exports.cleared.some(([, text]) => text.includes(kept))).toBe(false);
});
