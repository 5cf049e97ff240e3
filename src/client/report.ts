// The report on a world for a person whose test has failed: the results that are not as expected, and the last requests.

import type { RemoteControls } from '../app/controls.js';
import { visible } from '../core/visible.js';
import { counted } from '../core/words.js';
import type { RequestList } from '../modules/journal/control.js';
import type { JournalEntry } from '../modules/journal/journal-entry.js';
import type { Expectation, ExpectationReport } from '../modules/scenarios/expectations.js';
import type { Health } from '../modules/worlds/health.js';

export interface WorldReport {
  /** Whether every verdict, and everything that the scenario expects, is as it should be. */
  ok: boolean;
  text: string;
}

const lastRequests = 12;
const mostEvidence = 6;
const looks = 20;

/** Judges a world and reports its last requests. */
export async function reportOn(controls: RemoteControls): Promise<WorldReport> {
  const expectations = await settled(controls);
  const [requests, { settings }] = await Promise.all([
    controls.requests.list({ limit: lastRequests }),
    controls.health(),
  ]);
  const wrong = expectations.expectations.filter(({ ok }) => !ok);
  const sections = [
    ...(wrong.length > 0 ? ['Not as expected:', ...wrong.flatMap(wrongText)] : []),
    ...journalText(requests),
    settingsText(settings),
  ];
  // Tests print it, and much of it is text of clients.
  return { ok: expectations.failed === 0, text: sections.map(visible).join('\n') };
}

// A client may have just closed its streams, while the server has not noticed yet.
async function settled(controls: RemoteControls): Promise<ExpectationReport> {
  for (let look = 1; ; look++) {
    const report = await controls.scenarios.expectations();
    const open = report.expectations.some(({ what, ok }) => what === 'verdict streams-closed' && !ok);
    if (!open || look === looks) return report;
  }
}

function wrongText({ what, expected, actual, evidence }: Expectation): string[] {
  const hidden = evidence.length - mostEvidence;
  return [
    `  ${what}: ${actual}, expected ${expected}`,
    ...evidence.slice(0, mostEvidence).map((line) => `    ${line}`),
    ...(hidden > 0 ? [`    and ${hidden} more`] : []),
  ];
}

function journalText({ requests, total }: RequestList): string[] {
  if (total === 0) return ['No request came to this world.'];
  const title =
    total > requests.length ? `The last ${requests.length} of ${total} requests:` : `${counted(total, 'request')}:`;
  return [title, ...requests.toReversed().flatMap(requestText)];
}

/** Another profile than the one that a test was written for is a common reason of its failure. */
function settingsText({ file, environment, profile }: Health['settings']): string {
  const sources = [file ?? 'no file', ...environment].join(', ');
  return `Settings: profile ${profile} (${sources})`;
}

function requestText(entry: JournalEntry): string[] {
  const { at, method, path, query, status, errorCode, fault, outcome, warnings } = entry;
  const answer = [
    status === 0 ? 'no response' : String(status),
    ...(errorCode === null ? [] : [errorCode]),
    ...(outcome === 'answered' || status === 0 ? [] : [`(${outcome})`]),
    ...(fault === null ? [] : [`by fault ${fault}`]),
  ];
  return [
    `  ${new Date(at).toISOString().slice(11, 23)}  ${method} ${path}${query}  ${answer.join(' ')}`,
    ...warnings.map((warning) => `                warning: ${warning}`),
  ];
}
