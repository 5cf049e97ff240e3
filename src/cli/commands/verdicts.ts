// `cloudemu verdicts`: whether the client behaved well, with an exit code for CI.

import { counted } from '../../core/words.js';
import type { VerdictReport } from '../../modules/verdicts/control.js';
import type { Evidence, Verdict } from '../../modules/verdicts/verdict.js';
import { createClient, findTarget, queryOf, type TargetOptions } from '../client.js';
import { statusPart } from '../colours.js';
import { failsOn } from '../fail-on.js';
import { hanging } from '../layout.js';
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

/** Prints what every rule says, the failed ones first. */
export async function verdicts({ json, since, failOn, ...target }: VerdictsOptions): Promise<void> {
  const report = await createClient(findTarget(target)).get<VerdictReport>(
    `/verdicts${queryOf({ since })}`,
    'verdicts',
  );
  if (json) printJson(report);
  else printLines(linesOf(report));
  if (report.verdicts.some(({ verdict }) => failsOn(failOn, verdict))) process.exitCode = 1;
}

function linesOf(report: VerdictReport): Line[] {
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
