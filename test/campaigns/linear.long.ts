// No input costs more than in proportion to its length: each operation is given inputs of doubled lengths, and the
// CPU time of the emulator's process grows with an exponent near 1.
//
// It takes some twenty minutes, so no other script runs it: npm run test:long
//
// LINEAR_ONLY=chat,faults measures the operations whose id contains one of the words; all exponents are printed. LINEAR_PROFILE=/tmp/profile
// writes a CPU profile of the emulator there.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { controlOperations } from '../../src/app/controls.js';
import { surface } from '../support/surface.js';
import {
  declaredGrowth,
  formGrowth,
  type Growing,
  headGrowth,
  nestedGrowth,
  partGrowth,
  rawGrowth,
} from './support/growing.js';
import type { Shot, Target } from './support/hostile.js';
import { type Asked, makeSubjects, pathOf, type Subjects } from './support/hostile-run.js';
import { type MeasuredEmulator, startMeasured } from './support/measured.js';

const highest = 1.2;
/** A time that grows by less up to the greatest length is not measured: squared, it would be a third of a second with all that a body may hold. */
const floorMs = 6;
/** The greatest length is such that a request takes so long, within bounds. */
const aimMs = 28;
const bodyBytes = [131_072, 2_097_152] as const;
const headBytes = [32_768, 524_288] as const;
const doublings = 4;
const shortBytes = 16;
/** For an operation, on a busy machine. */
const patienceMs = 1_800_000;
const warmUps = 3;
/** How often each length is asked; more often where it seems not to be linear, as a busy machine disturbs caches and clocks. */
const rounds = { usual: 2, most: 6, doubtful: highest };

interface Row {
  operation: string;
  input: string;
  status: number;
  /** CPU milliseconds of a short request, and at doubled lengths: the least of all rounds. */
  ms: number[];
  bytes: number;
  exponent: number | undefined;
}
const table: Row[] = [];

let emulator: MeasuredEmulator;
beforeAll(async () => {
  const settings = {
    strict: { inputs: false, responses: false },
    rateLimits: { enabled: false },
    quotas: { enabled: false },
    containers: { urlStyle: 'path' },
  };
  emulator = await startMeasured(settings, process.env.LINEAR_PROFILE);
});

// Work that grows faster than its input does so at the end, too. What changes its way in the middle, as a check does that
// looks at long inputs a part at a time, has a step there, which is no growth: the whole range and its end must both show it.
function exponentOf(ms: readonly number[]): number {
  return Math.min(slope(ms), slope([ms[0] ?? 0, ...ms.slice(-3)]));
}

// The slope of a line through the logarithms of lengths, which double, and of what is more than a request of no length
// takes: a really short one is often answered otherwise, so that it may be less by the two shortest. What is lost in it
// counts as a quarter of what would be linear.
function slope([short = 0, ...ms]: readonly number[]): number {
  const [shortest = 0, next = 0] = ms;
  const fixed = Math.min(short, Math.max(0, 2 * shortest - next));
  const least = ((ms.at(-1) ?? 0) - fixed) / 2 ** (ms.length + 1);
  const points = ms.map((time, i) => [i, Math.log2(Math.max(time - fixed, least))] as const);
  const [x, y] = [0, 1].map((of) => points.reduce((sum, point) => sum + (point[of] ?? 0), 0) / points.length);
  const over = points.reduce((sum, [a, b]) => sum + (a - (x ?? 0)) * (b - (y ?? 0)), 0);
  return over / points.reduce((sum, [a]) => sum + (a - (x ?? 0)) ** 2, 0);
}

async function measure(asked: Asked, target: Target, subjects: Subjects, input: Growing): Promise<Row> {
  const own = target.auth === 'session' ? await sessionOf(asked) : {};
  const shotOf = (bytes: number): Shot => {
    const { body, query = '', headers = {} } = input.make(bytes);
    const content = body === undefined ? undefined : Buffer.from(body);
    const { method, path } = target;
    return { method, path, subject: 'mine', query, headers: { ...own, ...headers }, body: content };
  };
  const time = (shot: Shot) => emulator.time(asked, shot, pathOf(shot, subjects));
  const [least, most] = headGrowth.includes(input) ? headBytes : bodyBytes;
  const short = shotOf(shortBytes);
  // Code that was never run is slow.
  for (let i = 0; i < warmUps; i++) await time(short);
  let bytes: number = least;
  // More than a body may hold is refused before it is read: measured is what is read, as far as there is any.
  const isExcess = async (length: number) => (await time(shotOf(length))).reply.text.includes('the most that is read');
  const isRead = !(await isExcess(bytes / 2 ** doublings));
  // Twice, as the first one is slow.
  const isShort = async () => Math.min((await time(shotOf(bytes))).ms, (await time(shotOf(bytes))).ms) < aimMs;
  while (isRead && (await isExcess(bytes))) bytes /= 2;
  while (bytes < most && (await isShort()) && !(isRead && (await isExcess(bytes * 2)))) bytes *= 2;
  const shots = [short, ...Array.from({ length: doublings + 1 }, (_, i) => shotOf(bytes / 2 ** (doublings - i)))];
  const row: Row = { operation: target.id, input: input.name, status: 0, ms: [], bytes, exponent: undefined };
  await emulator.clean();
  for (let round = 0; round < rounds.most; round++) {
    if (round >= rounds.usual && (row.exponent ?? 0) < rounds.doubtful) break;
    for (const [i, shot] of shots.entries()) {
      const { ms, reply } = await time(shot);
      row.ms[i] = Math.min(row.ms[i] ?? Infinity, ms);
      row.status = reply.status;
    }
    const grown = (row.ms.at(-1) ?? 0) - (row.ms[0] ?? 0);
    row.exponent = grown < floorMs ? undefined : exponentOf(row.ms);
  }
  return row;
}

async function sessionOf({ emulator: { controls } }: Asked): Promise<Record<string, string>> {
  return { authorization: `Bearer ${(await controls.sessions.create()).token}` };
}

function inputsOf(target: Target): Growing[] {
  const heads = headGrowth.slice(0, 3);
  if (target.upload !== undefined) return [...heads, ...partGrowth];
  return target.body === undefined ? heads : [...heads, ...nestedGrowth, ...declaredGrowth(target)];
}

const only = (process.env.LINEAR_ONLY ?? '').split(',');
const targets = ([...surface, ...controlOperations] as Target[]).filter(({ id }) =>
  only.some((word) => id.includes(word)),
);

async function hold(target: Target, inputs: Growing[]): Promise<void> {
  const asked = await emulator.open();
  try {
    const subjects = await makeSubjects(asked, target);
    const rows: Row[] = [];
    for (const input of inputs) rows.push(await measure(asked, target, subjects, input));
    table.push(...rows);
    console.log(rows.map(lineOf).join('\n'));
    expect(rows.filter(({ exponent = 0, status }) => exponent > highest || status >= 500).map(lineOf)).toEqual([]);
  } finally {
    await asked.close();
  }
}

function lineOf({ operation, input, ms, bytes, exponent, status }: Row): string {
  const times = ms.map((time) => time.toFixed(1).padStart(8)).join(' ');
  return `${operation.padEnd(34)} ${input.padEnd(48)} ${status} ${String(bytes / 1_024).padStart(5)} ${times}  ${exponent?.toFixed(2) ?? '-'}`;
}

// How many inputs of each kind have which exponent.
function histogram(): string[] {
  const bounds = [0.8, 0.9, 1, 1.1, highest, Infinity];
  const kinds = new Map<string, number[]>();
  for (const { input, exponent } of table) {
    const kind = input.replace(/^.*: /, '');
    const counts = kinds.get(kind) ?? [0, ...bounds.map(() => 0)];
    const column = exponent === undefined ? 0 : 1 + bounds.findIndex((bound) => exponent <= bound);
    counts[column] = (counts[column] ?? 0) + 1;
    kinds.set(kind, counts);
  }
  const written = (name: string, cells: unknown[]) =>
    name.padEnd(32) + cells.map((c) => String(c).padStart(9)).join('');
  return [
    `${table.length} inputs of ${new Set(table.map(({ operation }) => operation)).size} operations`,
    written('kind of input', ['too fast', ...bounds.map((bound) => `<= ${bound}`)]),
    ...[...kinds].map(([kind, counts]) => written(kind, counts)),
  ];
}

afterAll(async () => {
  await emulator.close();
  const rows = [...table].sort((a, b) => (b.exponent ?? 0) - (a.exponent ?? 0)).slice(0, 10);
  console.log(
    [
      ...histogram(),
      'operation, input, status, greatest length in KB, CPU ms of a short request and at doubled lengths, exponent',
      ...rows.map(lineOf),
    ].join('\n'),
  );
});

const login = targets.filter(({ id }) => id === 'auth.cliSessionStart' || id === 'auth.siweVerify');
const paths = targets.filter(({ id }) => id === 'containers.list' || id === 'control.requests');

describe.skipIf(login.length + paths.length === 0)('bodies and heads of any kind, before anybody is known', () => {
  it.each(login.map((target) => [target.id, target] as const))(
    '%s',
    (_, target) => hold(target, [...rawGrowth, ...formGrowth]),
    patienceMs,
  );
  it.each(paths.map((target) => [target.id, target] as const))(
    '%s',
    (_, target) => hold(target, headGrowth),
    patienceMs,
  );
});

describe('what is declared', () => {
  it.each(targets.map((target) => [target.id, target.method, target] as const))(
    '%s (%s)',
    (_id, _m, target) => hold(target, inputsOf(target)),
    patienceMs,
  );
});
