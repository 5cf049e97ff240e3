// Drawn clients: a model for each rule, whose parameters (interval, jitter, connections, processes, when it gives up) say
// what its right verdict is. What it does is written into a journal; nothing is sent.

import type { JournalEntry } from '../../../src/tools/journal/journal-entry.js';
import { backoffGrows } from '../../../src/tools/verdicts/backoff.js';
import { noDuplicateCreate } from '../../../src/tools/verdicts/duplicate-create.js';
import { pollIntervalObeyed } from '../../../src/tools/verdicts/poll-interval.js';
import { quietAfterEnd } from '../../../src/tools/verdicts/quiet-after-end.js';
import { retryAfterObeyed } from '../../../src/tools/verdicts/retry-after.js';
import type { Outcome, Rule } from '../../../src/tools/verdicts/verdict.js';
import type { Draws } from '../../support/draws.js';
import { creation, failure, judgedBy, listing, look, refusal, start, timeline } from '../../support/records.js';

/** A client with the verdicts on it that are right. */
export interface Drawn {
  about: string;
  right: readonly Outcome[];
  /** Its waits are random: a rule may fail it by chance, rarely. */
  isRandom?: true;
  /** The requests with their instants, in milliseconds. */
  requests: readonly (readonly [ms: number, fields: Partial<JournalEntry>])[];
}

export const models: readonly { rule: Rule; draw: (draws: Draws) => Drawn }[] = [
  { rule: pollIntervalObeyed, draw: poller },
  { rule: backoffGrows, draw: retrier },
  { rule: noDuplicateCreate, draw: creator },
  { rule: retryAfterObeyed, draw: refused },
  { rule: quietAfterEnd, draw: watcher },
];

/** How a rule judges what a drawn client did. */
export function verdictOn(rule: Rule, { requests }: Drawn): Outcome {
  const journal = timeline();
  let passed = 0;
  for (const [ms, fields] of [...requests].sort(([a], [b]) => a - b)) {
    journal.wait(ms - passed);
    passed = ms + Math.ceil(journal.request(fields).durationMs);
  }
  return judgedBy(rule, journal.records).verdict;
}

const kept = (number: number, others = 0) => ({ number, openedAt: start - 5, others, earlier: 1 });
/** A connection that is opened for one request. */
const own = (number: number, ms: number) => ({ number, openedAt: start + ms - 1, others: 0, earlier: 0 });
const advised = 10_000;

function poller(draws: Draws): Drawn {
  const processes = draws.oneOf([1, 1, 2, 3]);
  const isKept = draws.isSo(0.6);
  const part = draws.oneOf([0.02, 0.1, 0.2, 0.5, 1, 1, 1.1, 2]);
  const jitter = draws.between(0, part < 1 ? 0.05 : 0.1);
  const count = draws.whole(5, 12);
  const hasExtra = isKept && part >= 1 && processes === 1 && draws.isSo(0.3);
  const polls: [number, Partial<JournalEntry>][] = [];
  for (let process = 1; process <= processes; process++) {
    let ms = 100 + draws.between(0, advised * part);
    for (let n = 0; n < count; n++) {
      const connection = isKept ? kept(process, processes - 1) : own(100 * process + n, Math.round(ms));
      polls.push([Math.round(ms), look('building', { connection, durationMs: 1 })]);
      ms += advised * part * (1 + draws.between(0, jitter));
    }
  }
  if (hasExtra) {
    const [ms, fields] = polls[draws.whole(1, count - 1)] as (typeof polls)[number];
    polls.push([ms + draws.whole(10, 5_000), fields]);
  }
  return {
    about: `${processes} processes poll each ${part} of the interval, jitter ${jitter}, ${isKept ? 'kept' : 'own'} connections${hasExtra ? ', one extra read' : ''}`,
    right: rightOfPoller(processes, isKept, part, jitter),
    requests: [[0, creation({ connection: kept(1) })], ...polls],
  };
}

function rightOfPoller(processes: number, isKept: boolean, part: number, jitter: number): readonly Outcome[] {
  if (part >= 1) return processes === 1 || isKept ? ['pass'] : ['pass', 'unclear'];
  // Half the interval by two connections may be that of two processes each.
  if (isKept) return processes === 1 || part < 0.5 ? ['fail'] : ['fail', 'unclear'];
  // Two that keep the interval come at equal distances only by a rare chance.
  return processes === 1 && (part <= 0.2 || jitter < 0.02) ? ['fail'] : ['fail', 'unclear'];
}

function retrier(draws: Draws): Drawn {
  const count = draws.whole(3, 7);
  const base = draws.oneOf([100, 200, 500, 1_000, 5_000]);
  const waits = (wait: (index: number) => number): number[] => Array.from({ length: count }, (_, n) => wait(n));
  const kinds: Record<string, () => Pick<Drawn, 'right' | 'isRandom'> & { waits: number[]; told?: number }> = {
    'at once': () => ({ right: ['fail'], waits: waits(() => draws.between(0, 4)) }),
    constant: () => ({ right: ['fail'], waits: waits(() => base + draws.between(0, base / 100)) }),
    falling: () => ({ right: ['fail'], waits: waits((n) => 10 * base * (1 - n / 8)) }),
    doubling: () => ({ right: ['pass'], waits: waits((n) => 2 * base * 2 ** n * draws.between(0.8, 1.25)) }),
    'a limit': () => ({ right: ['pass'], waits: waits((n) => 2 * base * 2 ** Math.min(n, 2)) }),
    'first at once': () => ({ right: ['pass'], waits: waits((n) => (n === 0 ? 1 : 2 * base * 2 ** n)) }),
    'as told': () => ({ right: ['pass'], told: 5, waits: waits(() => 5_000 + draws.between(0, 100)) }),
    'full jitter': () => ({
      right: ['pass', 'unclear'],
      isRandom: true,
      waits: waits((n) => draws.between(0, base * 2 ** n)),
    }),
  };
  const kind = draws.oneOf(Object.keys(kinds));
  const { waits: made, told, ...rest } = (kinds[kind] as (typeof kinds)[string])();
  const succeeds = draws.isSo(0.5);
  const failing = { ...(told === undefined ? failure() : refusal(told)), durationMs: 1, connection: kept(1) };
  let ms = 0;
  const requests: [number, Partial<JournalEntry>][] = [[0, failing]];
  for (const [index, wait] of made.entries()) {
    ms += 1 + Math.round(wait);
    requests.push([ms, succeeds && index === count - 1 ? { connection: kept(1) } : failing]);
  }
  const about = `${kind}, base ${base}: ${made.map((wait) => Math.round(wait)).join(', ')}`;
  return { about, ...rest, requests };
}

function creator(draws: Draws): Drawn {
  const body = { name: 'Shop', project_name: 'shop', port: 80 };
  const wasMade = draws.isSo(0.7);
  const read = draws.oneOf(['nothing', 'list', 'list', 'balance', 'other', 'delete']);
  const again = draws.oneOf(['same', 'same', 'renamed', 'other', 'none']);
  const hasLimit = draws.isSo(0.3);
  const shown = wasMade ? [{ id: 'c0' }, { id: 'c1', ...body, status: 'running' }] : [{ id: 'c0' }];
  const list = { operation: 'containers.list', responseBody: JSON.stringify({ success: true, data: shown }) };
  const reads: Record<string, readonly Partial<JournalEntry>[]> = {
    nothing: [],
    list: [list],
    balance: [{ operation: 'account.balance', responseBody: '{"balance":5}' }],
    other: [{ operation: 'agents.list', responseBody: '{"data":[]}' }],
    delete: wasMade ? [list, { method: 'DELETE', operation: 'containers.delete', subject: 'c1' }] : [list],
  };
  const lasts = hasLimit ? draws.whole(300, 5_000) : draws.whole(30, 60);
  const asking = { requestBody: JSON.stringify(body), requestBodyHash: 'shop', connection: kept(1) };
  const lost: Partial<JournalEntry> = { status: 0, outcome: 'lost', fault: 'f1', durationMs: lasts, subject: null };
  const requests: [number, Partial<JournalEntry>][] = [
    [0, creation({ ...asking, ...lost, ...(wasMade && { happened: true }) })],
  ];
  let ms = lasts + 10;
  for (const fields of reads[read] ?? []) {
    ms += 20;
    requests.push([ms, { ...fields, connection: kept(2) }]);
  }
  const project = { same: 'shop', renamed: 'shop-2', other: 'mall' }[again];
  // A client with a time limit may send again before its leaving is noticed.
  const isEarly = hasLimit && read === 'nothing';
  ms = isEarly ? lasts - draws.whole(0, 20) : ms + 20;
  if (project !== undefined) {
    const wanted = { ...body, project_name: project };
    const connection = read === 'nothing' ? { ...own(3, ms), others: isEarly ? 1 : 0 } : kept(2);
    requests.push([
      ms,
      creation({ requestBody: JSON.stringify(wanted), requestBodyHash: project, subject: 'c2', connection }),
    ]);
  }
  const isCleared = read === 'delete' || (read === 'list' && !wasMade);
  const isAgain = again === 'same' || (again === 'renamed' && wasMade);
  return {
    about: `${wasMade ? 'made' : 'never made'}, reads ${read}, creates ${again}${hasLimit ? ', has a time limit' : ''}`,
    right: isAgain && !isCleared ? ['fail'] : ['pass'],
    requests,
  };
}

function refused(draws: Draws): Drawn {
  const told = draws.whole(1, 60);
  const part = draws.oneOf([0, 0.2, 0.9, 1, 1.05, 2]);
  const isKept = draws.isSo(0.7);
  const durationMs = isKept ? 1 : 35;
  const ms = durationMs + Math.round(told * 1_000 * part) + 2;
  const connection = isKept ? kept(1) : own(2, ms);
  return {
    about: `told ${told} s, waits ${part} of it, ${isKept ? 'kept' : 'own'} connections`,
    right: part < 1 ? ['fail'] : ['pass'],
    requests: [
      [0, refusal(told, { durationMs, connection: isKept ? kept(1) : own(1, 0) })],
      [ms, { connection }],
    ],
  };
}

function watcher(draws: Draws): Drawn {
  const more = draws.whole(0, 6);
  const gap = draws.oneOf([100, 500, 5_000, 30_000, 60_000, 600_000]);
  const status = draws.oneOf(['failed', 'stopped']);
  const byList = draws.isSo(0.4);
  const by = draws.oneOf(['kept', 'two', 'own']);
  // Fetch has a pool of connections, of which the other users of the platform have some, too.
  const connections: Record<string, (n: number, ms: number) => JournalEntry['connection']> = {
    kept: () => kept(1),
    two: (n) => ({ ...kept(1 + (n % 2), 4), earlier: n < 2 ? 0 : 1 }),
    own: (n, ms) => own(10 + n, ms),
  };
  const shown = byList ? listing(status) : look(status);
  const polls = Array.from({ length: more + 1 }, (_, n): [number, Partial<JournalEntry>] => {
    const ms = 1_000 + n * (gap + 5);
    const connection = connections[by]?.(n, ms);
    return [ms, { ...shown, durationMs: 1, ...(connection !== undefined && { connection }) }];
  });
  const isOver = more > 2 && gap < 60_000;
  return {
    about: `${more} polls by ${byList ? 'list' : 'get'} each ${gap} ms after it has ${status}, by ${by} connections`,
    right: isOver ? ['fail'] : ['pass'],
    requests: [[0, creation({ connection: kept(1) })], ...polls],
  };
}
