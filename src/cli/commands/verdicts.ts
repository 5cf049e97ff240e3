// `cloudemu verdicts`: whether the clients of every world behaved well and met what its scenario expects, and what of the
// platform they called, with an exit code for CI.

import { counted } from '../../core/words.js';
import type { CoverageReport } from '../../tools/coverage/control.js';
import type { Expectation } from '../../tools/scenarios/expectation.js';
import type { ExpectationReport } from '../../tools/scenarios/expectations.js';
import type { VerdictReport } from '../../tools/verdicts/control.js';
import type { WorldInfo } from '../../tools/worlds/request.js';
import { queryOf } from '../client.js';
import { command, since, target } from '../command.js';
import { findingLines, ofExpectation, ofVerdict } from '../findings.js';
import {
  askedOf,
  countedWorlds,
  failOnChoices,
  failsOn,
  judgements,
  meantWorlds,
  type WorldJudgement,
  worldHeading,
} from '../judged-worlds.js';
import { hanging } from '../layout.js';
import { type Line, printJson, tell } from '../print.js';
import { Declined } from '../refusal.js';
import type { TargetOptions } from '../target.js';

export const verdictsCommand = command({
  words: 'verdicts',
  valueIs: 'since',
  operation: 'control.verdicts',
  describe: 'Judge the clients of every world by the rules of good behaviour and by its scenario',
  flags: {
    'fail-on': {
      type: 'string',
      choices: failOnChoices,
      describe: 'Results that set exit code 1: fail always does, unclear and not-exercised if named',
    },
    ...since,
    ...target,
    world: { type: 'string', describe: 'World to judge (default: all worlds)' },
  },
  examples: [
    [
      'verdicts --fail-on fail',
      'in CI, after the tests: exit code 1 when a rule was broken, or its scenario expects otherwise',
    ],
    ['verdicts --since 10m', 'only the last ten minutes of virtual time'],
    ['verdicts --world blue', 'judges one world'],
  ],
  run: async (values) => {
    const worlds = await judgedWorlds(values, values.since);
    if (values.json) printJson(together(worlds));
    else tell(...linesOf(worlds));
    const failOn = values['fail-on'];
    const isBroken = worlds.some((one) => one.verdicts.some(({ verdict }) => failsOn(failOn, verdict)));
    const isUnmet = worlds.some((one) => one.expectations.some(({ ok }) => !ok));
    if (isBroken || (failOn !== undefined && isUnmet)) process.exitCode = 1;
  },
});

/** The report of a world. */
interface WorldVerdicts extends WorldJudgement, VerdictReport {
  coverage: CoverageReport;
}

async function judgedWorlds(options: TargetOptions, from: string | undefined): Promise<WorldVerdicts[]> {
  const { only, worlds, get } = await meantWorlds(options);
  const since = queryOf({ since: from });
  const read = async ({ id, label }: WorldInfo): Promise<WorldVerdicts> => {
    const verdicts = await get<VerdictReport>(id, `/verdicts${since}`, 'verdicts');
    const coverage = await get<CoverageReport>(id, `/coverage${since}`, 'totals');
    const expected = await get<ExpectationReport>(id, '/expectations', 'expectations');
    return { world: id, label, ...expected, ...verdicts, coverage };
  };
  const settled = await askedOf(worlds, read);
  const reports = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  // A request that tells the beginning is in the journal of one world.
  const failure = settled.find((one) => one.status === 'rejected');
  if (failure !== undefined && (reports.length === 0 || !(failure.reason instanceof Declined))) throw failure.reason;
  return countedWorlds(from === undefined ? withOwn(reports) : reports.map(withoutExpectations), only);
}

// What a scenario expects belongs to all requests since it began.
const withoutExpectations = (one: WorldVerdicts): WorldVerdicts => ({ ...one, expectations: [] });

// Verdicts are told by themselves, but one that the scenario demands and nothing exercised.
function withOwn(worlds: readonly WorldVerdicts[]): WorldVerdicts[] {
  const isOwn = ({ what, ok, actual }: Expectation): boolean =>
    !what.startsWith('verdict ') || (!ok && actual !== 'fail');
  const told = judgements(worlds.map((judgement) => ({ judgement, faults: [] })));
  return worlds.map((one, i) => ({ ...one, expectations: (told[i]?.expectations ?? []).filter(isOwn) }));
}

/** The sums of all worlds; each verdict and expectation has its world and that world's label. */
function together(worlds: readonly WorldVerdicts[]) {
  const sum = (count: (one: WorldVerdicts) => number): number => worlds.reduce((all, one) => all + count(one), 0);
  return {
    verdicts: worlds.flatMap((one) =>
      one.verdicts.map((verdict) => ({ ...verdict, world: one.world, label: one.label })),
    ),
    expectations: worlds.flatMap(({ world, label, scenario, expectations }) =>
      expectations.map((expectation) => ({ ...expectation, world, label, scenario })),
    ),
    coverage: coverageOf(worlds),
    pass: sum(({ pass }) => pass),
    fail: sum(({ fail }) => fail),
    unclear: sum(({ unclear }) => unclear),
    notExercised: sum(({ notExercised }) => notExercised),
    requests: sum(({ requests }) => requests),
    complete: worlds.every(({ complete }) => complete),
    dropped: sum(({ dropped }) => dropped),
  };
}

/** How often each operation was called and each error was met in all worlds; 0: never. */
function coverageOf(worlds: readonly WorldVerdicts[]) {
  const operations: Record<string, number> = {};
  const errors: Record<string, number> = {};
  const notImplemented: Record<string, number> = {};
  let unmatched = 0;
  const add = (counts: Record<string, number>, name: string, count: number): void => {
    counts[name] = (counts[name] ?? 0) + count;
  };
  for (const { coverage } of worlds) {
    for (const { operation, requests } of coverage.operations) add(operations, operation, requests);
    for (const { code, count } of coverage.errors) add(errors, code, count);
    for (const { operation, requests } of coverage.notImplemented) add(notImplemented, operation, requests);
    unmatched += coverage.unmatched;
  }
  return { operations, errors, notImplemented, unmatched };
}

function linesOf(worlds: readonly WorldVerdicts[]): Line[] {
  return [
    ...worlds.flatMap((one) => [
      ...worldHeading(one, worlds.length, counted(one.requests, 'request')),
      ...verdictLines(one),
    ]),
    ...coverageLines(coverageOf(worlds)),
  ];
}

/** Operations that are not implemented; the JSON has all of them. */
const mostNamed = 20;

function coverageLines({ operations, errors, notImplemented, unmatched }: ReturnType<typeof coverageOf>): Line[] {
  const met = (counts: Record<string, number>, thing: string): string => {
    const all = Object.values(counts);
    return `${all.filter((count) => count > 0).length} of ${counted(all.length, thing)}`;
  };
  const called = Object.entries(notImplemented).map(([operation, requests]) => `${operation} (${requests})`);
  const more = called.length > mostNamed ? [`and ${called.length - mostNamed} more`] : [];
  const named = [...called.slice(0, mostNamed), ...more].join(', ');
  return [
    ...hanging([], `${met(operations, 'operation')} called, ${met(errors, 'error code')} met (--json names them).`),
    ...(unmatched === 0 ? [] : [`${counted(unmatched, 'request')} went to a path that no operation has.`]),
    ...(called.length === 0 ? [] : hanging([], `Called, but not implemented by the emulator: ${named}.`)),
  ];
}

function verdictLines(report: WorldVerdicts): Line[] {
  const lines = findingLines(report.verdicts.map(ofVerdict));
  if (report.expectations.length > 0)
    lines.push(`Scenario ${report.scenario ?? ''}`, ...findingLines(report.expectations.map(ofExpectation)));
  const { pass, fail: failed, unclear, notExercised, requests, complete, dropped } = report;
  lines.push(
    '',
    `${pass} passed, ${failed} failed, ${unclear > 0 ? `${unclear} unclear, ` : ''}${notExercised} not exercised, in ${counted(requests, 'request')}.`,
  );
  if (!complete)
    lines.push(
      `The journal no longer holds ${dropped} older records: the setting data.journal says how many it keeps.`,
    );
  return lines;
}
