// Every endpoint × every way to authenticate × every state of it: the status follows from the declaration alone.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configSchema } from '../../src/config/schema.js';
import type { Endpoint } from '../../src/http/endpoint.js';
import { createEmulator, type Emulator, type EmulatorWorld } from '../../src/index.js';
import type { MintedSession } from '../../src/platform/sessions/control.js';
import { surfaceOf } from '../../src/platform/surface.js';
import { paymentHeader, signHeaders, signSiwe, testWallet } from '../../src/testing.js';
import { asSent, type Client, call } from '../support/emulator.js';
import { type Credentials, goodRequest, isStream, pathOf, seededKey } from '../support/good-requests.js';
import { expectAll } from '../support/matrix.js';
import { requirementOf } from '../support/payments.js';
import { getNonce, verify } from '../support/wallets.js';

type State = 'none' | 'wrong' | 'expired' | 'without permission' | 'right';

interface Way {
  name: string;
  kind: 'key' | 'session' | 'wallet' | 'payer';
  /** Without a state that it cannot be in: nobody takes permissions from a wallet. */
  states: Partial<Record<State, Credentials>>;
  /** How its account makes what a path names, where that is not the seeded one. */
  maker?: Credentials;
}

/** Credentials that have expired by the time they are used, and those that take long to make. */
interface Ground {
  key: string;
  session: MintedSession;
  siwe: { expired: string; few: string; right: string };
  /** The session of the wallet whose key is restricted anew for each endpoint. */
  restricter: string;
}

const nothing = { authorization: '' };
const bearer =
  (value: string): Credentials =>
  () => ({ authorization: `Bearer ${value}` });
const header =
  (value: string): Credentials =>
  () => ({ ...nothing, 'x-api-key': value });
const cookie =
  (value: string): Credentials =>
  () => ({ ...nothing, cookie: value });

/** Permissions that are not enough for an endpoint, by a little. */
function tooFew({ permission }: Endpoint): ['chat:read'] | ['embeddings:read'] {
  const few = typeof permission === 'object' && permission.level === 'write' ? `${permission.name}:read` : undefined;
  return [few ?? (typeof permission === 'object' && permission.name === 'chat' ? 'embeddings:read' : 'chat:read')] as [
    'chat:read',
  ];
}

/** Permissions that are just enough. */
function justEnough({ permission }: Endpoint): ['chat:read'] | [] {
  return typeof permission === 'object' ? [`${permission.name}:${permission.level}` as 'chat:read'] : [];
}

async function prepareGround(world: EmulatorWorld): Promise<Ground> {
  const { keys, sessions, clock } = world.controls;
  const expiresIn = '10m';
  const siwe = { expired: await siweKey(world, 1), few: await siweKey(world, 2), right: await siweKey(world, 3) };
  await fund(world, await walletWay().states.right?.('GET', '/api/v1/user'));
  const expires_at = new Date(Date.parse(clock.get().now) + 600_000).toISOString();
  await change(world, siwe.expired, siwe.expired, { expires_at });
  const ground = {
    key: keys.create({ expiresIn }).apiKey,
    session: sessions.create({ expiresIn }),
    siwe,
    restricter: sessions.create({ userId: await userOf(world, siwe.few) }).token,
  };
  await clock.advance('1h');
  return ground;
}

async function waysInto(world: EmulatorWorld, endpoint: Endpoint, ground: Ground): Promise<Way[]> {
  const { keys, sessions } = world.controls;
  const { siwe, restricter, ...expired } = ground;
  await change(world, restricter, siwe.few, { permissions: tooFew(endpoint) });
  const few = keys.create({ permissions: tooFew(endpoint) }).apiKey;
  const enough = keys.create({ permissions: justEnough(endpoint) }).apiKey;
  const [viewer, owner] = [sessions.create({ role: 'viewer' }), sessions.create()];
  const unknownKey = `ek_test_${'0'.repeat(64)}`;
  const otherToken = `${owner.token.slice(0, -8)}AAAAAAAA`;
  const none = (): Record<string, string> => nothing;
  return [
    {
      name: 'a key as Bearer',
      kind: 'key',
      states: {
        none,
        wrong: bearer(unknownKey),
        expired: bearer(expired.key),
        'without permission': bearer(few),
        right: seededKey,
      },
    },
    {
      name: 'a key as X-API-Key',
      kind: 'key',
      states: {
        none: header(''),
        wrong: header(unknownKey),
        expired: header(expired.key),
        'without permission': header(few),
        right: header(enough),
      },
    },
    {
      name: 'a session’s token',
      kind: 'session',
      states: {
        none: bearer(''),
        wrong: bearer(otherToken),
        expired: bearer(expired.session.token),
        'without permission': bearer(viewer.token),
        right: bearer(owner.token),
      },
    },
    {
      name: 'a session’s cookie',
      kind: 'session',
      states: {
        none: cookie('session='),
        wrong: cookie(`session=${otherToken}`),
        expired: cookie(expired.session.cookie),
        'without permission': cookie(viewer.cookie),
        right: cookie(owner.cookie),
      },
    },
    walletWay(),
    {
      name: 'a key from a wallet’s sign-in',
      kind: 'key',
      maker: bearer(siwe.right),
      states: {
        none,
        wrong: bearer(`${siwe.right}0`),
        expired: bearer(siwe.expired),
        'without permission': bearer(siwe.few),
        right: bearer(siwe.right),
      },
    },
    { name: 'a payment', kind: 'payer', states: await payerStates(world) },
  ];
}

async function siweKey(world: EmulatorWorld, index: number): Promise<string> {
  const wallet = testWallet('matrix', index);
  const { status, body } = await verify(world, await signSiwe({ ...(await getNonce(world)), wallet }));
  if (status !== 200) throw new Error(JSON.stringify(body));
  await fund(world, { authorization: `Bearer ${body.apiKey}` });
  return body.apiKey;
}

async function fund(world: EmulatorWorld, headers: Record<string, string> = {}): Promise<void> {
  const { data } = (await call(world, 'GET', '/api/v1/user', undefined, headers)).body;
  world.controls.organizations.credits(data.organization.id, { set: 1_000 });
}

async function userOf(world: EmulatorWorld, key: string): Promise<string> {
  return (await call(world, 'GET', '/api/v1/user', undefined, { authorization: `Bearer ${key}` })).body.data.id;
}

/** Changes the only key of an account, as somebody who may. */
async function change(world: EmulatorWorld, who: string, key: string, fields: object): Promise<void> {
  const headers = { authorization: `Bearer ${who}` };
  const { body } = await call(world, 'GET', '/api/v1/api-keys', undefined, headers);
  const { id } = body.keys.find((one: any) => key.startsWith(one.key_prefix));
  const { status, text } = await call(world, 'PATCH', `/api/v1/api-keys/${id}`, fields, headers);
  if (status !== 200) throw new Error(text);
}

let requests = 0;

function walletWay(): Way {
  const wallet = testWallet('matrix', 4);
  const signed =
    (wrong?: 'tampered' | 'expired'): Credentials =>
    async (method, path) => ({
      ...nothing,
      // Each request has an instant of its own: a second one of the same would be a replay.
      ...(await signHeaders({
        wallet,
        method,
        path: path.split('?')[0] ?? path,
        timestamp: Date.now() - requests++,
        ...(wrong && { wrong }),
      })),
    });
  const none: Credentials = async (method, path) => {
    const { 'X-Wallet-Signature': _, ...others } = await signed()(method, path);
    return others;
  };
  const states = { none, wrong: signed('tampered'), expired: signed('expired'), right: signed() };
  return { name: 'wallet headers', kind: 'wallet', states, maker: signed() };
}

async function payerStates(world: EmulatorWorld): Promise<Way['states']> {
  const wallet = testWallet('matrix', 5);
  const requirement = await requirementOf(world);
  // More than anything costs; what is asked for must be paid to the cent only where everybody pays.
  const paying =
    (wrong?: 'bad-signature' | 'expired'): Credentials =>
    async (_, path) => {
      const amount = /\/topup\/(\d+)$/.exec(path)?.[1] ?? '100';
      const asked = { ...requirement, maxAmountRequired: `${amount}000000` };
      return { ...nothing, ...(await paymentHeader({ wallet, requirement: asked, wrong })) };
    };
  return { none: () => nothing, wrong: paying('bad-signature'), expired: paying('expired'), right: paying() };
}

/** The expectation by the declaration: a status, that the gates let it pass (whatever comes then), or that it succeeds. */
function expected(endpoint: Endpoint, kind: Way['kind'], state: State): number | 'passes' | 'succeeds' {
  const { auth, fee, price, params, permission, method } = endpoint;
  if (auth === 'session' && kind !== 'session') return 401;
  const pays = kind === 'payer' && state !== 'none';
  if (pays && (fee !== undefined || (price !== undefined && params === undefined)))
    return state === 'right' ? 'succeeds' : 402;
  if (fee !== undefined) return 402;
  if (auth === 'public') return 'succeeds';
  if (kind === 'payer' || state === 'none' || state === 'wrong' || state === 'expired') return 401;
  if (state === 'right') return 'succeeds';
  if (permission === undefined) return 'passes';
  // A viewer reads; a key has no permission that would be enough.
  const reads = permission === 'unrestricted' ? method === 'GET' : permission.level === 'read';
  return kind === 'session' && reads ? 'passes' : 403;
}

/** The world as somebody with other credentials speaks to it. */
function spokenToBy(world: EmulatorWorld, credentials: Credentials): Client {
  const fetch: Client['fetch'] = async (path, init) => {
    const own = await credentials(init?.method ?? 'GET', String(path));
    return world.fetch(path, { ...init, headers: { ...(init?.headers as Record<string, string>), ...own } });
  };
  return { apiKey: world.apiKey, fetch };
}

async function statusOf(
  world: EmulatorWorld,
  endpoint: Endpoint,
  path: string,
  { credentials, maker }: { credentials: Credentials; maker: Credentials | undefined },
) {
  const speaking = maker === undefined ? world : spokenToBy(world, maker);
  const { body, headers } = await goodRequest(speaking, endpoint, path);
  const abort = new AbortController();
  const sent = await world.fetch(path, {
    method: endpoint.method,
    headers: {
      authorization: `Bearer ${world.apiKey}`,
      ...headers,
      ...(await credentials(endpoint.method, path)),
    },
    ...(endpoint.body !== undefined && { body: asSent(body) }),
    redirect: 'manual',
    signal: abort.signal,
  });
  if (isStream(endpoint) && sent.ok) abort.abort();
  else await sent.text();
  return sent.status;
}

const config = configSchema.parse({});
// Only the key that a login has issued may end it, only the organization of a pairing may use it, only who began a checkout
// may verify it, and only a key revokes itself.
const ofOne = ['auth.cliSessionEnd', 'pairing.native', 'credits.verifyCheckout', 'keys.deleteCurrent'];
const surface = surfaceOf(config).filter(({ id }) => !ofOne.includes(id));

describe('every endpoint and every way in', () => {
  let emulator: Emulator;
  let world: EmulatorWorld;
  let ground: Ground;
  beforeAll(async () => {
    const unlimited = { rateLimits: { enabled: false }, quotas: { enabled: false } };
    emulator = await createEmulator({ seed: 'matrix', frozen: true, ...unlimited });
    world = await emulator.createWorld({ clock: { frozen: true } });
    ground = await prepareGround(world);
  });
  afterAll(() => emulator.close());

  it('are let in or refused as declared', () =>
    expectAll(
      surface.map((endpoint) => [`${endpoint.id} ${endpoint.method} ${endpoint.path}`, endpoint] as const),
      async (endpoint) => {
        const told: string[] = [];
        const wanted: string[] = [];
        const anyPath = await pathOf(world, endpoint);
        for (const { name, kind, states, maker } of await waysInto(world, endpoint, ground)) {
          for (const [state, credentials] of Object.entries(states) as [State, Credentials][]) {
            const outcome = expected(endpoint, kind, state);
            // A request that succeeds may use up what the path names.
            const own: { credentials?: Credentials } =
              endpoint.auth !== 'public' && maker !== undefined ? { credentials: maker } : {};
            const path = outcome === 'succeeds' ? await pathOf(world, endpoint, own) : anyPath;
            const isOwn = own.credentials !== undefined && outcome === 'succeeds';
            const who = { credentials, maker: isOwn ? own.credentials : undefined };
            const status = await statusOf(world, endpoint, path, who);
            const isSuccess = status < 400 && Object.keys(endpoint.responses).includes(String(status));
            const isLetIn = ![401, 402, 403].includes(status);
            const isAsWanted = (outcome === 'succeeds' && isSuccess) || (outcome === 'passes' && isLetIn);
            const cell = `${name}, ${state}`;
            wanted.push(`${cell}: ${outcome}`);
            told.push(`${cell}: ${isAsWanted ? outcome : status}`);
          }
        }
        expect(told.filter((line) => !wanted.includes(line))).toEqual([]);
      },
    ));
});
