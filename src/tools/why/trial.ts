// Tries how a request would have ended in a world as it was at another place: it is sent there, and the world is thrown away.

import type { IncomingMessage } from 'node:http';
import { request as send, textOf } from '../../control/request.js';
import { afterWall } from '../../core/clock.js';
import { freshWorldId } from '../../core/random.js';
import type { NotedRead } from '../../db/db.js';
import { processesOf } from '../../platform/containers/processes.js';
import { emulatorFacts } from '../../world/given.js';
import type { World } from '../../world/world.js';
import { prefixOf } from '../../world/world-name.js';
import { journalOf } from '../journal/journal.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import { hosting } from '../worlds/hosting.js';
import { replayed } from '../worlds/replayed-request.js';
import { letThrough, type Outcome, outcomeOf, showsFailure } from './outcome.js';
import type { Resend } from './resend.js';

/** A request that was tried. */
export interface Trial {
  outcome: Outcome;
  /** What it has read. */
  reads: NotedRead[];
}

interface Trying {
  request: JournalEntry;
  resend: Resend;
  /** The instant at which it is sent; undefined: that of the world. */
  at: number | undefined;
}

/** Why a request must not be tried: somebody outside of the emulator would notice. */
export function untriable(world: World, { operation, path }: JournalEntry): string | undefined {
  const { hostedAgents, containers } = world.config;
  if (processesOf(world) !== undefined) return 'images run here, and would run once more';
  const isTalk =
    Object.keys(hostedAgents.upstreams).length > 0 && /\/eliza\/agents\/[^/]+\/(bridge|stream|api\/)/.test(path);
  const isHealth = Object.keys(containers.upstreams).length > 0 && operation === 'containers.health';
  return isTalk || isHealth ? 'a process of yours would answer it' : undefined;
}

const ttl = 60_000;
// A poll waits for what does not come, until a jump of time ends it. Others must not meet one, however slow the machine is.
const waiting = 'relay.next';
const patienceMs = 300;
const jumpMs = 600_000;
const mostMs = 10_000;

/**
 * Sends a request in a world of its own.
 *
 * @param image the data of that world
 */
export async function tried(world: World, image: Buffer, { request, resend, at }: Trying): Promise<Trial> {
  const host = hosting.of(world);
  const id = freshWorldId();
  await host.make({ id, asked: { ttl }, owner: '', port: undefined, ttl, image });
  try {
    const fork = host.worlds().get(id);
    if (at !== undefined && at > fork.clock.now()) await fork.clock.advanceTo(at);
    const noted = fork.db.noteReads();
    const outcome = await sent(fork, request, resend);
    return { outcome, reads: noted() };
  } finally {
    if (host.worlds().has(id)) host.drop(id);
  }
}

async function sent(fork: World, request: JournalEntry, resend: Resend): Promise<Outcome> {
  const { path, ...sending } = replayed(fork, request, resend(fork));
  const over = new AbortController();
  const jump = (): void => void fork.clock.advanceTo(fork.clock.now() + jumpMs);
  const cancels = [
    ...(request.operation === waiting ? [afterWall(patienceMs, jump)] : []),
    afterWall(mostMs, () => over.abort()),
  ];
  try {
    const url = emulatorFacts.of(fork).origin() + prefixOf(fork.id) + path;
    const answer = await send(url, { ...sending, signal: over.signal }).catch(() => undefined);
    const status = answer?.statusCode ?? 0;
    if (answer === undefined || status >= 400) {
      await (answer && textOf(answer).catch(() => ''));
      const [record] = journalOf(fork).recent(1);
      if (record !== undefined) return outcomeOf(record);
    }
    return letThrough(status, answer !== undefined && (await hasFailed(answer)));
  } finally {
    for (const cancel of cancels) cancel();
    over.abort();
  }
}

// A stream may have no end: that it has begun is enough.
async function hasFailed(answer: IncomingMessage): Promise<boolean> {
  if (answer.headers['content-type']?.includes('json') !== true) return false;
  return showsFailure(await textOf(answer).catch(() => ''));
}
