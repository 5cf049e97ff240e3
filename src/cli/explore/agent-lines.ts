// The report of `explore --agent`, as lines for people.

import { counted } from '../../core/words.js';
import { type Grade, grades } from '../../modules/explore/judge.js';
import {
  type AgentMistake,
  type AgentReport,
  type Difference,
  differencesOf,
  growth,
  type Rate,
  type TriedFault,
} from '../../modules/explore/rates.js';
import { hanging } from '../layout.js';
import { type Line, painted } from '../print.js';
import { isAtLeast } from './given.js';

/** Mistakes that are surely more frequent than in the report before. */
export function worseThan(before: AgentReport, now: AgentReport, failOn: string): Difference[] {
  const gradeOf = ({ what, label, kind }: Difference): Grade =>
    now.tried.find((one) => one.what === what && one.label === label)?.mistakes.find((one) => one.kind === kind)
      ?.grade ?? 'E';
  return differencesOf(before, now).filter((one) => one.isSure && growth(one) > 0 && isAtLeast(gradeOf(one), failOn));
}

/** The mistakes, the worst first; then how they differ from those of an earlier report. */
export function agentLines(report: AgentReport, before: AgentReport | undefined): Line[] {
  const { tried, notTried, runs, repeat, seconds, recovered, withoutFaults } = report;
  const all = tried
    .flatMap((fault) => fault.mistakes.map((mistake) => ({ fault, mistake })))
    .sort((a, b) => grades.indexOf(a.mistake.grade) - grades.indexOf(b.mistake.grade));
  const { failed } = withoutFaults;
  return [
    '',
    ...all.flatMap(({ fault, mistake }) => mistakeLines(fault, mistake)),
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

function mistakeLines(
  { label, what, operation }: TriedFault,
  { grade, kind, says, advice, rate }: AgentMistake,
): Line[] {
  return [
    [painted(grade < 'C' ? 'red' : 'yellow', grade), `  ${label}: `, painted('bold', what)],
    ...hanging(['   '], `${kind} (${operation}), in ${rateText(rate)}: ${says}`),
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
