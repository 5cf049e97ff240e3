// `cloudemu world move`: carries worlds to the process that another address leads to.

import type { MovedWorld, PortableWorld } from '../../modules/worlds/move.js';
import type { TakenPiece } from '../../modules/worlds/moved-blobs.js';
import { createClient } from '../client.js';
import { type Command, emulator, targetOptions, text, type Values } from '../command.js';
import { endInterrupted, interruption } from '../interrupt.js';
import { wholeOrNamed } from '../ownership.js';
import { fail, printJson, tell, tellError } from '../print.js';
import { Declined } from '../refusal.js';
import { findTarget, rootOf } from '../target.js';

export const worldMoveCommand: Command = {
  words: 'world move',
  describe: 'Move one world to another process, or all worlds that belong elsewhere',
  args: [
    {
      name: 'id',
      describe: 'The world; by default the emulator drains, and all that belong elsewhere move',
      required: false,
    },
  ],
  flags: {
    to: { type: 'string', describe: 'URL of the process to move to, or of the proxy in front of it' },
    'to-token': { type: 'string', describe: 'Control token there (default: that of --token)' },
    ...emulator,
  },
  examples: [
    ['world move blue --to http://node-4:4747', 'its clients get 503 with Retry-After for a moment; nothing is lost'],
    [
      'world move --url http://node-1:4747 --to http://proxy:8081',
      'all worlds that the proxy now leads to another process',
    ],
  ],
  run: (values) => worldMove(optionsOf(values)),
};

function optionsOf(values: Values) {
  return {
    ...targetOptions(values),
    id: text(values, 'id'),
    to: text(values, 'to'),
    toToken: text(values, 'to-token'),
  };
}

type MoveOptions = ReturnType<typeof optionsOf>;

type Client = ReturnType<typeof createClient>;

// Moving a large world, with images in it, may take so long.
const patienceMs = 60_000;
const atOnce = 4;

/** Moves one world, or drains the emulator and moves all that the address leads to another process with. */
async function worldMove(options: MoveOptions): Promise<void> {
  const { id, to } = options;
  if (to === undefined)
    fail(2, '--to is needed: the URL of the process that takes the world, or of the proxy before it');
  const source = wholeOrNamed(await findTarget({ ...options, world: undefined }, 'emulator'), 'world move');
  const from = createClient(source, patienceMs);
  const next = createClient(await findTarget({ url: to, token: options.toToken ?? options.token }), patienceMs);
  if (id === undefined) await from.call('POST', '/drain', {});
  const queue = id === undefined ? await worldsOf(from) : [id];
  const outcome: Outcome = { moved: [], stayed: [], failed: [], missingBlobs: [] };
  const interrupted = interruption();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let one = queue.shift(); one !== undefined && !interrupted.aborted; one = queue.shift())
        await move(one, { from, next, interrupted }, outcome);
    }),
  );
  const { failed } = outcome;
  if (!options.json) tell(...linesOf(outcome, to, id === undefined ? rootOf(source.url) : undefined));
  if (interrupted.aborted)
    endInterrupted('every world is whole in one process; run the same command to go on.', { ...outcome });
  if (options.json && failed.length === 0) printJson(outcome);
  if (failed.length === 0) return;
  if (options.json)
    tellError(
      1,
      failed.map(({ id: world, why }) => `${world} has not moved: ${why}`),
      { beside: { ...outcome } },
    );
  process.exitCode = 1;
}

interface Outcome {
  moved: string[];
  /** The address leads to the process that has them. */
  stayed: string[];
  failed: { id: string; why: string }[];
  missingBlobs: { id: string; blobs: string[] }[];
}

interface Way {
  from: Client;
  next: Client;
  interrupted: AbortSignal;
}

async function move(id: string, { from, next, interrupted }: Way, outcome: Outcome): Promise<void> {
  const path = `/w/${encodeURIComponent(id)}/_emulator/world`;
  try {
    const { copy } = await from.call('GET', path);
    if ((await copyBehind(next, path)) === copy) return void outcome.stayed.push(id);
    const document = await from.call('POST', `${path}/export`);
    const missing = await orInterrupted(
      takeOver(from, next, `${path}/export`, document as unknown as PortableWorld),
      interrupted,
    ).catch(async (error) => {
      // The next try replaces the world that may exist there by now: no client uses it yet.
      await from.call('DELETE', `${path}/export`);
      throw error;
    });
    await from.call('DELETE', path);
    outcome.moved.push(id);
    if (missing.length > 0) outcome.missingBlobs.push({ id, blobs: missing });
  } catch (error) {
    outcome.failed.push({ id, why: (error as Error).message });
  }
}

// A world of gigabytes takes minutes; the process that has it goes on with it at once.
async function orInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => {};
  const end = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('the move was interrupted'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, end]);
  } finally {
    // Hundreds of worlds may move, and each would leave a listener.
    signal.removeEventListener('abort', stop);
  }
}

async function copyBehind(client: Client, path: string): Promise<unknown> {
  try {
    return (await client.call('GET', path)).copy;
  } catch (error) {
    if (error instanceof Declined && error.status === 404) return undefined;
    throw error;
  }
}

// Returns the blobs that neither process has.
async function takeOver(from: Client, next: Client, path: string, document: PortableWorld): Promise<string[]> {
  const { missingBlobs } = (await next.call('PUT', path, document)) as unknown as MovedWorld;
  const missing: string[] = [];
  for (const digest of missingBlobs) if (!(await carry(from, next, `${path}/blobs/${digest}`))) missing.push(digest);
  return missing;
}

async function carry(from: Client, next: Client, path: string): Promise<boolean> {
  for (let offset = 0; ; ) {
    const piece = await from.call('GET', `${path}?offset=${offset}`).catch((error) => {
      if (error instanceof Declined && error.status === 404) return undefined;
      throw error;
    });
    if (piece === undefined) return false;
    const { received, complete } = (await next.call('PUT', path, piece)) as unknown as TakenPiece;
    if (complete) return true;
    offset = received;
  }
}

async function worldsOf(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for (let after = ''; ; ) {
    const { worlds } = await client.get<{ worlds: { id: string }[] }>(
      `/worlds${after && `?after=${encodeURIComponent(after)}`}`,
      'worlds',
    );
    ids.push(...worlds.map(({ id }) => id).filter((id) => id !== 'default'));
    const last = worlds.at(-1)?.id;
    if (last === undefined || last === after) return ids;
    after = last;
  }
}

function linesOf(outcome: Outcome, to: string, drained: string | undefined): string[] {
  const { moved, stayed, failed, missingBlobs } = outcome;
  const isNone = moved.length + stayed.length === 0 && failed.length > 0;
  const counts = `Moved to ${to}: ${moved.length}. Not moved, because ${to} leads to this process for them: ${stayed.length}.`;
  return [
    ...(isNone ? [] : [counts]),
    ...missingBlobs.map(
      ({ id, blobs }) => `${id} lacks ${blobs.length} layers that were no longer there: push its images again.`,
    ),
    ...failed.map(({ id, why }) => `${id} has not moved: ${why}`),
    ...(drained === undefined
      ? []
      : [`Point clients to ${to} now; then \`cloudemu drain --end --url ${drained}\` takes new worlds again.`]),
  ];
}
