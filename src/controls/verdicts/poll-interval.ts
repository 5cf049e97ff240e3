// The rule that what is under way is polled no quicker than the platform advises.

import { stages } from '../../features/containers/phases.js';
import { counted } from '../../kernel/words.js';
import type { JournalEntry } from '../../store/journal-entry.js';
import { apart, fieldIn, groupedBy, sequencesOf, succeeded } from './reading.js';
import { conclude, type Evidence, evidenceOf, type Rule, type VerdictContext, waitText } from './verdict.js';

const tolerance = 0.9;
/** Where the answer that began a job was not seen. */
const usualForJobs = 250;

/** Something that clients poll until it is done. */
interface Pollable {
  operation: string;
  /** What all looks of a caller are at, where that is no single thing. */
  subject?: string;
  /** What begins it: the first look after one of these may come at once. */
  begunBy: readonly string[];
  isUnderWay: (answer: JournalEntry) => boolean;
  /** The interval that the answer to its beginning announced. */
  announced: (beginning: JournalEntry) => number | undefined;
  usual: (context: VerdictContext) => number;
}

const pollables: readonly Pollable[] = [
  {
    operation: 'containers.get',
    begunBy: ['containers.create', 'containers.update'],
    isUnderWay: (answer) =>
      (stages as readonly (string | undefined)[]).includes(fieldIn(answer.responseBody, 'status')),
    announced: (beginning) => positive(fieldIn(beginning.responseBody, 'intervalMs')),
    usual: (context) => context.pollingIntervalMs,
  },
  ...(['voice.jobs', 'voice.get'] as const).map(
    (operation): Pollable => ({
      operation,
      ...(operation === 'voice.jobs' && { subject: 'jobs' }),
      begunBy: ['voice.clone'],
      isUnderWay: (answer) => /"status":"(?:pending|processing)"/.test(answer.responseBody ?? ''),
      announced: (beginning) => positive(fieldIn(beginning.responseBody, 'intervalMs')),
      usual: () => usualForJobs,
    }),
  ),
];

/**
 * While a container deploys, one caller's looks at it lie at least `polling.intervalMs` of its create answer apart (a
 * tenth less is let pass), from beginning to beginning. The first look may come at once. A look after a failed one is
 * a retry, which other rules judge.
 */
export const pollIntervalObeyed: Rule = {
  id: 'poll-interval-obeyed',
  title: 'Polls as often as advised, not more',
  demands:
    'What is under way is polled no quicker than the polling interval that the answer to its creation announced.',
  judge(records, context) {
    const wrong: Evidence[] = [];
    let pairs = 0;
    let advised = 0;
    for (const { looks, interval } of sequencesOf(records).flatMap((sequence) => pollsIn(sequence, context))) {
      for (const [index, look] of looks.entries()) {
        const former = looks[index - 1];
        if (former?.goesOn !== true) continue;
        pairs++;
        const gap = apart(former.entry, look.entry);
        if (gap >= interval * tolerance) continue;
        advised = interval;
        wrong.push(
          evidenceOf(look.entry, `came ${waitText(gap)} after the last look; ${waitText(interval)} is advised`),
        );
      }
    }
    return conclude(pairs, wrong, {
      none: 'Nothing was polled while it was under way; watch a deployment with realistic timing to try it.',
      pass: `${counted(pairs, 'repeated look')} at what was under way, none too early.`,
      fail: `${wrong.length} of ${counted(pairs, 'repeated look')} came too early: wait polling.intervalMs (${waitText(advised)}) between two.`,
    });
  },
};

interface Look {
  entry: JournalEntry;
  /** What it showed was still under way. */
  goesOn: boolean;
}

function pollsIn(sequence: readonly JournalEntry[], context: VerdictContext): { looks: Look[]; interval: number }[] {
  return pollables.flatMap((pollable) => {
    const concerns = (entry: JournalEntry): string | undefined =>
      entry.operation === pollable.operation || pollable.begunBy.includes(entry.operation ?? '')
        ? (pollable.subject ?? entry.subject ?? undefined)
        : undefined;
    return groupedBy(sequence, concerns).flatMap((group) => {
      const polls: { looks: Look[]; interval: number }[] = [{ looks: [], interval: pollable.usual(context) }];
      for (const entry of group) {
        if (entry.operation === pollable.operation) {
          polls.at(-1)?.looks.push({ entry, goesOn: succeeded(entry) && pollable.isUnderWay(entry) });
        } else if (succeeded(entry)) {
          const interval = pollable.announced(entry) ?? polls.at(-1)?.interval ?? pollable.usual(context);
          polls.push({ looks: [], interval });
        }
      }
      return polls;
    });
  });
}

function positive(text: string | undefined): number | undefined {
  const number = Number(text);
  return number > 0 ? number : undefined;
}
