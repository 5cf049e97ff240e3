// The report of `explore --agent`, as lines for people.

import { counted } from '../../core/words.js';
import { type Grade, grades } from '../../tools/explore/consequence.js';
import {
  type AgentMistake,
  type AgentReport,
  type Difference,
  differencesOf,
  growth,
  type Rate,
  rateOf,
  type TriedFault,
} from '../../tools/explore/rates.js';
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
