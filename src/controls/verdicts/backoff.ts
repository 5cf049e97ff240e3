// The rule that a client which keeps failing tries less and less often.

import { counted } from '../../kernel/words.js';
import type { JournalEntry } from '../../store/journal-entry.js';
import {
  type Bursts,
  burstsOf,
  failedForNow,
  groupedBy,
  identityOf,
  keptWait,
  knew,
  sequencesOf,
  waited,
} from './reading.js';
import { conclude, type Evidence, evidenceOf, type Rule, waitText } from './verdict.js';

const fewest = 3;
// Shorter waits are what a client takes to begin anew, and differ by chance.
const atOnceMs = 25;
const jitter = 0.75;

/**
 * When the same request (method, path, body) of a caller fails three times or more in a row (429, 5xx, or no answer),
 * the waits between the attempts grow: each is at least three quarters of the former, so that jitter of a quarter is
 * fine, and the last is longer than the first. Waits that an answer told and the client kept stand for themselves.
 */
export const backoffGrows: Rule = {
  id: 'backoff-grows',
  title: 'Backs off while it fails',
  demands: 'A request that fails three times or more is sent again after longer and longer waits, or after those told.',
  judge(records) {
    const wrong: Evidence[] = [];
    let runs = 0;
    for (const attempts of sequencesOf(records)
      .flatMap((sequence) => groupedBy(sequence, identityOf))
      .flatMap((attempts) => runsOf(attempts, burstsOf(attempts)))) {
      runs++;
      const flaw = flawIn(attempts);
      if (flaw !== undefined) wrong.push(flaw);
    }
    return conclude(runs, wrong, {
      none: 'No request failed three times in a row; a fault with a 503 for the first three shows what happens then.',
      pass: `${counted(runs, 'request')} failed three times or more, each tried again after growing waits.`,
      fail: `Of ${counted(runs, 'request')} that kept failing, ${wrong.length} did not back off: double the wait after each failure.`,
    });
  },
};

// Failures in a row, with the attempt that ended them; attempts that ran side by side are no sequence.
function runsOf(attempts: readonly JournalEntry[], bursts: Bursts): JournalEntry[][] {
  const runs: JournalEntry[][] = [];
  let run: JournalEntry[] = [];
  const end = (): void => {
    if (run.filter(failedForNow).length >= fewest) runs.push(run);
    run = [];
  };
  for (const entry of attempts) {
    const last = run.at(-1);
    if (last !== undefined && !knew(entry, last, bursts)) continue;
    if (failedForNow(entry)) run.push(entry);
    else {
      if (run.length > 0) run.push(entry);
      end();
    }
  }
  end();
  return runs;
}

function flawIn(attempts: readonly JournalEntry[]): Evidence | undefined {
  const waits = attempts.slice(1).flatMap((entry, index) => {
    const before = attempts[index];
    if (before === undefined) return [];
    if (before.retryAfter !== null && keptWait(before, entry)) return [];
    const ms = waited(before, entry);
    return [{ entry, ms: ms < atOnceMs ? 0 : ms }];
  });
  const [first] = waits;
  const last = waits.at(-1);
  if (first === undefined || last === undefined || first === last) return undefined;
  const shorter = waits.find(({ ms }, index) => ms < (waits[index - 1]?.ms ?? 0) * jitter);
  const stuck = last.ms <= first.ms + atOnceMs ? last : undefined;
  const flawed = shorter ?? stuck;
  if (flawed === undefined) return undefined;
  const list = waits.slice(0, 8).map(({ ms }) => waitText(ms));
  return evidenceOf(
    flawed.entry,
    `${counted(attempts.length, 'attempt')} at the same request, with these waits: ${list.join(', ')}${waits.length > 8 ? ', …' : ''}`,
  );
}
