// Steps of random histories of a world. What a step does follows from its number and the world alone, so that another
// world of the same history takes the same one.

import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { Random } from '../../src/core/random.js';
import { openSqlite } from '../../src/db/sqlite.js';
import type { Emulator } from '../../src/index.js';
import { call, image, type Platform } from './emulator.js';

/** Does one step, and returns what a client saw of it. */
export type Step = (world: Platform) => Promise<string>;

type Draw = (count: number) => number;

const names = ['web', 'api', 'shop', 'jobs'];

const request =
  (method: string, path: string, body?: unknown, headers?: Record<string, string>): Step =>
  async (world) => {
    const answer = await call(world, method, path, body, headers);
    const kept = [...answer.headers]
      .filter(([name]) => !/^(date|etag|x-emulator|x-emulator-world|x-ratelimit-reset)$/.test(name))
      .map(([name, value]) => [name, name === 'payment-required' ? atob(value) : value]);
    const prefix = new URL(world.url).pathname.replace(/\/$/, '');
    const text = `${JSON.stringify(kept)} ${answer.text}`.replaceAll(world.url.replace(/\/$/, ''), '');
    return `${method} ${path} ${answer.status} ${prefix === '' ? text : text.replaceAll(prefix, '')}`;
  };

/** Something of a list, if there is one. */
const one = <Item>(items: readonly Item[], index: number): Item | undefined => items[index % Math.max(1, items.length)];

const ofContainer =
  (draw: number, step: (id: string) => Step): Step =>
  async (world) => {
    const id = one(world.controls.containers.list(), draw)?.id ?? 'none';
    return step(id)(world);
  };

const ofKey =
  (draw: number, step: (id: string) => Step): Step =>
  async (world) => {
    const own = world.controls.keys.list().filter(({ apiKey }) => apiKey !== world.apiKey);
    return step(one(own, draw)?.id ?? 'none')(world);
  };

const ofAgent =
  (draw: number, step: (id: string) => Step): Step =>
  async (world) =>
    step(one(world.controls.hostedAgents.list(), draw)?.id ?? 'none')(world);

const control =
  (act: (world: Platform) => unknown): Step =>
  async (world) => {
    try {
      await act(world);
      return 'done';
    } catch (error) {
      return `refused: ${(error as Error).message}`;
    }
  };

// A fork has no snapshots of its source, so it cannot follow it from here on.
const restore = control(({ controls }) => controls.snapshots.restore('kept'));

const kinds: ((draw: Draw) => Step)[] = [
  (draw) => {
    const name = names[draw(4)];
    return request('POST', '/api/v1/containers', { name, project_name: name, ecr_image_uri: image });
  },
  (draw) => ofContainer(draw(9), (id) => request('DELETE', `/api/v1/containers/${id}`)),
  (draw) => {
    const description = `number ${draw(1_000)}`;
    return ofContainer(draw(9), (id) => request('PATCH', `/api/v1/containers/${id}`, { description, cpu: 1_024 }));
  },
  (draw) => ofContainer(draw(9), (id) => request('GET', `/api/v1/containers/${id}`)),
  () => request('GET', '/api/v1/containers'),
  () => request('GET', '/api/v1/credits/balance'),
  () => request('GET', '/api/v1/nowhere'),
  () => request('GET', '/api/v1/containers', undefined, { authorization: 'Bearer eliza_wrong' }),
  (draw) => request('POST', '/api/v1/api-keys', { name: `key ${draw(100)}` }),
  (draw) => ofKey(draw(9), (id) => request('DELETE', `/api/v1/api-keys/${id}`)),
  (draw) => ofKey(draw(9), (id) => request('POST', `/api/v1/api-keys/${id}/regenerate`)),
  (draw) => {
    const is_active = draw(2) === 0;
    return ofKey(draw(9), (id) => request('PATCH', `/api/v1/api-keys/${id}`, { is_active }));
  },
  (draw) => {
    const index = draw(9);
    return async (world) => {
      const apiKey = one(world.controls.keys.list(), index)?.apiKey ?? 'none';
      return request('GET', '/api/v1/user', undefined, { authorization: `Bearer ${apiKey}` })(world);
    };
  },
  (draw) => request('POST', '/api/v1/app/agents', { name: `Agent ${draw(4)}`, bio: 'knows much' }),
  (draw) => request('PATCH', '/api/v1/user', { name: `Name ${draw(50)}` }),
  (draw) =>
    request('POST', '/api/v1/chat/completions', {
      model: 'gpt-4o-mini',
      messages: [{ role: 'user', content: `say ${draw(1_000)}` }],
    }),
  (draw) => {
    const form = (): FormData => {
      const made = new FormData();
      made.append('file', new Blob([`text ${'of words '.repeat(40)}`], { type: 'text/plain' }), 'text.txt');
      return made;
    };
    void draw;
    return async (world) => request('POST', '/api/v1/knowledge/upload-file', form())(world);
  },
  (draw) => {
    const by = 1 + draw(90_000);
    return control(({ controls }) => controls.clock.advance(by));
  },
  (draw) => {
    const by = 86_400_000 + draw(90_000_000);
    return control(({ controls }) => controls.clock.advance(by));
  },
  (draw) => {
    const index = draw(9);
    return control(({ controls }) => controls.containers.fail(one(controls.containers.list(), index)?.id ?? 'none'));
  },
  (draw) => {
    const index = draw(9);
    return control(({ controls }) => controls.containers.stop(one(controls.containers.list(), index)?.id ?? 'none'));
  },
  (draw) => {
    const set = 1 + draw(900);
    return control(({ controls, organizationId }) => controls.organizations.credits(organizationId, { set }));
  },
  (draw) => {
    const times = 1 + draw(3);
    const operation = one(['containers.list', 'containers.create', 'credits.*'], draw(3)) ?? '';
    return control(({ controls }) =>
      controls.faults.add({ match: { operation }, when: { times }, effect: { status: 503 } }),
    );
  },
  () => control(({ controls }) => controls.faults.clear()),
  (draw) => {
    const limit = 1 + draw(5);
    return control(({ controls }) => controls.limits.set({ operation: 'containers.list', limit, window: '1m' }));
  },
  () => control(({ controls }) => controls.limits.release()),
  (draw) => {
    const text = `ordered ${draw(1_000)}`;
    return control(({ controls }) => controls.replies.add({ text }));
  },
  (draw) => request('POST', '/api/v1/eliza/agents', { agentName: `Agent ${draw(20)}`, alwaysOn: draw(3) > 0 }),
  (draw) => {
    const action = one(['suspend', 'resume', 'sleep', 'wake', 'provision', 'snapshot', 'pairing-token'], draw(7));
    return ofAgent(draw(9), (id) => request('POST', `/api/v1/eliza/agents/${id}/${action}`));
  },
  (draw) => ofAgent(draw(9), (id) => request('DELETE', `/api/v1/eliza/agents/${id}`)),
  (draw) => {
    const index = draw(9);
    return control(({ controls }) => controls.jobs.fail(one(controls.jobs.list(), index)?.id ?? 'none'));
  },
  (draw) => request('POST', '/api/v1/eliza/gateway-relay/sessions', { runtimeAgentId: `runtime ${draw(3)}` }),
  (draw) =>
    request('POST', '/api/v1/credits/checkout', {
      credits: 1 + draw(40),
      success_url: 'http://localhost:3000/paid',
      cancel_url: 'http://localhost:3000/left',
    }),
  (draw) => {
    const index = draw(9);
    return control(({ controls }) =>
      controls.checkouts.paid(one(controls.checkouts.list(), index)?.sessionId ?? 'none'),
    );
  },
  // A payment method, and top-ups that the charges of the next steps lead to.
  (draw) => {
    const autoTopUp = { enabled: draw(4) > 0, amount: 1 + draw(50), threshold: draw(900) };
    return async (world) => {
      const urls = { success_url: 'http://localhost:3000/paid', cancel_url: 'http://localhost:3000/left' };
      const body = { credits: 1, ...urls };
      const bought = await request('POST', '/api/v1/credits/checkout', body, { 'idempotency-key': 'once' })(world);
      const { sessionId = 'none' } = one(world.controls.checkouts.list(), 0) ?? {};
      const paid = await control(({ controls }) => controls.checkouts.paid(sessionId))(world);
      return `${bought} ${paid} ${await request('PUT', '/api/v1/billing/settings', { autoTopUp })(world)}`;
    };
  },
  (draw) => {
    const index = draw(9);
    return async (world) => {
      const own = world.controls.keys.list().filter(({ apiKey }) => apiKey !== world.apiKey);
      const authorization = `Bearer ${one(own, index)?.apiKey ?? 'none'}`;
      return request('DELETE', '/api/v1/api-keys/current', undefined, { authorization })(world);
    };
  },
  (draw) => {
    const image = { repository: names[draw(2)] ?? '', tag: `v${draw(2)}`, platforms: ['linux/arm64' as const] };
    return control(({ controls }) => controls.images.make(image));
  },
  (draw) => {
    const index = draw(9);
    return control(({ controls }) => controls.images.remove(one(controls.images.list(), index)?.digest ?? 'none'));
  },
  // Whether their layers are there.
  () => async (world) =>
    world.controls.images
      .list()
      .map(({ digest, complete }) => `${digest} ${complete}`)
      .join(),
  (draw) => {
    const failNth = 1 + draw(2);
    return control(({ controls, organizationId }) => controls.organizations.credits(organizationId, { failNth }));
  },
  (draw) => {
    const index = draw(9);
    return async (world) => {
      const { body } = await call(world, 'GET', '/api/my-agents/characters?limit=100');
      const { id = 'none' } = one(body.data.characters as { id: string }[], index) ?? {};
      return request('DELETE', `/api/my-agents/characters/${id}`)(world);
    };
  },
  () => control(({ controls }) => controls.snapshots.take({ name: 'kept' })),
  () => restore,
];

/** The steps of a history. */
export function randomSteps(seed: string, count: number): Step[] {
  const random = new Random(seed);
  let drawn = 0;
  const draw: Draw = (most) => Math.floor(random.fraction('draw', ++drawn) * most);
  return Array.from({ length: count }, () => {
    const kind = kinds[draw(kinds.length)];
    if (kind === undefined) throw new Error('there is a kind for each number');
    return kind(draw);
  });
}

// What belongs to the process, not to the world: how far the journal is, and which numbers are reserved for what happens to
// containers. Beside these, the generation of the counts and the anchor of the clock on the wall.
const own = new Set(['meta journal', 'counters occurrences']);

// The numbers of what happens to containers say in which order it did, and no more: some are left out.
const turn = /(\\*"(?:turn|occurrence)\\*":)(\d+)/g;

function withRanks(tables: (readonly [table: string, rows: string[]])[]): Record<string, string[]> {
  const all = tables.flatMap(([, rows]) =>
    rows.flatMap((row) => [...row.matchAll(turn)].map(([, , number]) => Number(number))),
  );
  const ranks = [...new Set(all)].sort((a, b) => a - b);
  const ranked = (row: string): string =>
    row.replace(turn, (_, name, number) => `${name}${ranks.indexOf(Number(number))}`);
  return Object.fromEntries(tables.map(([table, rows]) => [table, rows.map(ranked)]));
}

/** All rows of a world, by table. */
export function rowsOf({ controls }: Platform): Record<string, string[]> {
  controls.snapshots.take({ name: 'rows' });
  const { image: packed } = controls.snapshots.export('rows');
  controls.snapshots.remove('rows');
  const db = openSqlite(gunzipSync(Buffer.from(packed, 'base64')));
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .pluck()
      .all() as string[];
    const texts = tables.map((table) => {
      const rows = db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[];
      const meant = rows.filter(({ key, name }) => !own.has(`${table} ${key ?? name}`));
      return [table, meant.map(textOf).sort()] as const;
    });
    return withRanks(texts);
  } finally {
    db.close();
  }
}

function textOf(row: Record<string, unknown>): string {
  if (row.key !== 'counts' && row.key !== 'clock') return JSON.stringify(row);
  const { anchorWall, generation, anchorVirtual, ...value } = JSON.parse(String(row.value));
  return JSON.stringify({ ...row, value });
}

const each = 10;
const goesOn = 20;

/** The newest point, where there is one. */
const lastPoint = ({ controls }: Platform): number | null => controls.history.list({ limit: 1 }).last;

/**
 * Lets a world take the steps of a history, and another one the same: every tenth point is forked from the first, and has
 * to be as the other one is there, in all rows and in what the next steps show.
 */
export async function followHistory(emulator: Emulator, seed: string, length: number): Promise<void> {
  const start = { seed, clock: { start: '2026-01-01T00:00:00Z', frozen: true } };
  const source = await emulator.createWorld(start);
  const steps = randomSteps(seed, length);
  const seen: string[] = [];
  const points: (number | null)[] = [];
  for (const step of steps) {
    seen.push(await step(source));
    points.push(lastPoint(source));
  }
  // The same steps once more, without a look back.
  const twin = await emulator.createWorld(start);
  for (const [index, step] of steps.entries()) {
    const what = `${seed}, step ${index + 1}`;
    expect(await step(twin), what).toBe(seen[index]);
    const point = points[index];
    if ((index + 1) % each !== 0 || typeof point !== 'number') continue;
    const fork = await emulator.createWorld({ at: { world: source.id, point } });
    expect(rowsOf(fork), what).toEqual(rowsOf(twin));
    for (let next = index + 1; next <= index + goesOn && next < length && steps[next] !== restore; next++)
      expect(await steps[next]?.(fork), `${what}, then ${next + 1}`).toBe(seen[next]);
    fork.close();
  }
  source.close();
  twin.close();
}
