// Kills and stops two emulators under eight writers, spoils the list of worlds in between, and says what was lost.

import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type RunningCommand, startCommand, tempDir } from '../../support/command.js';
import { numbersOf } from '../../support/draws.js';
import { eventually } from '../../support/eventually.js';
import { testSeed } from '../../support/seed.js';
import { ledgerProblems, unlimited } from './crash.js';
import { pushesWriter, worldsWriter } from './kill-travellers.js';
import { uploadsWriter } from './kill-uploads.js';
import { ask, Unanswered } from './kill-values.js';
import {
  agentNames,
  controlWriter,
  createAgent,
  type Desk,
  nounsWriter,
  snapshotsWriter,
  type Writer,
} from './kill-writers.js';

const settings = {
  ...unlimited,
  CLOUDEMU_WORLDS_PERSIST: 'true',
  // Fewer than there are: they are closed and opened again all the time.
  CLOUDEMU_WORLDS_OPEN: '4',
  CLOUDEMU_CONTAINERS_URL_STYLE: 'path',
};

/** An emulator that is killed, its data, and former copies of its list of worlds. */
interface Side {
  running: RunningCommand;
  /** The working directory; the data lie in .cloudemu. */
  cwd: string;
  temporary: string;
  olderLists: string[];
}

const dataOf = ({ cwd }: Side): string => join(cwd, '.cloudemu');
const worldsOf = (side: Side): string => join(dataOf(side), 'worlds');
const namesIn = (dir: string): string[] => (existsSync(dir) ? readdirSync(dir) : []);
const worldDirs = (side: Side): string[] =>
  namesIn(worldsOf(side)).filter((name) => !/^(index\.db|\.cloudemu-directory$)/.test(name));
const listFiles = ['index.db', 'index.db-wal', 'index.db-shm'];

async function start(cwd: string, temporary: string): Promise<RunningCommand> {
  return startCommand(['--quiet', '--frozen'], { cwd, env: { ...settings, TMPDIR: temporary } });
}

async function newSide(): Promise<Side> {
  const [cwd, temporary] = [tempDir(), tempDir()];
  return { running: await start(cwd, temporary), cwd, temporary, olderLists: [] };
}

function removeList(worlds: string, files: readonly string[]): void {
  for (const name of files) rmSync(join(worlds, name), { force: true });
}

/** The accidents that may happen to the data of an emulator that does not run. */
const mishaps: Record<string, (side: Side, draw: (below: number) => number) => void> = {
  'the log of the list is removed': (side) => removeList(worldsOf(side), ['index.db-wal', 'index.db-shm']),
  'an older list is put back without its log': (side, draw) => putListBack(side, draw, ['index.db'], listFiles),
  'an older list is put back with its log': (side, draw) => putListBack(side, draw, listFiles, listFiles),
  'an older list is put back beside the newest log': (side, draw) =>
    putListBack(side, draw, ['index.db'], ['index.db', 'index.db-shm']),
  'the list is removed': (side) => removeList(worldsOf(side), listFiles),
  'everything is copied': (side) => {
    const cwd = tempDir();
    cpSync(side.cwd, cwd, { recursive: true });
    side.cwd = cwd;
  },
};

function putListBack(
  side: Side,
  draw: (below: number) => number,
  files: readonly string[],
  instead: readonly string[],
): void {
  const older = side.olderLists[draw(side.olderLists.length)];
  if (older === undefined) return;
  removeList(worldsOf(side), instead);
  for (const name of files) if (existsSync(join(older, name))) cpSync(join(older, name), join(worldsOf(side), name));
}

function keepList(side: Side): void {
  const kept = tempDir();
  for (const name of listFiles)
    if (existsSync(join(worldsOf(side), name))) cpSync(join(worldsOf(side), name), join(kept, name));
  side.olderLists.push(kept);
}

/** The problems of the databases of a process that has died; they are looked at in a copy, as looking mends them. */
function fileProblems(side: Side): string[] {
  const copy = tempDir();
  const dirs = ['', ...worldDirs(side).map((name) => join('worlds', name))];
  const problems = dirs.flatMap((dir) => {
    const from = join(dataOf(side), dir);
    const files = namesIn(from).filter((name) => /^world\.db(-wal)?$/.test(name));
    if (!files.includes('world.db-wal')) return [];
    mkdirSync(join(copy, dir), { recursive: true });
    for (const name of files) cpSync(join(from, name), join(copy, dir, name));
    return ledgerProblems(join(copy, dir, 'world.db'), true).map((problem) => `${dir}: ${problem}`);
  });
  rmSync(copy, { recursive: true });
  return problems;
}

/** The problems of the directories of the listed worlds; a world whose time is over may end while they are counted. */
async function problemsOfList(side: Side): Promise<string[]> {
  const place = { url: side.running.url, apiKey: '' };
  let problems: string[] = [];
  await eventually(async () => {
    const { total } = await ask(place, () => {}, 'GET', '/_emulator/worlds');
    const dirs = worldDirs(side).sort();
    problems = dirs.length === total - 1 ? [] : [`${total - 1} worlds are listed, of ${dirs.join(', ')}`];
    return problems.length === 0;
  }).catch(() => {});
  return problems;
}

/** The leftovers that a start should have removed, or should have listed. */
async function leftovers(side: Side): Promise<string[]> {
  const uploads = namesIn(join(dataOf(side), 'registry/uploads')).filter((name) => name.startsWith('upload-'));
  const temporary = namesIn(side.temporary).filter((name) => name.startsWith('cloudemu-'));
  const log = side.running
    .stderr()
    .split('\n')
    .filter((line) => line !== '' && !/The list of worlds|no longer listed/.test(line));
  return [
    ...(await problemsOfList(side)),
    ...(uploads.length === 0 ? [] : [`uploads are left: ${uploads}`]),
    // These are the last process's, until another one receives a form.
    ...(temporary.length < 12 ? [] : [`temporary files are left: ${temporary}`]),
    ...log.map((line) => `the emulator says ${line}`),
  ];
}

async function useUntil(writer: Writer, isOver: () => boolean, problems: string[]): Promise<void> {
  while (!isOver()) {
    try {
      await writer.step();
    } catch (error) {
      // Nobody answers.
      if (error instanceof Unanswered) return;
      problems.push((error as Error).message);
      return;
    }
  }
}

/** How often processes end before the campaign goes on with empty directories: lists that grow make it slow. */
export const endsTogether = 20;

/** The seeds with which processes end so many times in all. */
export const seedsFor = (ends: number): number[] =>
  Array.from({ length: ends / endsTogether }, (_, group) => testSeed + group);

/** Begins with empty directories, and ends the processes of two emulators; of what was acknowledged nothing may be lost. */
export async function killUnderWriters(seed: number): Promise<void> {
  const draw = numbersOf(seed);
  const sides = { a: await newSide(), b: await newSide() };
  let left = Infinity;
  let strike = (): void => {};
  let answers = 0;
  const desk: Desk = {
    urls: () => ({ a: sides.a.running.url, b: sides.b.running.url }),
    onAnswer() {
      answers++;
      if (--left === 0) strike();
    },
    // The draws are its own, so that what is struck, when and how follows from the seed alone.
    draw: numbersOf(seed + 1),
  };
  const kinds = [nounsWriter, controlWriter, uploadsWriter, snapshotsWriter, pushesWriter, worldsWriter];
  const writers: Writer[] = [];
  for (const make of kinds) writers.push(await make(desk));
  writers.push(defaultWriter(desk, sides.a.running.apiKey));
  const told: string[] = [];
  const tell = (text: string, problems: readonly string[]): void => {
    told.push(text);
    expect(problems, `after ${told.slice(-6).join('; ')} (seed ${seed})`).toEqual([]);
  };

  for (let done = 0; done < endsTogether; ) {
    const struck = draw(10) < 6 ? [sides.a] : draw(2) === 0 ? [sides.b] : [sides.a, sides.b];
    const signal = draw(10) < 7 ? 'SIGKILL' : 'SIGTERM';
    const problems: string[] = [];
    let isOver = false;
    const ended = new Promise<unknown>((resolve) => {
      strike = () => resolve(Promise.all(struck.map(({ running }) => running.end(signal))));
    });
    left = 3 + draw(60);
    const work = writers.map((writer) => useUntil(writer, () => isOver, problems));
    // Writers that have all stopped count no answers any more, so the strike comes at once.
    await Promise.race([ended, Promise.all(work).then(() => strike())]);
    await ended;
    left = Infinity;
    isOver = true;
    await Promise.all(work);
    done += struck.length;
    for (const side of struck) {
      problems.push(...fileProblems(side));
      if (draw(4) === 0) keepList(side);
      const names = Object.keys(mishaps);
      const name = draw(2) === 0 ? names[draw(names.length)] : undefined;
      if (name !== undefined) mishaps[name]?.(side, draw);
      told.push(`${signal} of ${side === sides.a ? 'a' : 'b'}${name === undefined ? '' : `, then ${name}`}`);
      side.running = await start(side.cwd, side.temporary);
      problems.push(...(await leftovers(side)));
    }
    for (const writer of writers)
      problems.push(...(await writer.check().catch((error: Error) => [error.stack ?? error.message])));
    tell(`${done} ends`, problems);
  }
  expect(answers).toBeGreaterThan(endsTogether * 12);
  await expectCopyHolds(sides.a);
  await Promise.all([sides.a, sides.b].map(({ running }) => running.end()));
  for (const { temporary } of [sides.a, sides.b])
    expect(namesIn(temporary).filter((name) => name.startsWith('cloudemu-')).length).toBeLessThan(12);
}

/** The default world, which lies beside the others. */
function defaultWriter(desk: Desk, apiKey: string): Writer {
  let n = 0;
  let names: string[] = [];
  let perhaps: string | undefined;
  const send = (method: string, path: string, body?: unknown) =>
    ask({ url: desk.urls().a, apiKey }, desk.onAnswer, method, path, body);
  return {
    async step() {
      perhaps = `d${n++}`;
      await send('POST', createAgent, { name: perhaps });
      names.push(perhaps);
      perhaps = undefined;
    },
    async check() {
      const there = await agentNames(send);
      const lost = names.filter((name) => !there.includes(name));
      const strange = there.filter((name) => !names.includes(name) && name !== perhaps);
      names = there;
      return [...lost.map((name) => `agent ${name} is gone`), ...strange.map((name) => `nobody made agent ${name}`)];
    },
  };
}

/** The guide says: a moment after the last write, `world.db` alone is a whole world. */
async function expectCopyHolds(side: Side): Promise<void> {
  const place = (url: string) => ({ url, apiKey: side.running.apiKey });
  const names = (url: string) => agentNames((method, path) => ask(place(url), () => {}, method, path));
  const all = await names(side.running.url);
  expect(all.length).toBeGreaterThan(3);
  await expect
    .poll(
      async () => {
        const cwd = tempDir();
        mkdirSync(join(cwd, '.cloudemu'));
        cpSync(join(dataOf(side), 'world.db'), join(cwd, '.cloudemu/world.db'));
        const copied = await start(cwd, side.temporary);
        const held = await names(copied.url).catch((error: Error) => [error.message]);
        await copied.end('SIGKILL');
        return held;
      },
      { timeout: 30_000, interval: 1_000 },
    )
    .toEqual(all);
}
