// The request that explains why something is not as the scenario expects: the last one that it is about and that failed.

import { ApiError, invalid } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import { fitsPattern } from '../../core/patterns.js';
import type { World } from '../../world/world.js';
import { journalOf } from '../journal/journal.js';
import type { JournalEntry } from '../journal/journal-entry.js';
import type { Expectation } from '../scenarios/expectation.js';
import { checkExpectations } from '../scenarios/expectations.js';

/**
 * The id of the request that shows why an expectation has failed.
 *
 * @param what its name in the report: 'requests of containers.create', 'container shop', 'credits spent'
 * @throws ApiError VALIDATION_ERROR where nothing of that name is expected, with the nearest; CONFLICT where it is as
 *   expected, or no request that it is about has failed
 */
export function requestBehind(world: World, what: string): string {
  const { expectations } = checkExpectations(world);
  const named = expectations.filter((one) => one.what === what);
  const names = [...new Set(expectations.map((one) => one.what))];
  if (named.length === 0)
    throw invalid({
      path: 'expectation',
      message: 'names nothing that is expected here: `cloudemu verdicts` lists all',
      received: JSON.stringify(what),
      suggestion: nearest(what, names),
    });
  const wrong = named.find(({ ok }) => !ok);
  if (wrong === undefined)
    throw new ApiError('CONFLICT', {
      message: `${what} is as expected: ${named.map(({ actual }) => actual).join(', ')}`,
    });
  const failed = journalOf(world)
    .records()
    .findLast(
      (record): record is JournalEntry => record.kind === 'request' && record.status >= 400 && isAbout(wrong, record),
    );
  if (failed === undefined)
    throw new ApiError('CONFLICT', {
      message: `${what}: ${wrong.actual}, expected ${wrong.expected}. No request that it is about has failed; \`cloudemu history\` shows what changed`,
    });
  return failed.requestId;
}

// A count of requests is about those of its operation, a verdict about those that it cites, and what is there at the end
// about all that write.
function isAbout({ what, evidence }: Expectation, { operation, requestId, method }: JournalEntry): boolean {
  const counted = /^requests of (\S+)/.exec(what)?.[1];
  if (counted !== undefined) return operation !== null && fitsPattern(counted, operation);
  if (what.startsWith('verdict ')) return evidence.some((line) => line.includes(requestId));
  return method !== 'GET' && method !== 'HEAD';
}
