// No request of at most 16 MB holds up the others for long, or takes much memory: each operation is asked with inputs that
// multiply one thing by another, in a world that holds the largest things that clients may store.
//
// It takes long, so no other script runs it: npm run test:long
//
// BOUNDED_ONLY=chat,faults asks the operations whose id contains one of the words, and prints what each request did.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlOperations } from '../../src/app/controls.js';
import { testSeed } from '../support/seed.js';
import { surface } from '../support/surface.js';
import type { Shot, Target } from './support/hostile.js';
import { makeSubjects, pathOf, type Reply, type Subjects, send } from './support/hostile-run.js';
import { fillWithLargest, referringBodies } from './support/largest.js';
import { formsForAnybody, type Multiplied, multipliedAt, notSeenYet } from './support/multiplied.js';
import { startWatched, type Watched, type WatchedEmulator } from './support/watched.js';

const most: Watched = { blockedMs: 250, rssMb: 500 };
const pairs = 4;
const patienceMs = 1_800_000;

const only = (process.env.BOUNDED_ONLY ?? '').split(',');
// Some operations are served under several paths.
const byId = new Map(([...surface, ...controlOperations] as Target[]).reverse().map((target) => [target.id, target]));
const targets = [...byId.values()].reverse().filter(({ id }) => only.some((word) => id.includes(word)));
const seen = notSeenYet();

let emulator: WatchedEmulator;
let asked = 0;
const worst: (Watched & { name: string })[] = [];

async function start(): Promise<void> {
  emulator = await startWatched({
    seed: 'bounded',
    clock: { start: '2026-01-01T00:00:00Z', frozen: true },
    rateLimits: { enabled: false },
    quotas: { enabled: false },
    containers: { urlStyle: 'path', timing: 'instant' },
  });
  await fillWithLargest(emulator.asked);
}

beforeAll(start, patienceMs);
afterAll(async () => {
  await emulator.close();
  worst.sort((a, b) => b.blockedMs - a.blockedMs);
  console.log(`bounded: ${asked} requests, TEST_SEED=${testSeed}; the longest turns and the most memory:`);
  console.log(
    worst
      .slice(0, 40)
      .map(({ name, blockedMs, rssMb }) => `${blockedMs} ms, ${rssMb} MB  ${name}`)
      .join('\n'),
  );
});

// The best of some tries: a busy machine, or the collector after the request before, may be late once.
async function ask(target: Target, subjects: Subjects, input: Multiplied): Promise<string | undefined> {
  const { name, query = '', headers = {}, body } = input;
  const shot: Shot = { method: target.method, path: target.path, subject: 'mine', query, headers, body };
  const told = `${target.id} ${target.method} ${name}`;
  let reply: Reply | undefined;
  let seen: Watched = { blockedMs: Infinity, rssMb: Infinity };
  for (let tries = 0; tries < 3 && (seen.blockedMs > most.blockedMs || seen.rssMb > most.rssMb); tries++) {
    try {
      const now = await emulator.watch(async () => {
        reply = await send(emulator.asked, shot, pathOf(shot, subjects));
      });
      seen = { blockedMs: Math.min(seen.blockedMs, now.blockedMs), rssMb: Math.min(seen.rssMb, now.rssMb) };
    } catch (error) {
      await restart();
      return `${told}: ${(error as Error).message}`;
    }
  }
  asked++;
  worst.push({ ...seen, name: `${told} -> ${reply?.status}` });
  if (process.env.BOUNDED_ONLY !== undefined)
    console.log(`${seen.blockedMs} ms, ${seen.rssMb} MB  ${told} -> ${reply?.status}`);
  const isTooMuch = seen.blockedMs > most.blockedMs || seen.rssMb > most.rssMb;
  if (seen.rssMb > most.rssMb) await restart();
  if (isTooMuch) return `${told}: ${seen.blockedMs} ms, ${seen.rssMb} MB (${reply?.status})`;
  return (reply?.status ?? 0) >= 500 && reply?.status !== 501 ? `${told}: ${reply?.status}` : undefined;
}

async function restart(): Promise<void> {
  await emulator.close().catch(() => undefined);
  await start();
}

// Orders of an earlier operation, such as a fault, would answer in the place of this one; and where a world has begun
// anew, it is empty.
async function asAtFirst(): Promise<void> {
  const { controls: before, url, apiKey } = emulator.asked.emulator;
  // An operation on keys may have switched off the one that asks.
  const works = (await fetch(`${url}/api/v1/user`, { headers: { authorization: `Bearer ${apiKey}` } })).ok;
  if (!works || (await before.containers.list()).length < 100) await restart();
  const { controls } = emulator.asked.emulator;
  await controls.faults.clear();
  await controls.replies.clear();
  await controls.limits.release();
}

async function askAll(target: Target, inputs: Iterable<Multiplied>): Promise<void> {
  await asAtFirst();
  let subjects = await makeSubjects(emulator.asked, target);
  const failed: string[] = [];
  for (const input of inputs) {
    const problem = await ask(target, subjects, input);
    if (problem !== undefined) failed.push(problem);
    // The thing that the request was about may be gone, with the emulator or by what it asked for.
    if (problem !== undefined || target.method === 'DELETE') subjects = await makeSubjects(emulator.asked, target);
  }
  expect(failed).toEqual([]);
}

describe.each(targets.map((target) => [target.id, target.method, target] as const))(
  '%s (%s)',
  (_id, _method, target) => {
    it(
      'bounds the work of what multiplies',
      () => askAll(target, multipliedAt(target, pairs, testSeed, seen)),
      patienceMs,
    );
  },
);

describe('requests of any page', () => {
  const health = targets.find(({ id }) => id === 'containers.list');
  it.skipIf(health === undefined)(
    'bound the work of forms',
    () => askAll({ ...(health as Target), method: 'POST', path: '/api/v1/nothing' }, formsForAnybody()),
    patienceMs,
  );
});

describe('references to what is stored', () => {
  it.skipIf(!targets.some(({ id }) => id === 'responses.create'))(
    'are bounded in number and size',
    async () => {
      const target = targets.find(({ id }) => id === 'responses.create') as Target;
      await askAll(target, await referringBodies(emulator.asked));
    },
    patienceMs,
  );
});
