// Every kind of secret, used rightly, wrongly and in the wrong places, against the built command: afterwards it stands
// in no file of the data directory, not in the log, not in the journal and in no error.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  headerMistakes,
  paymentHeader,
  paymentMistakes,
  signHeaders,
  signSiwe,
  siweMistakes,
  testWallet,
} from '../../src/testing.js';
import { startCommand } from '../support/command.js';
import { forge } from '../support/sessions.js';

const controlToken = 'let-me-in-71c0ffee5eed';
const hex = (start: string): string => start.padEnd(64, '5');

/** The secrets that must be found nowhere, and what was seen on the way. */
class Visit {
  readonly secrets = new Map<string, string>();
  /** Values of environment variables: the database may hold them, so that they can be revealed. */
  readonly variables = new Map<string, string>();
  readonly errors: string[] = [];

  constructor(readonly url: string) {}

  /** Notes a secret; its beginning may be shown. */
  keep(name: string, value: string, from = 0): string {
    this.secrets.set(name, value.slice(from));
    return value;
  }

  async send(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<any> {
    const sent = await fetch(this.url + path, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await sent.text();
    if (!sent.ok) this.errors.push(`${text} ${JSON.stringify([...sent.headers])}`);
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
}

const bearer = (value: string) => ({ authorization: `Bearer ${value}` });
const userPath = '/api/v1/user';

async function useKeys(visit: Visit, apiKey: string): Promise<void> {
  const good = bearer(visit.keep('the seeded key', apiKey, 12));
  const { plainKey, apiKey: record } = await visit.send('POST', '/api/v1/api-keys', good, { name: 'Minted' });
  const renewed = await visit.send('POST', `/api/v1/api-keys/${record.id}/regenerate`, good);
  const live = await visit.send('POST', '/api/v1/api-keys', good, { name: 'Live', environment: 'live' });
  const control = await visit.send('POST', '/_emulator/keys', {}, { permissions: ['chat'], expiresIn: '1m' });
  const organization = await visit.send('POST', '/_emulator/organizations', {}, { credits: 5 });
  for (const [name, value] of Object.entries({
    'a minted key': plainKey,
    'a renewed key': renewed.plainKey,
    'a live key of ours': live.plainKey,
    'a restricted key': control.apiKey,
    'an organization’s key': organization.apiKey,
    'an unknown key': `ek_test_${hex('dead')}`,
    'a foreign live key': `ek_live_${hex('beef')}`,
    'a key that is cut': `ek_test_${hex('cafe').slice(0, 40)}`,
  })) {
    visit.keep(name, value, 12);
    await visit.send('GET', userPath, bearer(value));
    await visit.send('POST', '/api/v1/containers', { 'x-api-key': ` ${value} ` }, { name: 1 });
    await visit.send('GET', `${userPath}?api_key=${value}&x=${value}`, good);
    await visit.send('GET', `/api/v1/containers/${value}`, good);
    await visit.send('GET', `/nowhere/${value}`);
    await visit.send('GET', `/w/${value}/api/health`);
    await visit.send('POST', '/api/v1/app/agents', good, { name: value.repeat(3), [value]: value, apiKey: value });
    await visit.send('POST', '/api/v1/api-keys', good, `{"name": "x", "apiKey": "${value}"`);
    await visit.send('POST', '/auth/login', {}, { email: value });
    await visit.send('POST', '/api/auth/cli-session', {}, { sessionId: ` ${value}` });
    await visit.send('GET', userPath, { authorization: `Basic ${btoa(`me:${value}`)}` });
  }
  await visit.send('DELETE', `/api/v1/api-keys/${record.id}`, good);
}

async function useSessions(visit: Visit): Promise<void> {
  const signatureOf = (token: string): number => token.lastIndexOf('.') + 1;
  const keep = (name: string, token: string) => visit.keep(name, token, signatureOf(token));
  const minted = await visit.send('POST', '/_emulator/sessions');
  const short = await visit.send('POST', '/_emulator/sessions', {}, { role: 'viewer', expiresIn: 1 });
  const ended = await visit.send('POST', '/_emulator/sessions');
  await visit.send('DELETE', `/_emulator/sessions/${ended.id}`);
  const login = await visit.send('POST', '/auth/login', {}, { email: 'owner@example.test' });
  for (const [name, token] of Object.entries({
    'a session': minted.token as string,
    'an expired session': short.token as string,
    'an ended session': ended.token as string,
    'a login': login.token as string,
    'a forged session': forge({ alg: 'HS256' }, { sub: 'me' }, 'guessed'),
    'another provider’s session': forge({ alg: 'RS256', kid: 'prod' }, { sub: 'me' }, 'theirs'),
  })) {
    keep(name, token);
    await visit.send('GET', userPath, bearer(token));
    await visit.send('GET', userPath, { cookie: `a=b; session=${token}` });
    await visit.send('POST', '/api/v1/api-keys', { cookie: `session=${token}`, origin: 'https://evil.example' });
    await visit.send('GET', userPath, { 'x-api-key': token });
    await visit.send('GET', `${userPath}?token=${token}&other=${token}`);
    await visit.send('GET', `/auth/login?return_to=https://evil.example/${token}`);
    await visit.send('GET', `/auth/login?return_to=https://evil.example/${token}`, { accept: 'text/html' });
    await visit.send('POST', '/auth/login', { 'content-type': 'application/x-www-form-urlencoded' }, `userId=${token}`);
  }
  const sessionId = 'b7f5f5e8-1fb4-4bbf-9f0c-000000000001';
  await visit.send('POST', '/api/auth/cli-session', {}, { sessionId });
  const given = await visit.send('POST', `/api/auth/cli-session/${sessionId}/complete`, bearer(minted.token));
  visit.keep('the key of a command line', given.apiKey, 12);
  await visit.send('GET', `/api/auth/cli-session/${sessionId}`);
  await visit.send('POST', '/auth/logout', bearer(login.token));
}

async function useWallets(visit: Visit): Promise<void> {
  const wallet = testWallet('secrets');
  const { wallets } = await visit.send('GET', '/_emulator/wallets');
  const more = await visit.send('POST', '/_emulator/wallets');
  for (const { index, privateKey } of [...wallets, more]) visit.keep(`private key ${index}`, privateKey, 2);
  visit.keep('the private key', wallet.privateKey, 2);
  const first = await visit.send('GET', '/api/auth/siwe/nonce');
  for (const wrong of [undefined, ...siweMistakes]) {
    // The limit refuses the last.
    const nonce = await visit.send('GET', '/api/auth/siwe/nonce');
    const signed = await signSiwe({ ...first, ...nonce, wallet, ...(wrong && { wrong }) });
    visit.keep(`the signature of a sign-in: ${wrong}`, signed.signature.slice(0, 66), 2);
    const answer = await visit.send('POST', '/api/auth/siwe/verify', {}, signed);
    if (answer.apiKey !== undefined) visit.keep(`the key of a sign-in: ${wrong}`, answer.apiKey, 12);
  }
  for (const [n, wrong] of [undefined, ...headerMistakes].entries()) {
    const signed = await signHeaders({ wallet, path: userPath, timestamp: Date.now() + n, ...(wrong && { wrong }) });
    visit.keep(`the signature of a request: ${wrong}`, signed['X-Wallet-Signature'].slice(0, 66), 2);
    await visit.send('GET', userPath, { ...signed });
    await visit.send('GET', `${userPath}?signature=${signed['X-Wallet-Signature']}`);
  }
}

async function usePayments(visit: Visit): Promise<void> {
  const wallet = testWallet('secrets', 1);
  const topUp = '/api/v1/topup/10';
  const [requirement] = (await visit.send('POST', topUp)).accepts;
  for (const wrong of [undefined, ...paymentMistakes]) {
    const header = await paymentHeader({ wallet, requirement, wrong });
    const [content = ''] = Object.values(header);
    if (content.length > 100) visit.keep(`a payment: ${wrong}`, content);
    const signature = /"signature":"0x([0-9a-f]{64})/i.exec(Buffer.from(content, 'base64').toString())?.[1];
    if (signature !== undefined) visit.keep(`the signature of a payment: ${wrong}`, signature);
    await visit.send('POST', topUp, header, { walletAddress: wallet.address });
    await visit.send('GET', userPath, header);
    const paymentPayload = content.startsWith('ey') ? JSON.parse(Buffer.from(content, 'base64').toString()) : {};
    for (const act of ['verify', 'settle'])
      await visit.send('POST', `/api/v1/x402/${act}`, {}, { paymentPayload, paymentRequirements: requirement });
  }
}

async function useContainers(visit: Visit, apiKey: string): Promise<void> {
  const good = bearer(apiKey);
  const { credentials } = await visit.send('POST', '/api/v1/containers/credentials', good);
  visit.keep('the registry’s password', credentials.password, credentials.password.lastIndexOf('.') + 1);
  const variable = (name: string): string => {
    visit.variables.set(name, `hunter-${visit.variables.size}-of-${name}`);
    return visit.variables.get(name) ?? '';
  };
  const web = { name: 'web', project_name: 'web', ecr_image_uri: 'localhost/acme/web:v1' };
  const create = (fields: object) => visit.send('POST', '/api/v1/containers', good, { ...web, ...fields });
  const { data } = await create({ environment_vars: { DATABASE_URL: variable('URL'), NAME: variable('NAME') } });
  const shown = await visit.send('GET', `/api/v1/containers/${data.id}?reveal=true`, good);
  expect(JSON.stringify(shown)).toContain(visit.variables.get('URL'));
  await visit.send('PATCH', `/api/v1/containers/${data.id}`, good, { environment_vars: { NAME: variable('CHANGED') } });
  await visit.send('GET', `/api/v1/containers/${data.id}/logs?tail=1000`, good);
  await create({ environment_vars: { '1BAD': variable('BAD_NAME') } });
  await create({ environment_vars: { NESTED: { value: variable('NESTED') } } });
  await create({ environment_vars: [variable('LISTED')] });
  await create({ environment_vars: variable('TEXT') });
  await create({ environment_vars: { HUGE: variable('HUGE').padEnd(33_000, '.') } });
  await create({ port: 'x', environment_vars: { FINE: variable('BESIDE') } });
  await create({ environment_vars: { EMULATOR_FAIL: 'crash-loop', FAILS: variable('FAILS') } });
  await create({ env: { TYPO: variable('TYPO') }, environmentVars: { CAMEL: variable('CAMEL') } });
  await visit.send('POST', '/api/v1/containers', good, `{"environment_vars": {"CUT": "${variable('CUT')}"`);
  const password = visit.keep('a password in an image’s name', 'pa55word-of-an-image');
  await create({ ecr_image_uri: `https://me:${password}@localhost/web` });
  await create({ name: 'x', password, registryPassword: password });
}

it('the built command keeps every secret to itself', async () => {
  const emulator = await startCommand(['--seed', 'secrets', '--control-token', controlToken]);
  const visit = new Visit(emulator.url);
  visit.keep('the control token', controlToken);
  await useKeys(visit, emulator.apiKey);
  await useSessions(visit);
  await useWallets(visit);
  await usePayments(visit);
  await useContainers(visit, emulator.apiKey);
  await visit.send('POST', '/_emulator/snapshots', {}, { name: 'with-secrets' });
  const scenario = JSON.stringify(await visit.send('POST', '/_emulator/scenarios/mine/save', {}, {}));
  const journal: string[] = [];
  const { requests } = await visit.send('GET', '/_emulator/requests?limit=1000');
  for (const { requestId } of requests.slice(0, 60))
    journal.push(JSON.stringify(await visit.send('GET', `/_emulator/requests/${requestId}`)));
  journal.push(JSON.stringify(requests), JSON.stringify(await visit.send('GET', '/_emulator/config')));
  journal.push(JSON.stringify(await visit.send('GET', '/_emulator/verdicts')));
  // Reading the journal has written what was still in memory.

  const dataDir = join(emulator.dir, '.cloudemu');
  const read = (): Map<string, string> =>
    new Map(
      readdirSync(dataDir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'latin1')]),
    );
  const running = read();
  const { code, stdout, stderr } = await emulator.end();
  expect(code).toBe(0);
  const ended = read();
  expect([...running.keys()].sort()).toEqual(expect.arrayContaining(['world.db', 'world.db-wal', 'run.json']));
  expect(running.get('world.db-wal')).toContain(emulator.organizationId);
  expect(ended.get('world.db')).toContain('owner@example.test');
  expect(requests.length).toBeGreaterThan(200);
  expect(journal.join('')).toContain('********');
  expect(stderr).toMatch(/GET \/api\/v1\/user|"path":"\/api\/v1\/user"/);

  const [banner = '', ...log] = stdout.split('\n');
  expect(banner).toContain(emulator.apiKey);
  const places: [place: string, text: string][] = [
    ['stdout', log.join('\n')],
    ['stderr', stderr],
    ['the scenario', scenario],
    ...visit.errors.map((text): [string, string] => ['an error', text]),
    ...journal.map((text): [string, string] => ['the journal', text]),
  ];
  // The run file holds the seeded key for the commands, as long as the emulator runs.
  const files = [...running, ...ended].filter(([name]) => name !== 'run.json');
  expect(ended.has('run.json')).toBe(false);
  const leaks = (secrets: Map<string, string>, where: [string, string][]): string[] =>
    [...secrets].flatMap(([name, secret]) =>
      where.flatMap(([place, text]) =>
        text.toLowerCase().includes(secret.toLowerCase()) ? `${name} in ${place}: ${around(text, secret)}` : [],
      ),
    );
  expect(visit.secrets.size).toBeGreaterThan(80);
  for (const [name, secret] of visit.secrets) expect(secret.length, name).toBeGreaterThan(15);
  expect(leaks(visit.secrets, [...places, ...files])).toEqual([]);
  expect(leaks(visit.variables, places)).toEqual([]);
});

function around(text: string, secret: string): string {
  const at = text.toLowerCase().indexOf(secret.toLowerCase());
  return text.slice(Math.max(0, at - 120), at + secret.length + 60);
}
