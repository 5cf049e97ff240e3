// Faults that did not act, so that nothing was tried: why, and what to do about it.

import { counted } from '../../core/words.js';
import { faultsOf, ruleOfTry, type Try } from './fault-kinds.js';
import { ruleText, type SeenWorld } from './seen.js';

export type Idle = 'no world' | 'taken away' | 'no request';

/**
 * Why a fault has met no request.
 *
 * @param seen its world at the end of the run; undefined: there was none
 */
export function whyIdle(tried: Try, seen: SeenWorld | undefined): Idle {
  if (seen === undefined) return 'no world';
  const rules = faultsOf(tried).flatMap((one) => ruleOfTry(one) ?? []);
  const isThere = rules.every((rule) => seen.rules.some(({ text }) => text === ruleText(rule)));
  return isThere ? 'no request' : 'taken away';
}

const label =
  'Give the world of each test a label that is the same in each run: `createWorld({ label })`, `cloudemu world create --label`.';

/**
 * What to do so that faults can act, a sentence or two for each reason.
 *
 * @param strangers how many worlds there were in one of the two runs without faults only
 */
export function hintsOf(idle: readonly Idle[], strangers: number): string[] {
  const count = (why: Idle): number => idle.filter((one) => one === why).length;
  const faults = (why: Idle): string => `${counted(count(why), 'fault')} did not act`;
  return [
    ...(strangers > 0
      ? [`${counted(strangers, 'world')} came in one of the two runs without faults only. ${label}`]
      : []),
    ...(count('no world') > 0 ? [`${faults('no world')}: their worlds did not come again. ${label}`] : []),
    ...(count('taken away') > 0
      ? [
          `${faults('taken away')}: their worlds lost them. Let tests neither reset their world nor clear its faults: each has a new one.`,
        ]
      : []),
    ...(count('no request') > 0
      ? [
          `${faults('no request')}: no request came that they match. Let tests send the same requests in each run, in the same order.`,
        ]
      : []),
  ];
}
