// The proof: the exchanges of a recording are sent to a world of the scenario, each at its own time, and the answers compared.

import { Agent, request } from 'node:http';
import { type RunningEmulator, runEmulator } from '../../app/emulator.js';
import type { Config } from '../../config/schema.js';
import { nobody } from '../../tools/incidents/callers.js';
import { type Difference, differenceOf, learnIds, withIds } from '../../tools/incidents/compare.js';
import type { Exchange } from '../../tools/incidents/exchange.js';
import { treeIn } from '../../tools/incidents/exchange.js';
import { balanceIn } from '../../tools/incidents/money.js';
import { callersIn } from '../../tools/incidents/state.js';
import type { JournalEntry, JournalRecord } from '../../tools/journal/journal-entry.js';
import type { ScenarioInput } from '../../tools/scenarios/schema.js';
import { judgeRecords } from '../../tools/verdicts/control.js';
import type { Verdict } from '../../tools/verdicts/verdict.js';
import { overlaid } from '../../world/settings.js';

export interface Proof {
  differences: Difference[];
  /** By how much the first balance that was shown is more than the one that came. */
  missing: number;
  /** Of the requests with the times of the recording. */
  verdicts: Verdict[];
  /** The number of the entry that a request of the journal stands for. */
  entryOf(requestId: string | null): number | undefined;
  /** Credits that all requests were charged. */
  charged: number;
  /** What each of the given requests was charged, by the id of the journal. */
  chargedFor(requestId: string | null): number;
}

export interface Prover {
  /** @param twice the entries that a browser has sent again by itself */
  prove(exchanges: readonly Exchange[], scenario: ScenarioInput, twice: ReadonlySet<number>): Promise<Proof>;
  close(): Promise<void>;
}

const settledIn = 20_000;

/** An emulator of its own for proofs. */
export async function createProver(config: Config): Promise<Prover> {
  // Nobody goes back in the world of a proof.
  const data = { ...config.data, history: 'off' as const };
  const emulator = await runEmulator({ config: { ...config, data, scenario: null }, keeping: 'files' });
  const plane = await emulator.controlPlane();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let proofs = 0;
  return {
    async prove(exchanges, scenario, twice) {
      const start = exchanges.reduce((least, { actedAt }) => Math.min(least, actedAt), Infinity);
      const byTag = new Map(exchanges.map((exchange) => [String(exchange.index), exchange]));
      const { worlds } = plane.controlsOf('default');
      const id = `proof-${++proofs}`;
      const world = await worlds.create({ id, scenario: frozen(scenario, start), ttl: null });
      try {
        const controls = plane.controlsOf(id);
        const [, ...others] = callersIn(exchanges);
        const made = others.map((name): [string, string] => {
          const { expiresIn, permissions } = scenario.data?.keys?.find((one) => one.name === name) ?? {};
          const more = { ...(expiresIn && { expiresIn }), ...(permissions && { permissions }) };
          return [name, controls.keys.create({ name, ...more }).apiKey];
        });
        const keys = new Map(made);
        const keyOf = (caller: string): string | undefined =>
          caller === nobody ? undefined : (keys.get(caller) ?? world.apiKey);
        const ids = new Map<string, string>();
        const differences: Difference[] = [];
        let missing: number | undefined;
        const entryOf = new Map<string, number>();
        const journal: JournalRecord[] = [];
        // A journal of all of them would hold their bodies once more.
        const takeJournal = (): void => {
          const { requests } = controls.requests.list({ limit: 2 * takenAtOnce });
          controls.requests.clear();
          for (const entry of requests.reverse()) {
            const exchange = byTag.get(entry.requestHeaders[tag] ?? '');
            if (exchange === undefined) continue;
            entryOf.set(entry.requestId, exchange.index);
            journal.push(...asRecorded(entry, exchange, ids));
          }
        };
        for (const [place, exchange] of exchanges.entries()) {
          if (place % takenAtOnce === takenAtOnce - 1) takeJournal();
          const ahead = exchange.actedAt - Date.parse(controls.clock.get().now);
          if (ahead > 0) await controls.clock.advance({ by: ahead });
          if (twice.has(exchange.index)) {
            const lost = { 'x-emulator-fault': JSON.stringify({ phase: 'after', effect: { network: 'reset' } }) };
            await send(
              emulator,
              `/w/${id}`,
              { ...exchange, index: -1, headers: { ...exchange.headers, ...lost } },
              ids,
              keyOf(exchange.caller),
              agent,
            );
          }
          const answer = await send(emulator, `/w/${id}`, exchange, ids, keyOf(exchange.caller), agent);
          const [recorded, came] = [treeIn(exchange.text), treeIn(answer.text)];
          learnIds(recorded, came, ids);
          if (missing === undefined) {
            const [shown, shows] = [balanceIn(recorded), balanceIn(came)];
            if (shown !== undefined && shows !== undefined) missing = shown - shows;
          }
          const difference = differenceOf(exchange, { ...answer, recorded, came });
          if (difference !== undefined) differences.push(difference);
        }
        takeJournal();
        // What the data of the scenario cost was charged before.
        const charges = controls
          .ledger({})
          .filter(
            ({ type, amount, requestId, at }) =>
              requestId !== null && type !== 'refund' && amount < 0 && Date.parse(at) >= start,
          );
        const verdicts = judgeRecords(journal, overlaid(config, scenario.settings ?? {}), controls.faults.list(), 0);
        return {
          differences,
          missing: missing ?? 0,
          entryOf: (requestId) => entryOf.get(requestId ?? ''),
          verdicts,
          charged: charges.reduce((sum, { amount }) => sum - amount, 0),
          chargedFor: (requestId) =>
            charges.reduce((sum, one) => (one.requestId === requestId ? sum - one.amount : sum), 0),
        };
      } finally {
        worlds.drop(id);
      }
    },
    close: async () => {
      agent.destroy();
      await emulator.close();
    },
  };
}

const takenAtOnce = 500;

/** A scenario for a proof: time stands still but when it is advanced, and nothing waits for real time. */
function frozen(scenario: ScenarioInput, start: number): ScenarioInput {
  const faults = (scenario.faults ?? []).flatMap(({ effect, ...rule }) => {
    const { delay, ...left } = effect;
    const network = left.network === 'hang' ? { network: 'reset' as const } : {};
    return delay !== undefined && Object.keys(left).length === 0 ? [] : [{ ...rule, effect: { ...left, ...network } }];
  });
  const { keys: _, ...data } = scenario.data ?? {};
  return {
    ...scenario,
    data,
    faults,
    clock: { start: new Date(start).toISOString(), frozen: true },
    expect: undefined,
  };
}

const tag = 'x-recorded-entry';
// They belong to the connection or to the browser; of some clients the emulator expects silent repetitions.
const left =
  /^(:.*|host|connection|content-length|transfer-encoding|expect|keep-alive|upgrade|te|trailer|accept-encoding|user-agent|origin|referer|sec-.*|if-.*|x-wallet-.*|cookie)$/;

async function send(
  { port }: RunningEmulator,
  prefix: string,
  exchange: Exchange,
  ids: ReadonlyMap<string, string>,
  key: string | undefined,
  agent: Agent,
): Promise<{ status: number; text: string }> {
  const headers: Record<string, string> = { [tag]: String(exchange.index) };
  for (const [name, value] of Object.entries(exchange.headers))
    if (!left.test(name) && /^[\t\x20-\x7e]*$/.test(value)) headers[name] = value;
  if (key !== undefined) headers.authorization = `Bearer ${key}`;
  const body = exchange.body === null || exchange.body === '' ? undefined : withIds(exchange.body, ids);
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  const path = prefix + encodeURI(decoded(withIds(exchange.path + exchange.query, ids)));
  return new Promise((resolve) => {
    const none = (): void => resolve({ status: 0, text: '' });
    const options = { host: '127.0.0.1', port, path, method: exchange.method, headers, agent, timeout: settledIn };
    const sent = request(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece: string) => {
        text += piece;
      });
      const end = (): void => resolve({ status: answer.statusCode ?? 0, text });
      answer.on('end', end);
      answer.on('error', end);
    });
    sent
      .on('error', none)
      .on('timeout', () => sent.destroy())
      .end(body);
  });
}

// What a log holds undecoded, and what no path may hold.
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return encodeURIComponent(path).replaceAll('%2F', '/');
  }
}

const longestJudged = 8_000;

/** A request of the proof with the times and the answer of the recording. */
function asRecorded(
  { connection: _, ...entry }: JournalEntry,
  { sentAt, ms, headers, answer, text }: Exchange,
  ids: ReadonlyMap<string, string>,
): JournalRecord[] {
  const waits = Number(answer['retry-after'] ?? Number.NaN);
  // Recordings cut the beginning to a millisecond: what came after the end may seem to begin before it.
  const endedAt = sentAt + Math.max(0, ms - 1);
  const times = { at: sentAt, wall: sentAt, begunAt: sentAt, durationMs: ms, endedAt };
  const told = Number.isFinite(waits) ? { retryAfter: waits } : {};
  // curl opens a connection for each request.
  const own = /^curl\//.test(headers['user-agent'] ?? '')
    ? { connection: { number: entry.seq, openedAt: sentAt, others: 0, earlier: 0 } }
    : {};
  const shown = text ? withIds(text, ids) : entry.responseBody;
  // No rule reads what a journal would have cut.
  const responseBody = shown === null || shown.length > longestJudged ? null : shown;
  const { seq } = entry;
  const ended = { kind: 'marker', seq, at: endedAt, wall: endedAt, event: 'stream-ended', subject: `${seq}` } as const;
  return [
    { ...entry, ...times, ...told, ...own, responseBody, requestHeaders: headers, responseHeaders: answer },
    ...(entry.outcome === 'streaming' ? [ended] : []),
  ];
}
