// A control operation is stored before it is answered: at the moment at which an answer is sent, the files of the data
// directory hold what it says. All operations that are declared are tried in the full run, so a new one is, too.

import { cpSync } from 'node:fs';
import { Agent, ServerResponse } from 'node:http';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { controlTree } from '../../src/app/controls.js';
import { type ControlOperation, operationsIn } from '../../src/control/operation.js';
import type { Emulator } from '../../src/index.js';
import { fromSchema, schemaOf } from '../campaigns/support/hostile.js';
import { makeSubjects } from '../campaigns/support/hostile-run.js';
import { tempDir } from '../support/command.js';
import { call, startEmulator } from '../support/emulator.js';
import { testSeed } from '../support/seed.js';

const operations = operationsIn(controlTree).sort((a, b) => (a.id < b.id ? -1 : 1));
const changing = operations.filter(({ method }) => method !== 'GET');

/**
 * They wait, look or refuse, and change nothing that is stored. The agent that is asked polls on while its answer is told.
 */
const changeNothing = ['control.await', 'control.exploration.check', 'control.relay.ask'];
/** The answers of these are of the process, or of the journal, whose newest records a killed process may lose. */
const ofTheProcess =
  /^control\.(health|config|assumptions|failures|changes|coverage|events|expectations|exploration|history\..*|report|timeline|verdicts|requests\..*|streams.*|voices\.premade)/;
/** What a killed process may lose of its last second: windows that nobody has used up, and uses of keys. */
const countsOf =
  /\{"caller":"[^"]*","bucket":"[^"]*","used":\d+,"limit":\d+,"exhausted":false,"resetsAt":"[^"]*"\},?|"usage_count":\d+,"last_used_at":("[^"]*"|null),/g;
const shown = operations.filter(
  ({ id, method, path, shape }) => method === 'GET' && !path.includes('{') && !shape.streams && !ofTheProcess.test(id),
);
const platform = ['/api/v1/containers', '/api/my-agents/characters', '/api/v1/api-keys', '/api/v1/credits/balance'];

/** Bodies with rules that no schema says; of a function, what it makes of what the path names. */
const bodies: Record<string, object | ((emulator: Emulator, id: string) => unknown)> = {
  'control.clock.advance': { by: '10m' },
  'control.clock.skew': { to: '2026-03-01T00:00:00Z' },
  'control.faults.add': { match: { operation: 'agents.create' }, effect: { status: 418 } },
  'control.images.make': { repository: 'web', tag: 'v1' },
  'control.limits.set': { operation: 'agents.create', limit: 7 },
  'control.limits.exhaust': { feature: 'chat', retryAfter: 30 },
  'control.organizations.credits': { set: 5 },
  'control.payments.setBalance': { address: `0x${'ab'.repeat(20)}`, usdc: 5 },
  'control.replies.add': { text: 'Hello' },
  'control.scenarios.applyDocument': { title: 'A world', limits: [{ operation: 'agents.create', limit: 9 }] },
  'control.snapshots.import': ({ controls }) => {
    controls.snapshots.take({ name: 'exported' });
    return controls.snapshots.export('exported');
  },
};

/** The acts that must have happened before. */
const before: Record<string, (emulator: Emulator, id: string) => unknown> = {
  'control.containers.crash': ({ controls }) => controls.clock.advance('20m'),
  'control.containers.stop': ({ controls }) => controls.clock.advance('20m'),
  'control.containers.recover': async ({ controls }, id) => {
    await controls.clock.advance('20m');
    controls.containers.crash(id);
  },
};

let copying: string | undefined;
const realEnd = ServerResponse.prototype.end;
afterEach(() => vi.restoreAllMocks());

/** Copies the data directory whenever the answer to a request that is meant is sent. */
function copyAtAnswers(dataDir: string): void {
  vi.spyOn(ServerResponse.prototype, 'end').mockImplementation(function (this: ServerResponse, ...args: unknown[]) {
    if (this.req.headers['x-copied'] !== undefined && copying !== undefined)
      cpSync(dataDir, copying, { recursive: true });
    return realEnd.apply(this, args as never);
  });
}

/** Everything that the emulator shows of what is stored. */
async function stateOf(emulator: Emulator, dir: string): Promise<Record<string, string>> {
  const ran = !emulator.controls.clock.get().frozen;
  emulator.controls.clock.freeze();
  const state: Record<string, string> = { running: String(ran) };
  for (const path of [...shown.map((one) => one.path), ...platform]) {
    const { text } = await call(emulator, 'GET', path);
    const ofHere = text.replaceAll(emulator.url, '').replaceAll(new URL(emulator.url).host, '').replaceAll(dir, '');
    // A world that was in use was used last when it was closed, and its file grows until its log is in it.
    const ofAny = ofHere.replaceAll(/"usedAt":"[^"]*","bytes":\d+/g, '"usedAt":"then"');
    const withoutCounts = ofAny.replaceAll(countsOf, '');
    // A clock that runs shows another time at each look.
    state[path] = ran ? withoutCounts.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then') : withoutCounts;
  }
  return state;
}

async function requestsOf(
  { id, body, bodyOptional }: ControlOperation,
  emulator: Emulator,
  subject: string,
): Promise<unknown[]> {
  const known = bodies[id];
  if (known !== undefined) return [typeof known === 'function' ? await known(emulator, subject) : known];
  if (body === undefined) return [undefined];
  const drawn = fc.sample(fromSchema(schemaOf(body)), { seed: testSeed, numRuns: 40 });
  return [...(bodyOptional === true ? [undefined] : []), ...drawn];
}

it(`the changes are stored before the response of every operation (TEST_SEED=${testSeed})`, async () => {
  const dataDir = tempDir();
  const start = (dir: string): Promise<Emulator> =>
    startEmulator({
      dataDir: dir,
      data: { scenarios: join(dir, 'scenarios') },
      worlds: { persist: true },
      containers: { urlStyle: 'path' },
      rateLimits: { enabled: false },
      strict: {},
    });
  const emulator = await start(dataDir);
  const victim = { emulator, agent: new Agent(), sent: 0 } as never;
  copyAtAnswers(dataDir);
  const problems: string[] = [];
  const refused: string[] = [];
  for (const operation of changing) {
    if (changeNothing.includes(operation.id)) continue;
    const { mine } = await makeSubjects(victim, operation as never);
    await before[operation.id]?.(emulator, mine);
    const path = operation.path.replace(/\{\w+\}/, mine);
    let answer = '';
    for (const body of await requestsOf(operation, emulator, mine)) {
      copying = join(tempDir(), 'data');
      const { status, text } = await call(emulator, operation.method, path, body, { 'x-copied': '1' });
      answer = `${operation.id} ${JSON.stringify(body)}: ${status} ${text.slice(0, 200)}`;
      if (status < 300) break;
      if (status >= 500) problems.push(answer);
      copying = undefined;
    }
    if (copying === undefined) {
      refused.push(answer);
      continue;
    }
    const wanted = await stateOf(emulator, dataDir);
    const killed = await start(copying);
    const there = await stateOf(killed, copying);
    await killed.close();
    for (const [of, text] of Object.entries(wanted))
      if (text !== there[of]) problems.push(`after ${answer}\n${of} was ${text}\nand is ${there[of]}`);
  }
  expect([problems, refused]).toEqual([[], []]);
});
