// The platform's side of a run: reads, then what may change something, then removal; and the removal that a killed run has left.

import { setTimeout as sleep } from 'node:timers/promises';
import { freshInstance } from '../../core/random.js';
import { isLoopbackName } from '../../http/origins.js';
import type { RecordedExchange } from '../../tools/incidents/exchange.js';
import { endInterrupted, interruption } from '../interrupt.js';
import { fail } from '../print.js';
import { Account, type Journal, type Made, shows, titleOf } from './account.js';
import type { Asked, Hears } from './ask.js';
import { allOf, askSide, isChanging, type Plan, recorded, wrongOf } from './emulator-side.js';
import { journalName, journals, removeJournal, save } from './files.js';
import { Line } from './line.js';

export interface Platform {
  /** Where its paths begin. */
  base: string;
  host: string;
  key: string | undefined;
  most: number;
  /** Credits that may be spent. */
  budget: number;
}

export interface PlatformAsked {
  asked: Asked;
  /** The state of the account, as its answers show it. */
  read: RecordedExchange[];
  /** The names of what was left behind. */
  left: string[];
}

/** Requests that are kept back for removing what was made. */
const reserve = 30;

const lineTo = ({ base, host, key, most }: Platform, name: string, interrupted?: AbortSignal): Line =>
  new Line({
    base,
    key: key ?? '',
    wrongKey: wrongOf(key ?? 'none_'),
    name,
    // At most two a second; a stand-in on this machine may be asked faster.
    pauseMs: isLoopbackName(host) ? 0 : 500,
    most,
    reserve: interrupted === undefined ? 0 : reserve,
    wait: (ms) => sleep(ms, undefined, interrupted === undefined ? {} : { signal: interrupted }).catch(() => {}),
  });

export async function askPlatform(plan: Plan, platform: Platform): Promise<PlatformAsked> {
  const name = `drift-${freshInstance().slice(0, 8)}`;
  const interrupted = isChanging(plan) ? interruption() : undefined;
  const line = lineTo(platform, name, interrupted);
  const read: RecordedExchange[] = [];
  const hears: Hears = (question, path, answer) => {
    read.push(recorded(read.length, question, platform.base + path, answer));
  };
  await demandPlatform(plan, line);
  if (interrupted === undefined) return { asked: await askSide(plan, line, { hears }), read, left: [] };
  interrupted.addEventListener('abort', () => {
    line.stop ??= 'interrupted';
  });
  let left: string[] = [];
  const asked = await askSide(plan, line, {
    hears,
    change: async (sofar, ask) => {
      left = await change(plan, platform, line, sofar, ask);
      if (interrupted.aborted) endInterrupted(left.length > 0 ? `this is left behind: ${left.join(', ')}` : undefined);
    },
  });
  if (interrupted.aborted) endInterrupted();
  return { asked, read, left };
}

/** Ends the command where the key is refused or nothing of the platform is there: what is said then is no answer to a question. */
async function demandPlatform({ questions, surface }: Plan, line: Line): Promise<void> {
  const as = questions.some((one) => one.as === 'key') ? 'key' : 'nobody';
  const reads = surface.filter(({ harmless, auth, path }) => harmless && auth === 'caller' && !path.includes('{'));
  reads.sort((a, b) => Number(b.id === 'account.balance') - Number(a.id === 'account.balance'));
  let what = '';
  // That one operation is gone, or needs a permission, may be a finding: others tell.
  for (const { id: operation, method, path } of reads.slice(0, 3)) {
    const answer = await line.send({ operation, method, path, as });
    if ('why' in answer) return;
    const { status } = answer;
    what = `${method} ${line.side.base}${path} answers ${status}`;
    if (as === 'key' && status === 401) break;
    if (status !== 404 && (as === 'nobody' || status !== 403)) return;
  }
  if (what.endsWith('404')) fail(2, `Nothing of the platform is at ${line.side.base}: ${what}`, { field: '--against' });
  if (what !== '') fail(2, `The key is refused: ${what}`, { field: '--key-from' });
}

/** Asks what may change something, and removes what came of it, in any case. @returns the names of what is left */
async function change(
  plan: Plan,
  platform: Platform,
  line: Line,
  asked: Asked,
  ask: (account: Account) => Promise<void>,
): Promise<string[]> {
  const { name } = line.side;
  const run = { against: platform.base, profile: plan.config.profile, name };
  const account = new Account(line, plan.nouns, plan.surface, platform.budget, (made) =>
    save(journalName(name), { ...run, made: [...made] } satisfies Journal),
  );
  const skip = (why: string): void => {
    for (const { id, level } of allOf(plan)) if (Number(level) >= 2) asked.couldNot.set(id, line.stop ?? why);
  };
  const before = line.stop === undefined ? await account.inventory() : undefined;
  if (before === undefined) {
    skip('not asked: the lists of the account could not be read');
    return [];
  }
  const others = before.filter(({ isOurs, isLeaving }) => isOurs && !isLeaving);
  if (others.length > 0) {
    skip('not asked: another run of drift is under way on this account, or has left something behind');
    return others.map((one) => `${titleOf(one)}, of another run`);
  }
  let left: string[] = [];
  try {
    await ask(account);
  } finally {
    left = await account.undo(before);
    if (left.length === 0) removeJournal(name);
  }
  return left;
}

/**
 * Removes what killed runs have left on a platform. What their files name is removed only where the platform shows that it bears
 * the name of such a run.
 */
export async function clean(
  planOf: (profile: string) => Plan,
  platform: Platform,
): Promise<{ runs: number; left: string[] }> {
  const own = journals().filter(({ against }) => against === platform.base);
  const left: string[] = [];
  for (const { name, made, profile } of own) {
    const { nouns, surface } = planOf(profile);
    const line = lineTo(platform, name);
    const account = new Account(line, nouns, surface, 0, () => {});
    account.made.push(...made);
    const isOwn = async (one: Made): Promise<boolean> => {
      const noun = account.nounOf(one);
      if (noun === undefined) return false;
      const path = noun.get.path.replace(/\{\w+\}/, encodeURIComponent(one.id ?? ''));
      const answer = await line.send({ operation: noun.get.id, method: 'GET', path, isUndo: true });
      if (!('why' in answer) && (answer.status === 404 || answer.status === 410)) account.forget(one);
      return shows(answer, name);
    };
    const rest = await account.undo(undefined, isOwn);
    if (rest.length === 0) removeJournal(name);
    left.push(...rest);
  }
  return { runs: own.length, left };
}

/** Ends the command where a killed run has left something to be removed first. */
export function refuseUnclean({ base }: Platform): void {
  if (journals().some(({ against }) => against === base))
    fail(1, 'An earlier run was ended before it had removed what it made: `cloudemu drift clean` does that');
}
