// `cloudemu verdicts`: whether the clients of every world behaved well, with an exit code for CI.

import { counted } from '../../core/words.js';
import type { VerdictReport } from '../../tools/verdicts/control.js';
import type { Evidence, Verdict } from '../../tools/verdicts/verdict.js';
import type { WorldInfo } from '../../tools/worlds/request.js';
import { queryOf } from '../client.js';
import { statusPart } from '../colours.js';
import { type Command, since, target, targetOptions, text } from '../command.js';
import {
  askedOf,
  countedWorlds,
  failOnChoices,
  failsOn,
  type JudgedWorld,
  meantWorlds,
  worldHeading,
} from '../judged-worlds.js';
import { hanging } from '../layout.js';
import { type Line, printJson, tell } from '../print.js';
import { Declined } from '../refusal.js';
import type { TargetOptions } from '../target.js';
import { padded } from '../width.js';

const order: readonly Verdict['verdict'][] = ['fail', 'unclear', 'pass', 'not-exercised'];
const shownEvidence = 3;

export const verdictsCommand: Command = {
  words: 'verdicts',
  valueIs: 'since',
  operation: 'control.verdicts',
  describe: 'Judge the clients of every world by the rules of good behaviour',
  flags: {
    'fail-on': {
      type: 'string',
      choices: failOnChoices,
      describe: 'Verdicts that set exit code 1: fail always does, unclear and not-exercised if named',
    },
    ...since,
    ...target,
    world: { type: 'string', describe: 'World to judge (default: all worlds)' },
  },
  examples: [
    ['verdicts --fail-on fail', 'in CI, after the tests: exit code 1 when a rule was broken'],
    ['verdicts --since 10m', 'only the last ten minutes of virtual time'],
    ['verdicts --world blue', 'judges one world'],
  ],
  run: async (values) => {
    const worlds = await judgedWorlds(targetOptions(values), text(values, 'since'));
    if (values.json === true) printJson(together(worlds));
    else tell(...linesOf(worlds));
    const failOn = text(values, 'fail-on');
    if (worlds.some((one) => one.verdicts.some(({ verdict }) => failsOn(failOn, verdict)))) process.exitCode = 1;
  },
};

/** The report of a world. */
type WorldVerdicts = JudgedWorld & VerdictReport;

async function judgedWorlds(options: TargetOptions, from: string | undefined): Promise<WorldVerdicts[]> {
  const { only, worlds, get } = await meantWorlds(options);
  const read = async ({ id, label }: WorldInfo): Promise<WorldVerdicts> => ({
    world: id,
    label,
    ...(await get<VerdictReport>(id, `/verdicts${queryOf({ since: from })}`, 'verdicts')),
  });
  const settled = await askedOf(worlds, read);
  const reports = settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  // A request that tells the beginning is in the journal of one world.
  const failure = settled.find((one) => one.status === 'rejected');
  if (failure !== undefined && (reports.length === 0 || !(failure.reason instanceof Declined))) throw failure.reason;
  return countedWorlds(reports, only);
}

/** The sums of all worlds; each verdict has its world and that world's label. */
function together(worlds: readonly WorldVerdicts[]) {
  const sum = (count: (one: WorldVerdicts) => number): number => worlds.reduce((all, one) => all + count(one), 0);
  return {
    verdicts: worlds.flatMap((one) =>
      one.verdicts.map((verdict) => ({ ...verdict, world: one.world, label: one.label })),
    ),
    pass: sum(({ pass }) => pass),
    fail: sum(({ fail }) => fail),
    unclear: sum(({ unclear }) => unclear),
    notExercised: sum(({ notExercised }) => notExercised),
    requests: sum(({ requests }) => requests),
    complete: worlds.every(({ complete }) => complete),
    dropped: sum(({ dropped }) => dropped),
  };
}

function linesOf(worlds: readonly WorldVerdicts[]): Line[] {
  return worlds.flatMap((one) => [
    ...worldHeading(one, worlds.length, counted(one.requests, 'request')),
    ...verdictLines(one),
  ]);
}

function verdictLines(report: VerdictReport): Line[] {
  const sorted = order.flatMap((wanted) => report.verdicts.filter(({ verdict }) => verdict === wanted));
  const width = Math.max(...sorted.map(({ rule }) => rule.length));
  const lines: Line[] = sorted.flatMap(({ verdict, rule, summary, evidence, furtherEvidence }) => {
    const hidden = Math.max(0, evidence.length - shownEvidence) + furtherEvidence;
    return [
      ...hanging([statusPart(verdict.replace('-', ' '), 13), `  ${padded(rule, width)}  `], summary),
      ...evidence.slice(0, shownEvidence).flatMap((one) => hanging(['    '], evidenceText(one))),
      ...(hidden === 0 ? [] : [`    and ${hidden} more${furtherEvidence === 0 ? ' (--json shows them)' : ''}`]),
    ];
  });
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

function evidenceText({ requestId, at, method, path, message }: Evidence): string {
  return requestId === null ? message : `${at} ${requestId} ${method} ${path}: ${message}`;
}
