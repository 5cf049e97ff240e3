// The report of `explore`: as data, and as lines for people.

import { typedName } from '../../core/typed-command.js';
import { counted } from '../../core/words.js';
import { type Grade, grades } from '../../tools/explore/consequence.js';
import { tryId } from '../../tools/explore/fault-kinds.js';
import { againText, type Find, worstOf } from '../../tools/explore/finds.js';
import { hintsOf } from '../../tools/explore/idle-faults.js';
import type { Points } from '../../tools/explore/points.js';
import type { Plan } from '../../tools/explore/queue.js';
import type { ExploreReport } from '../../tools/explore/report.js';
import { hanging, tableOf } from '../layout.js';
import { type Line, painted } from '../print.js';
import type { Once } from './once.js';
import type { Search } from './search.js';
import { knownFile } from './state.js';

interface Explored extends Pick<ExploreReport, 'command' | 'seconds' | 'triedBefore' | 'interrupted'> {
  searched: Search;
  found: Points;
  plan: Plan;
  /** Files of finds by their names. */
  files: ReadonlyMap<string, string>;
  known: ReadonlyMap<string, string>;
  first: Once;
}

/** The report as data. */
export function exploreReport(explored: Explored): ExploreReport {
  const { searched, found, plan, files, known, first, command, seconds, triedBefore, interrupted } = explored;
  const worlds = [...first.worlds.values()];
  const idle = searched.results.filter(({ tried }) => tried === undefined);
  const finds = searched.finds.map(({ find }) => ({
    ...find,
    scenario: files.get(find.name) ?? null,
    known: known.get(find.name) ?? null,
  }));
  return {
    command,
    seconds,
    runs: searched.runs + 2,
    worlds: worlds.length,
    requests: worlds.reduce((sum, { total }) => sum + total, 0),
    points: found.points.length,
    tried: searched.results.length - idle.length,
    triedBefore,
    merged: plan.merged + searched.merged,
    unstable: found.unstable,
    finds: finds.sort((a, b) => grades.indexOf(a.grade) - grades.indexOf(b.grade) || costOf(b) - costOf(a)),
    interrupted,
    unconfirmed: searched.unconfirmed.map(({ find }) => find.name),
    gone:
      searched.notTried.length > 0 ? [] : [...known.keys()].filter((name) => !finds.some((find) => find.name === name)),
    flaky: searched.flaky.map(({ find }) => find),
    notMet: idle.map(({ one }) => tryId(one)),
    hints: hintsOf(
      idle.map(({ idle: why }) => why ?? 'no request'),
      found.strangers,
    ),
    notTried: searched.notTried.map(tryId),
    matrix: matrixOf(searched),
  };
}

/** Whether less than half of the faults were tried, as the others did not act or had no time: nothing found says little then. */
export function isThin({ tried, triedBefore, notMet, notTried }: ExploreReport): boolean {
  const done = tried + triedBefore;
  return done === 0 || done < notMet.length + notTried.length;
}

const costOf = ({ consequences }: Find): number => Math.max(0, ...consequences.map(({ cost = 0 }) => cost));

function matrixOf({ results }: Search): ExploreReport['matrix'] {
  const rows = new Map<string, Record<string, string>>();
  const order = [...grades, 'ok', 'not met'];
  for (const { one, tried } of results) {
    const { operation } = one.point;
    const row = rows.get(operation) ?? {};
    rows.set(operation, row);
    const column = one.kind.mode === undefined ? one.kind.id : 'failure mode';
    const came = tried === undefined ? 'not met' : (worstOf(tried.consequences)?.grade ?? 'ok');
    const former = row[column];
    if (former === undefined || order.indexOf(came) < order.indexOf(former)) row[column] = came;
  }
  return [...rows].sort(([a], [b]) => a.localeCompare(b)).map(([operation, faults]) => ({ operation, faults }));
}

const colours: Record<Grade, 'red' | 'yellow' | 'dim'> = { A: 'red', B: 'red', C: 'yellow', D: 'yellow', E: 'dim' };
const shownRequests = 8;
const shownOutput = 4;

/** The report for people: the finds, most severe first, then what else came of it. */
export function exploreLines(report: ExploreReport, all: boolean): Line[] {
  const { finds, flaky, notMet, notTried, unstable, matrix } = report;
  const shown = finds.filter(({ grade, known }) => all || (grade !== 'E' && known === null));
  const hidesSome = !all && finds.some(({ grade }) => grade === 'E');
  return [
    '',
    ...shown.flatMap((find) => findLines(find, report)),
    ...listed(
      `Accepted in ${knownFile}`,
      finds.flatMap(({ name, known }) => (known === null ? [] : [`${name}: ${known}`])),
    ),
    ...listed(`No longer found: remove them from ${knownFile}`, report.gone),
    ...listed(
      'Flaky: seen once and not again',
      flaky.map(({ label, tests, what }) => `${tests[0] ?? label}: ${what}`),
    ),
    ...listed('Not tried: different in the two runs without faults', unstable),
    ...listed('Not tried: the fault did not act', notMet),
    ...listed(
      `Not tried: ${report.interrupted ? 'the exploration was interrupted' : 'the budget was used up'}`,
      notTried,
    ),
    ...matrixLines(matrix),
    ...report.hints.flatMap((hint) => hanging(['→ '], hint)),
    ...hanging([], sumOf(report, shown.length, hidesSome)),
  ];
}

function findLines(find: ExploreReport['finds'][number], report: ExploreReport): Line[] {
  const { name, grade, label, tests, what, consequences, also, requests, output, places, scenario } = find;
  const { command, unconfirmed, interrupted } = report;
  const more = requests.length - shownRequests;
  const hasPassed = output.length === 0 && !consequences.some(({ kind }) => kind === 'hung' || kind === 'short limit');
  return [
    [painted(colours[grade], grade), `  ${tests[0] ?? label}: `, painted('bold', what)],
    ...(tests.length > 1 ? hanging(['   '], `In ${tests.length} tests: ${shortened(tests)}.`) : []),
    ...output.slice(0, shownOutput).map((line): Line => painted('dim', `   | ${line}`)),
    ...(places.length > 0 ? [`   at ${places.join(', ')}`] : []),
    ...consequences.flatMap(({ says }, index) =>
      hanging(['   '], index === 0 && hasPassed ? `${says} Its test passed.` : says),
    ),
    ...requests.slice(0, shownRequests).flatMap(requestLines),
    ...(more > 0 ? [`      and ${more} more`] : []),
    ...consequences.flatMap(({ advice }) => hanging(['   → '], advice)),
    ...(unconfirmed.includes(name)
      ? hanging(
          ['   '],
          `Seen once: ${interrupted ? 'the exploration was interrupted' : 'the budget was used up'} before it was tried again.`,
        )
      : []),
    ...(also.length > 0 ? hanging(['   '], `Also with: ${shortened(also)}.`) : []),
    ...(scenario === null || grade === 'E'
      ? []
      : hanging(['   '], `Reproduce it: ${typedName()} run ${scenario} -- ${command.join(' ')}`)),
    '',
  ];
}

const shownWords = 8;

function shortened(all: readonly string[]): string {
  const more = all.length - shownWords;
  return [...all.slice(0, shownWords), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function requestLines({ at, method, path, status, errorCode, fault, again }: Find['requests'][number]): Line[] {
  const came = status === 0 ? 'no response' : [status, errorCode].filter((part) => part !== null).join(' ');
  const line = `      ${String(at).padStart(6)} ms  ${method} ${path}  ${came}`;
  const beside = againText(again);
  return [
    fault === null ? line : [line, painted('yellow', '  ← fault')],
    ...(beside === '' ? [] : hanging([' '.repeat(17)], beside)),
  ];
}

const shownEntries = 10;

function listed(title: string, entries: readonly string[]): Line[] {
  if (entries.length === 0) return [];
  const more = entries.length - shownEntries;
  return [
    `${title}: ${entries.length}`,
    ...entries.slice(0, shownEntries).map((entry) => `  ${entry}`),
    ...(more > 0 ? [`  and ${more} more (--json lists them)`] : []),
    '',
  ];
}

function matrixLines(matrix: ExploreReport['matrix']): Line[] {
  if (matrix.length === 0) return [];
  const kinds = [...new Set(matrix.flatMap(({ faults }) => Object.keys(faults)))];
  const columns = [{ name: 'operation' }, ...kinds.map((name) => ({ name }))];
  const rows = matrix.map(({ operation, faults }) => [operation, ...kinds.map((kind) => faults[kind] ?? '')]);
  return [...tableOf(columns, rows), ''];
}

function sumOf(report: ExploreReport, count: number, hidesSome: boolean): string {
  const { tried, runs, seconds, worlds, requests, merged, triedBefore, notTried, interrupted } = report;
  return [
    `${counted(tried, 'fault')} tried on ${counted(requests, 'request')} in ${counted(worlds, 'world')}, in ${counted(runs, 'run')} and ${seconds} s:`,
    count > 0
      ? `${counted(count, 'finding')}.`
      : isThin(report) && !interrupted
        ? thinText(report)
        : interrupted || notTried.length > 0
          ? 'nothing found so far.'
          : 'nothing found.',
    !hidesSome ? '' : 'E: a test ended with the platform’s own error, which is fine (--all shows it).',
    triedBefore === 0 ? '' : `${counted(triedBefore, 'harmless fault')} of an earlier call were not tried again.`,
    merged === 0 ? '' : `${counted(merged, 'fault')} like those were left out (--full tries them).`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function thinText({ tried, triedBefore, notMet, notTried }: ExploreReport): string {
  const all = tried + triedBefore + notMet.length + notTried.length;
  if (all === 0) return 'nothing could be tried (exit code 3).';
  const idle = [
    ...(notMet.length > 0 ? [`${notMet.length} did not act`] : []),
    ...(notTried.length > 0 ? [`${notTried.length} had no time`] : []),
  ];
  return `too little to say that nothing is wrong (exit code 3). Of ${counted(all, 'fault')}, ${idle.join(' and ')}.`;
}
