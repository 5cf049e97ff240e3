// `cloudemu verdicts`: whether the clients of every world behaved well, with an exit code for CI.

import { counted } from '../../core/words.js';
import type { VerdictReport } from '../../modules/verdicts/control.js';
import type { Evidence, Verdict } from '../../modules/verdicts/verdict.js';
import type { WorldInfo } from '../../modules/worlds/hosting.js';
import { Declined, queryOf, type TargetOptions } from '../client.js';
import { statusPart } from '../colours.js';
import { failsOn } from '../fail-on.js';
import { countedWorlds, type JudgedWorld, worldHeading } from '../judged-worlds.js';
import { hanging } from '../layout.js';
import { meantWorlds } from '../meant-worlds.js';
import { type Line, printJson, printLines } from '../print.js';
import { padded } from '../width.js';

const order: readonly Verdict['verdict'][] = ['fail', 'unclear', 'pass', 'not-exercised'];
const shownEvidence = 3;

export interface VerdictsOptions extends TargetOptions {
  json: boolean;
  since: string | undefined;
  /** What sets exit code 1: a failed rule, or also one that is unclear or was not exercised. */
  failOn: string | undefined;
}

/** The report of a world. */
type WorldVerdicts = JudgedWorld & VerdictReport;

/** Prints what every rule says of each world, the failed ones first. */
export async function verdicts({ json, since, failOn, ...target }: VerdictsOptions): Promise<void> {
  const worlds = await judgedWorlds(target, since);
  if (json) printJson(together(worlds));
  else printLines(linesOf(worlds));
  if (worlds.some((one) => one.verdicts.some(({ verdict }) => failsOn(failOn, verdict)))) process.exitCode = 1;
}

async function judgedWorlds(target: TargetOptions, since: string | undefined): Promise<WorldVerdicts[]> {
  const { only, worlds, get } = await meantWorlds(target);
  const read = async ({ id, label }: WorldInfo): Promise<WorldVerdicts> => ({
    world: id,
    label,
    ...(await get<VerdictReport>(id, `/verdicts${queryOf({ since })}`, 'verdicts')),
  });
  const settled = await Promise.allSettled(worlds.map(read));
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
    lines.push(`The journal has let go of ${dropped} older records: the setting data.journal says how many it keeps.`);
  return lines;
}

function evidenceText({ requestId, at, method, path, message }: Evidence): string {
  return requestId === null ? message : `${at} ${requestId} ${method} ${path}: ${message}`;
}
