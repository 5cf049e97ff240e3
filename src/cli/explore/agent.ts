// `cloudemu explore --agent`: a task of an agent is run several times with each fault that leaves it in doubt, and the report
// says how often it recovers.

import { availableParallelism } from 'node:os';
import { readNamedText } from '../../core/checkout-files.js';
import { counted } from '../../core/words.js';
import { type Baseline, baselineOf, mostOf } from '../../tools/explore/baseline.js';
import { type Consequence, type Grade, grades } from '../../tools/explore/consequence.js';
import { additionOf, type Try, tryId } from '../../tools/explore/fault-kinds.js';
import { whatOf } from '../../tools/explore/finds.js';
import { judge } from '../../tools/explore/judge.js';
import { type Failure, failureIn } from '../../tools/explore/output.js';
import { type Declared, nameOf, type Point, pointsIn } from '../../tools/explore/points.js';
import { planOf, type Ran } from '../../tools/explore/queue.js';
import {
  type AgentMistake,
  type AgentReport,
  agentReport,
  type Difference,
  differencesOf,
  growth,
  isAmbiguous,
  mistakesIn,
  type Rate,
  rateOf,
  ratesOf,
  type TriedFault,
} from '../../tools/explore/rates.js';
import { mostAtOnce, type SeenWorld } from '../../tools/explore/seen.js';
import { durationOf, numberOf } from '../command.js';
import { endInterrupted, interruption } from '../interrupt.js';
import { hanging } from '../layout.js';
import { fail, type Line, painted, printJson, tell } from '../print.js';
import { startOptions } from '../start-options.js';
import { reportedWords, scenarioDocument, silenceText } from '../tested-command.js';
import {
  declaredUnder,
  type ExploreOptions,
  isAtLeast,
  leastLimitMs,
  mostJobs,
  settingsOf,
  withWorlds,
} from './given.js';
import { type Once, runOnce } from './once.js';
import { createProgress, endEarly, refuse } from './progress.js';
import type { RunLimit } from './run-limit.js';
import { makeRuns } from './search.js';

const usualRepeat = 3;
const patience = 3;

/** Runs the command with one fault in each of some worlds; undefined: it was interrupted. */
type Run = (worlds: Record<string, object>, limit?: RunLimit) => Promise<Once | undefined>;

/**
 * Exit code: 1 for mistakes of the grade of `--fail-on` or above, and with `--compare` only for those that are surely more
 * frequent now; 2 when the agent fails in each run without faults; 130 when it is interrupted.
 */
export async function exploreAgent(options: ExploreOptions): Promise<void> {
  const begun = performance.now();
  const { '--': command, full = false, 'fail-on': failOn } = options;
  const budgetMs = durationOf('--budget', options.budget);
  const repeat = numberOf('--repeat', options.repeat, 'runs', 1_000) ?? usualRepeat;
  const mostRuns = numberOf('--runs', options.runs, 'runs') ?? Number.POSITIVE_INFINITY;
  const jobs = numberOf('--jobs', options.jobs, 'runs', mostJobs) ?? availableParallelism();
  const before = options.compare === undefined ? undefined : reportIn(options.compare);
  const config = settingsOf(startOptions(options));
  const document = scenarioDocument(config, options.scenario);
  const words = reportedWords(command, [config.keys.prefix, config.keys.livePrefix]);
  const interrupted = interruption();
  const progress = createProgress();
  try {
    let runs = 0;
    const run: Run = (worlds, limit) => {
      runs++;
      const scenario = withWorlds(document, worlds);
      return runOnce({ config, command, scenario, worldPerTest: false, interrupted, ...(limit && { limit }) });
    };
    progress.show(`Runs the agent ${counted(repeat, 'time')} without faults`);
    const plain = await withoutFaults(run, repeat, jobs);
    if (plain === undefined) return endEarly(progress);
    const [{ output = '' } = {}] = plain;
    if (plain.every(({ exitCode }) => exitCode !== 0))
      return refuse(
        progress,
        `Without any fault \`${words.join(' ')}\` fails in each of ${counted(plain.length, 'run')}:`,
        output,
      );
    if (plain.every(({ worlds }) => worlds.size === 0)) return refuse(progress, silenceText(config.env), output);
    const searched = await tryAll(plain, {
      run,
      declared: declaredUnder(config, document),
      repeat,
      jobs,
      full,
      isOver: () => interrupted.aborted || runs >= mostRuns || performance.now() - begun > budgetMs,
      onProgress: (doing) => progress.show(`${counted(runs, 'run')}: ${doing}`),
    });
    progress.end();
    const ofAll = searched.tried.map(({ recovered }) => recovered);
    const sum = (part: 'count' | 'of'): number => ofAll.reduce((total, rate) => total + rate[part], 0);
    const report: AgentReport = {
      agent: true,
      command: words,
      seconds: Math.round((performance.now() - begun) / 100) / 10,
      runs,
      repeat,
      withoutFaults: { runs: plain.length, failed: plain.filter(({ exitCode }) => exitCode !== 0).length },
      ...searched,
      recovered: rateOf(sum('count'), sum('of')),
    };
    if (!options.json) tell(...agentLines(report, before));
    if (interrupted.aborted) endInterrupted('what was found so far is printed.', { ...report });
    if (options.json) printJson(report);
    const isFailure = searched.tried.some(({ mistakes }) => mistakes.some(({ grade }) => isAtLeast(grade, failOn)));
    const isWorse = before === undefined ? isFailure : worseThan(before, report, failOn).length > 0;
    process.exitCode = isWorse ? 1 : sum('of') === 0 ? 3 : 0;
  } catch (error) {
    progress.end();
    throw error;
  }
}

// One for each try, with what went wrong in it.
const mostReport = 64 * 1_024 * 1_024;

function reportIn(file: string): AgentReport {
  try {
    return agentReport.parse(JSON.parse(readNamedText(file, mostReport)));
  } catch {
    fail(2, `--compare must be a report that \`explore --agent --json\` has printed, got ${file}`);
  }
}

async function withoutFaults(run: Run, repeat: number, jobs: number): Promise<Once[] | undefined> {
  let left = repeat;
  const seen: (Once | undefined)[] = [];
  const worker = async (): Promise<void> => {
    while (left-- > 0) seen.push(await run({}));
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return seen.every((once) => once !== undefined) ? seen : undefined;
}

interface TryingOptions {
  run: Run;
  declared: Declared;
  repeat: number;
  jobs: number;
  full: boolean;
  isOver: () => boolean;
  onProgress: (doing: string) => void;
}

// All faults once, then all of them again: whatever ends it early, each was tried about as often as the others.
async function tryAll(
  plain: readonly Once[],
  { run, declared, repeat, jobs, full, isOver, onProgress }: TryingOptions,
): Promise<Pick<AgentReport, 'tried' | 'notTried'>> {
  const worlds = worldsOf(plain);
  const bases = new Map([...worlds].map(([label, seen]) => [label, baselineOf(seen)]));
  const plan = planOf(usualPoints(worlds, declared), [], full).tries.filter(({ kind }) => isAmbiguous(kind));
  const idleMs = Math.max(leastLimitMs, ...plain.map(({ seconds }) => seconds * patience * 1_000));
  const usual = [...bases.values()].reduce((sum, { total }) => sum + total, 0);
  // An agent has that time for its whole task, whether it gets on or not.
  const limit: RunLimit = { idleMs, startMs: idleMs, mostMs: idleMs, mostRequests: mostOf(usual), leastMs: idleMs };
  const width = mostAtOnce([...(plain[0]?.worlds.values() ?? [])]);
  const queue = {
    planned: plan,
    first: new Map<string, Ran[]>(),
    again: new Map<string, Ran[]>(),
    leftMs: () => (isOver() ? 0 : Infinity),
  };
  await makeRuns(queue, { jobs, width, full: true, usualMs: 0, repeat }, async ({ batch }) => {
    onProgress(tryId(batch[0] as Try));
    const once = await run(Object.fromEntries(batch.map((one) => [one.point.label, additionOf(one)])), limit);
    return once && batch.map((one) => judged(one, once, bases, worlds, batch.length === 1));
  });
  const shownOf = (one: Try): Consequence[][] =>
    (queue.first.get(tryId(one)) ?? []).flatMap(({ tried }) => (tried === undefined ? [] : [tried.consequences]));
  return {
    tried: plan.flatMap((one) => {
      const runs = shownOf(one);
      if (runs.length === 0) return [];
      const { label, operation, occurrence } = one.point;
      const recovered = rateOf(runs.filter(({ length }) => length === 0).length, runs.length);
      const fault = one.kind.id;
      return [{ label, operation, occurrence, fault, what: whatOf(one), recovered, mistakes: ratesOf(runs) }];
    }),
    notTried: plan.filter((one) => shownOf(one).length === 0).map(tryId),
  };
}

// What an agent did wrong; nothing was tried where it sent no request that the fault meets.
function judged(
  one: Try,
  once: Once,
  bases: ReadonlyMap<string, Baseline>,
  plain: ReadonlyMap<string, readonly SeenWorld[]>,
  isAlone: boolean,
): Ran {
  const { label } = one.point;
  const base = bases.get(label) as Baseline;
  const seen = once.worlds.get(label);
  const labels = [...once.worlds.keys()];
  const end = { ...once, labels, isAlone };
  const first = judge(one, base, seen, end);
  // Where the output names the tasks that failed, the others have not.
  const hasNamed = labels.some((other) => other !== label && hasFailed(failureIn(once.output, other, [], labels)));
  const judgement = first.failure === 'unknown' && hasNamed ? judge(one, base, seen, { ...end, exitCode: 0 }) : first;
  const ran = { one, isUnclear: false, isAlone };
  if (seen === undefined || !judgement.met) return { ...ran, tried: undefined };
  const usual = new Set(plain.get(label)?.flatMap(({ unmet }) => unmet));
  const consequences = mistakesIn(judgement, {
    isFailed: isAlone && once.worlds.size === 1 && once.exitCode !== 0,
    unmet: seen.unmet.filter((what) => !usual.has(what)),
  });
  return { ...ran, tried: { tried: one, consequences, seen, reaction: '', output: [], places: [] } };
}

const hasFailed = (failure: Failure): boolean => failure !== 'none' && failure !== 'unknown';

function worldsOf(plain: readonly Once[]): Map<string, SeenWorld[]> {
  const worlds = new Map<string, SeenWorld[]>();
  for (const once of plain)
    for (const [label, seen] of once.worlds) worlds.set(label, [...(worlds.get(label) ?? []), seen]);
  return worlds;
}

// The requests that come in more than half of the runs.
function usualPoints(worlds: ReadonlyMap<string, readonly SeenWorld[]>, declared: Declared): Point[] {
  return [...worlds.values()].flatMap((runs) => {
    const all = runs.map((seen) => pointsIn(seen, declared));
    const names = new Map<string, Point[]>();
    for (const point of all.flat()) names.set(nameOf(point), [...(names.get(nameOf(point)) ?? []), point]);
    return [...names.values()].flatMap((same) => (same.length * 2 > runs.length ? (same[0] ?? []) : []));
  });
}

// The report of `explore --agent`, as lines for people.

/** Mistakes that are surely more frequent than in the report before. */
function worseThan(before: AgentReport, now: AgentReport, failOn: string): Difference[] {
  const gradeOf = ({ what, label, kind }: Difference): Grade =>
    now.tried.find((one) => one.what === what && one.label === label)?.mistakes.find((one) => one.kind === kind)
      ?.grade ?? 'E';
  return differencesOf(before, now).filter((one) => one.isSure && growth(one) > 0 && isAtLeast(gradeOf(one), failOn));
}

/** The mistakes, the worst first; then how they differ from those of an earlier report. */
function agentLines(report: AgentReport, before: AgentReport | undefined): Line[] {
  const { tried, notTried, runs, repeat, seconds, recovered, withoutFaults } = report;
  const { failed } = withoutFaults;
  return [
    '',
    ...groupsOf(tried).flatMap(mistakeLines),
    ...(before === undefined ? [] : differenceLines(differencesOf(before, report))),
    ...(failed > 0 ? [`Without faults it failed in ${failed} of ${counted(withoutFaults.runs, 'run')}.`] : []),
    ...(notTried.length > 0
      ? hanging([], `Not tried, or never met: ${notTried.slice(0, 10).join(', ')}${notTried.length > 10 ? ' …' : ''}`)
      : []),
    ...hanging(
      [],
      `${counted(tried.length, 'fault')} tried up to ${counted(repeat, 'time')} each, in ${counted(runs, 'run')} and ${seconds} s: ${recovered.of === 0 ? 'no fault met a request.' : `it recovered in ${rateText(recovered)}.`}`,
    ),
  ];
}

interface Group {
  label: string;
  operation: string;
  mistake: AgentMistake;
  /** The kinds of faults that show it. */
  faults: string[];
  count: number;
  of: number;
}

// One mistake is one entry, whichever faults show it.
function groupsOf(tried: readonly TriedFault[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { label, operation, fault, mistakes } of tried)
    for (const mistake of mistakes) {
      const { count, of } = mistake.rate;
      const key = [label, operation, mistake.kind].join('\n');
      const group = groups.get(key) ?? { label, operation, mistake, faults: [], count: 0, of: 0 };
      group.count += count;
      group.of += of;
      if (!group.faults.includes(fault)) group.faults.push(fault);
      groups.set(key, group);
    }
  const rank = ({ mistake }: Group): number => grades.indexOf(mistake.grade);
  return [...groups.values()].sort((a, b) => rank(a) - rank(b) || b.count - a.count);
}

function mistakeLines({ label, operation, mistake, faults, count, of }: Group): Line[] {
  const { grade, kind, says, advice } = mistake;
  return [
    [painted(grade < 'C' ? 'red' : 'yellow', grade), `  ${label}: `, painted('bold', `${kind}, at ${operation}`)],
    ...hanging(['   '], `In ${rateText(rateOf(count, of))} with ${faults.join(', ')}. ${says}`),
    ...hanging(['   → '], advice),
    '',
  ];
}

const percent = (part: number): string => `${Math.round(part * 100)}`;

function rateText({ count, of, from, to }: Rate): string {
  return `${count} of ${counted(of, 'run')} (${percent(from)} to ${percent(to)} %)`;
}

function differenceLines(differences: readonly Difference[]): Line[] {
  if (differences.length === 0) return ['As often as in the report before.', ''];
  return [
    'Compared with the report before:',
    ...differences.flatMap((one) =>
      hanging(
        ['  '],
        `${growth(one) > 0 ? 'more' : 'less'} often${one.isSure ? '' : ', perhaps by chance'}: ${one.kind} (${one.label}: ${one.what}), ${rateText(one.before)} before, now ${rateText(one.now)}`,
      ),
    ),
    '',
  ];
}
