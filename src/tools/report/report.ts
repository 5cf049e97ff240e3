// The report on a world for a person whose test has failed: what is not as expected, the last requests with the reasons of
// their errors, the clock, what its containers come to next, armed faults, and where to look further.

import * as z from 'zod';
import type { ClockView } from '../../core/clock.js';
import { formatDuration } from '../../core/duration.js';
import { asTyped } from '../../core/typed-command.js';
import { visible } from '../../core/visible.js';
import { counted } from '../../core/words.js';
import { iso } from '../../http/wire.js';
import { transitionsAhead } from '../../platform/containers/lifecycle/forecast.js';
import { viewOf } from '../../platform/containers/lifecycle/lifecycle.js';
import { type ContainerRecord, findContainer, listProjects } from '../../platform/containers/store.js';

import { agentJobAt, endOfJob, stateAt } from '../../platform/hosted-agents/lifecycle.js';
import { type AgentJob, listHostedAgents } from '../../platform/hosted-agents/store.js';
import { emulatorFacts } from '../../world/given.js';
import type { World } from '../../world/world.js';
import { type Fault, listFaults } from '../faults/views.js';
import { journalOf } from '../journal/journal.js';
import { type JournalEntry, messageOf } from '../journal/journal-entry.js';
import type { Expectation } from '../scenarios/expectation.js';
import { checkExpectations } from '../scenarios/expectations.js';

export const worldReport = z.lazy(() =>
  z.object({
    ok: z.boolean().describe('Whether every verdict, and everything that the scenario expects, is as it should be'),
    failed: z.array(z.string()).describe('What is not: `verdict retry-after-obeyed`, `container shop`'),
    text: z.string().describe('All of it for a person, in lines'),
    url: z.string().describe('The dashboard of the world'),
  }),
);

/** What is to say of a world when a test has failed. */
export type WorldReport = z.output<typeof worldReport>;

const lastRequests = 12;
const mostEvidence = 6;
const mostThings = 10;

/**
 * Judges a world and reports on it.
 *
 * @param origin the URL under which the reader reaches the emulator; undefined: its own
 * @param kept how to open the world later, how commands then name it, and the clock as it was before; undefined: it is not kept
 */
export function reportOn(
  world: World,
  origin: string | undefined,
  kept?: { wayBack: readonly string[]; where: string | undefined; clock: ClockView },
): WorldReport {
  const { expectations, failed } = checkExpectations(world);
  const wrong = expectations.filter(({ ok }) => !ok);
  const url = dashboardOf(world, origin);
  const sections = [
    ...(wrong.length > 0 ? ['Not as expected:', ...wrong.flatMap(wrongText)] : []),
    ...journalText(world),
    ...whyText(world, kept?.where),
    clockText(kept?.clock ?? world.clock.view()),
    ...containersText(world),
    ...agentsText(world),
    ...faultsText(world),
    settingsText(world),
    ...(kept?.wayBack ?? [`Dashboard: ${url}`]),
  ];
  // Tests print it, and much of it is text of clients.
  return { ok: failed === 0, failed: wrong.map(({ what }) => what), text: sections.map(visible).join('\n'), url };
}

/** The URL of a world's dashboard. */
export const dashboardOf = (world: World, origin: string | undefined): string =>
  `${origin ?? emulatorFacts.of(world).origin()}${world.prefix}/_emulator/`;

function wrongText({ what, expected, actual, evidence }: Expectation): string[] {
  return [
    `  ${what}: ${actual}, expected ${expected}`,
    ...firstOf(evidence, mostEvidence).map((line) => `    ${line}`),
  ];
}

function journalText(world: World): string[] {
  const requests = journalOf(world)
    .records()
    .filter((record) => record.kind === 'request');
  if (requests.length === 0) return ['No request came to this world.'];
  const shown = requests.slice(-lastRequests);
  const title =
    requests.length > shown.length
      ? `The last ${shown.length} of ${requests.length} requests:`
      : `${counted(requests.length, 'request')}:`;
  return [title, ...shown.flatMap(requestText)];
}

// To find out takes trials, and most tests pass.
function whyText(world: World, where = worldOption(world.id)): string[] {
  const [last] = journalOf(world)
    .recent(lastRequests)
    .filter(({ status }) => status >= 400);
  if (last === undefined || world.remembered.history === undefined) return [];
  const { method, path, status, requestId } = last;
  const command = asTyped(`\`cloudemu why --request ${requestId}${where}\``);
  return [`Why ${method} ${path} got ${status}: ${command} names what decided it.`];
}

/** How commands name a world of a running emulator. */
const worldOption = (id: string): string => (id === 'default' ? '' : ` --world ${id}`);

function requestText(entry: JournalEntry): string[] {
  const { at, method, path, query, status, errorCode, fault, outcome, warnings } = entry;
  const answer = [
    status === 0 ? 'no response' : String(status),
    ...(errorCode === null ? [] : [errorCode]),
    ...(outcome === 'answered' || status === 0 ? [] : [`(${outcome})`]),
    ...(fault === null ? [] : [`by fault ${fault}`]),
  ].join(' ');
  const reason = status >= 400 ? messageOf(entry) : undefined;
  return [
    `  ${iso(at).slice(11, 23)}  ${method} ${path}${query}  ${answer}${reason === undefined ? '' : `: ${reason}`}`,
    ...warnings.map((warning) => `                warning: ${warning}`),
  ];
}

function clockText({ now, speed, frozen }: ClockView): string {
  return `Clock: ${now}${frozen ? ', frozen' : speed === 1 ? '' : `, ${speed} times as fast`}`;
}

function containersText({ db, clock }: World): string[] {
  const now = clock.now();
  const all = listProjects(db);
  if (all.length === 0) return [];
  const lines = all.slice(0, mostThings).flatMap(({ id }) => {
    const record = findContainer(db, id);
    return record === undefined ? [] : [`  ${containerText(record, now)}`];
  });
  return ['Containers:', ...lines, ...more(all.length, '  ')];
}

function containerText(record: ContainerRecord, now: number): string {
  const { status, error } = viewOf(record.deployments, now);
  const [next] = transitionsAhead(record, now);
  const ahead = next === undefined ? '' : `, ${next.status} in ${formatDuration(next.at - now)}`;
  return `${record.project_name} (${record.id}): ${status}${ahead}${error === null ? '' : `: ${error}`}`;
}

// Those in error, and those with a job in progress, first: they are what a test has waited for.
function agentsText({ db, clock }: World): string[] {
  const now = clock.now();
  const all = listHostedAgents(db).map((agent) => ({ agent, state: stateAt(agent, now) }));
  if (all.length === 0) return [];
  const isTelling = ({ state }: (typeof all)[number]): boolean => state.activeJob !== null || state.status === 'error';
  const sorted = [...all.filter(isTelling), ...all.filter((one) => !isTelling(one))];
  const lines = sorted.slice(0, mostThings).map(({ agent: { name, id }, state: { status, activeJob, error } }) => {
    const job = activeJob === null ? '' : `, ${jobText(activeJob, now)}`;
    return `  ${name} (${id}): ${status}${job}${error === null ? '' : `: ${error}`}`;
  });
  return ['Hosted agents:', ...lines, ...more(all.length, '  ')];
}

function jobText(job: AgentJob, now: number): string {
  const { status } = agentJobAt(job, now);
  const { at, error } = endOfJob(job);
  const ahead =
    at === Infinity ? 'never ends' : `${error === null ? 'completes' : 'fails'} in ${formatDuration(at - now)}`;
  return `its job ${job.type} is ${status} and ${ahead}`;
}

function faultsText(world: World): string[] {
  const armed = listFaults(world).filter(({ state }) => state === 'armed');
  if (armed.length === 0) return [];
  return ['Armed faults:', ...armed.slice(0, mostThings).map((one) => `  ${faultText(one)}`), ...more(armed.length)];
}

function faultText({ id, match, effect, phase, hits }: Fault): string {
  const where = match.operation ?? ([match.method, match.path].filter(Boolean).join(' ') || 'any request');
  const acted = hits === 0 ? 'has not acted' : `acted on ${counted(hits, 'request')}`;
  return `${id}: ${where}, ${phase}: ${JSON.stringify(effect)}; ${acted}`;
}

/** Another profile than the one that a test was written for is a common reason of its failure. */
function settingsText(world: World): string {
  const { file, environment, profile } = emulatorFacts.of(world).settings();
  return `Settings: profile ${profile} (${[file ?? 'no file', ...environment].join(', ')})`;
}

function firstOf(lines: readonly string[], most: number): string[] {
  const hidden = lines.length - most;
  return [...lines.slice(0, most), ...(hidden > 0 ? [`and ${hidden} more`] : [])];
}

const more = (count: number, before = '  '): string[] =>
  count > mostThings ? [`${before}and ${count - mostThings} more`] : [];
