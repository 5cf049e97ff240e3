// What was expected of a client and what came, for people: what failed first, with what shows it.

import { counted } from '../core/words.js';
import type { Expectation, ExpectationReport } from '../modules/scenarios/expectations.js';
import { statusPart } from './colours.js';
import { hanging } from './layout.js';
import type { Line } from './print.js';
import { padded, widthOf } from './width.js';

const shownEvidence = 4;

/** How many came as expected, without a full stop. */
export function expectationSum({ expectations, failed, requests }: ExpectationReport): string {
  const sum =
    failed === 0 ? 'All came as expected' : `${failed} of ${counted(expectations.length, 'expectation')} failed`;
  return `${sum}, in ${counted(requests, 'request')}`;
}

/** A line for each expectation; below those that failed, why. */
export function expectationLines(expectations: readonly Expectation[]): Line[] {
  const sorted = [...expectations.filter(({ ok }) => !ok), ...expectations.filter(({ ok }) => ok)];
  const width = Math.max(...sorted.map(({ what }) => widthOf(what)));
  return sorted.flatMap((one) => [rowOf(one, width), ...(one.ok ? [] : evidenceOf(one))]);
}

function rowOf({ ok, what, expected, actual }: Expectation, width: number): Line {
  const said = ok ? actual.replace('not-exercised', 'not exercised') : `${actual}, expected ${expected}`;
  return ['  ', statusPart(ok ? 'ok' : 'FAILED', 8), padded(what, width), `  ${said}`];
}

function evidenceOf({ evidence }: Expectation): Line[] {
  const hidden = evidence.length - shownEvidence;
  const lines =
    hidden > 1 ? [...evidence.slice(0, shownEvidence), `and ${hidden} more lines (--json shows them)`] : evidence;
  return lines.flatMap((line) => hanging([' '.repeat(10)], line));
}
