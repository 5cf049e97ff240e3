// No input costs more than in proportion to its length: each operation is given inputs of doubled lengths, and the
// CPU time that it takes grows with an exponent near 1.
//
// It takes more than half an hour, so no other script runs it: npm run test:long
//
// LINEAR_ONLY=chat measures the operations whose id contains it; all exponents are printed.

import { afterAll, describe, expect, it } from 'vitest';
import { controlEndpoints } from '../../src/controls/endpoints.js';
import { declaredGrowth, formGrowth, type Growing, headGrowth, partGrowth, rawGrowth } from '../support/growing.js';
import type { Shot, Target } from '../support/hostile.js';
import { makeSubjects, pathOf, type Subjects, send, startVictim, type Victim } from '../support/hostile-run.js';
import { credentialsFor } from '../support/sessions.js';
import { surface } from '../support/surface.js';

const highest = 1.2;
/** What takes less is not measured: doubled four times more, to all that a body may hold, it is half a second if it were squared. */
const floorMs = 6;
const rounds = 3;
const sizes = [131_072, 262_144, 524_288, 1_048_576];
const headSizes = [1_800, 3_600, 7_200, 14_400];

interface Measured {
  operation: string;
  input: string;
  ms: number[];
  exponent: number | undefined;
  status: number;
}
const table: Measured[] = [];

async function timeOf(victim: Victim, shot: Shot, path: string): Promise<[ms: number, status: number]> {
  const before = process.cpuUsage();
  const { status } = await send(victim, shot, path);
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1_000, status];
}

// The slope of a line through the logarithms of lengths, which double, and times.
function slope(ms: readonly number[]): number {
  const points = ms.map((time, i) => [i, Math.log2(time)] as const);
  const [x, y] = [0, 1].map((of) => points.reduce((sum, point) => sum + (point[of] ?? 0), 0) / points.length);
  const over = points.reduce((sum, [a, b]) => sum + (a - (x ?? 0)) * (b - (y ?? 0)), 0);
  return over / points.reduce((sum, [a]) => sum + (a - (x ?? 0)) ** 2, 0);
}

async function measure(victim: Victim, target: Target, subjects: Subjects, input: Growing): Promise<Measured> {
  const own = credentialsFor(victim.emulator, target);
  const shotOf = (bytes: number): Shot => {
    const { body, query = '', headers = {} } = input.make(bytes);
    return {
      method: target.method,
      path: target.path,
      subject: 'mine',
      query,
      headers: { ...own, ...headers },
      body: body === undefined ? undefined : Buffer.from(body),
    };
  };
  const lengths = headGrowth.includes(input) ? headSizes : sizes;
  const ms: number[] = [];
  let last = 0;
  for (const bytes of lengths) {
    const shot = shotOf(bytes);
    let best = Infinity;
    for (let round = 0; round < rounds; round++) {
      const [time, status] = await timeOf(victim, shot, pathOf(shot, subjects));
      best = Math.min(best, time);
      last = status;
    }
    ms.push(best);
    // What takes so long has failed already.
    if (best > 5_000) break;
  }
  const measurable = (ms.at(-1) ?? 0) >= floorMs;
  return { operation: target.id, input: input.name, ms, exponent: measurable ? slope(ms) : undefined, status: last };
}

function inputsOf(target: Target): Growing[] {
  if (target.upload !== undefined) return [...headGrowth.slice(0, 2), ...partGrowth];
  return [...headGrowth.slice(0, 2), ...declaredGrowth(target)];
}

const only = process.env.LINEAR_ONLY ?? '';
const targets = ([...surface, ...controlEndpoints] as Target[]).filter(({ id }) => id.includes(only));

async function hold(target: Target, inputs: Growing[]): Promise<void> {
  const victim = await startVictim({ strict: { inputs: false, responses: false } });
  try {
    const subjects = await makeSubjects(victim, target);
    const found: string[] = [];
    for (const input of inputs) {
      let row = await measure(victim, target, subjects, input);
      // A machine that was busy with something else is asked once more.
      if ((row.exponent ?? 0) > highest) row = await measure(victim, target, subjects, input);
      table.push(row);
      if ((row.exponent ?? 0) > highest || row.status >= 500) found.push(lineOf(row));
    }
    expect(found).toEqual([]);
  } finally {
    await victim.close();
  }
}

function lineOf({ operation, input, ms, exponent, status }: Measured): string {
  const times = ms.map((time) => time.toFixed(1).padStart(8)).join(' ');
  return `${operation.padEnd(34)} ${input.padEnd(48)} ${status} ${times}  ${exponent?.toFixed(2) ?? '-'}`;
}

afterAll(() => {
  const rows = [...table].sort((a, b) => (b.exponent ?? 0) - (a.exponent ?? 0));
  console.log(['operation, input, status, CPU ms at doubled lengths, exponent', ...rows.map(lineOf)].join('\n'));
});

describe('bodies and heads of any kind, before anybody is known', () => {
  const login = targets.filter(({ id }) => id === 'auth.cliSessionStart' || id === 'auth.siweVerify');
  const paths = targets.filter(({ id }) => id === 'containers.list' || id === 'control.requests');
  it.each(login.map((target) => [target.id, target] as const))('%s', (_, target) =>
    hold(target, [...rawGrowth, ...formGrowth]),
  );
  it.each(paths.map((target) => [target.id, target] as const))('%s', (_, target) => hold(target, headGrowth));
});

describe('what is declared', () => {
  it.each(targets.map((target) => [target.id, target.method, target] as const))('%s (%s)', (_id, _m, target) =>
    hold(target, inputsOf(target)),
  );
});
