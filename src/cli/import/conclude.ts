// What the proof says of the recorded client and of the recording: broken rules, what was decided, what is not as recorded.

import { counted } from '../../core/words.js';
import type { Difference } from '../../tools/incidents/compare.js';
import { type Fact, factOf } from '../../tools/incidents/facts.js';
import type { Incident, Open } from '../../tools/incidents/incident.js';
import { round } from '../../tools/incidents/money.js';
import { type Step, stepsOf } from '../../tools/incidents/timeline.js';
import type { ScenarioInput } from '../../tools/scenarios/schema.js';
import type { Verdict } from '../../tools/verdicts/verdict.js';
import type { Chosen } from './choose.js';

export interface Conclusion {
  scenario: ScenarioInput;
  facts: Fact[];
  /** The rules that the recorded client broke. */
  broken: string[];
  /** Answers that are not as recorded. */
  differences: Difference[];
  /** What came, and what comes in the scenario. */
  steps: Step[];
}

// These rest on statuses and headers; the others on what bodies say.
const ofStatuses = [
  'retry-after-obeyed',
  'backoff-grows',
  'no-duplicate-create',
  'no-expired-credential',
  'no-secret-in-url',
];

export function conclude(incident: Incident, chosen: Chosen, title: string): Conclusion {
  const { proof, scenario, picks, undecided } = chosen;
  const { exchanges, open } = incident;
  const placeOf = new Map(exchanges.map(({ index }, place) => [index, place]));
  const operationOf = (entry: number): string => exchanges[placeOf.get(entry) ?? 0]?.operation ?? 'a request';
  const firstOther = Math.min(Infinity, ...proof.differences.map(({ entry }) => placeOf.get(entry) ?? 0));
  const firstSilent = exchanges.findIndex(({ text }) => text === null);
  // A rule is broken only if every answer before its evidence is as recorded, and comes from the recording.
  const counts = ({ rule, verdict, evidence }: Verdict): boolean => {
    const places = evidence.flatMap(({ requestId }) => placeOf.get(proof.entryOf(requestId) ?? -1) ?? []);
    const first = Math.min(...places);
    const isKnown = ofStatuses.includes(rule) || firstSilent < 0 || firstSilent > first;
    return verdict === 'fail' && rule !== 'faults-all-fired' && places.length > 0 && first <= firstOther && isKnown;
  };
  const broken = proof.verdicts.filter(counts);
  const entriesOf = (verdict: Verdict): number[] => [
    ...new Set(verdict.evidence.flatMap(({ requestId }) => proof.entryOf(requestId) ?? [])),
  ];
  const facts = [
    ...incident.facts,
    ...incident
      .faultedWith(picks)
      .map(({ exchange, effect }) =>
        factOf(
          'seen',
          `${exchange.operation ?? exchange.path}: ${effectText(effect, exchange.failure)}`,
          [exchange.index],
          '/faults',
        ),
      ),
    ...chosen.more.map(({ exchange }) =>
      factOf(
        'assumed',
        `${exchange.operation}: another answer than the platform's own here: changed by somebody else, or a fault`,
        [exchange.index],
        '/faults',
      ),
    ),
    ...open.flatMap((point) => decided(point, picks[point.name] ?? '', undecided.includes(point))),
    ...broken.map((verdict) =>
      factOf(
        'inferred',
        `The client broke ${verdict.rule}: ${verdict.title}`,
        entriesOf(verdict),
        `/expect/verdicts/${verdict.rule}`,
      ),
    ),
    ...proof.differences
      .slice(0, 50)
      .map(({ entry, recorded, came }) =>
        factOf('unknown', `Not reproduced: ${operationOf(entry)} answered ${recorded}, here ${came}`, [entry]),
      ),
  ];
  if (broken.length === 0)
    facts.push(
      factOf(
        'unknown',
        'What should have come instead: the client broke no rule. Say it in the scenario, for example: ' +
          proposals.join(' or '),
      ),
    );
  if (picks.limits === 'off')
    facts.push(
      factOf(
        'inferred',
        'The platform let more requests pass than the emulator does by itself',
        [],
        '/settings/rateLimits',
      ),
    );
  const max = maximumCharge(broken, chosen);
  return {
    scenario: {
      ...scenario,
      title,
      clock: { ...scenario.clock, waits: true },
      ...(broken.length > 0 && {
        expect: {
          verdicts: Object.fromEntries(broken.map(({ rule }) => [rule, ['pass', 'not-exercised']])),
          ...(max !== undefined && { credits: { charged: { max } } }),
        } as ScenarioInput['expect'],
      }),
    },
    facts,
    broken: broken.map(({ rule }) => rule),
    differences: proof.differences,
    steps: stepsOf(incident.exchanges, proof.differences),
  };
}

const proposals = [
  '"expect": {"requests": [{"operation": "containers.create", "max": 1}]}',
  '"expect": {"containers": [{"project": "*", "status": "running"}]}',
  '"expect": {"credits": {"spent": {"max": 1}}}',
];

function effectText(
  { network, error, status, delay, set }: ReturnType<Incident['faultedWith']>[number]['effect'],
  failure: string | undefined,
): string {
  if (network !== undefined) return `no whole answer (${failure ?? network})`;
  if (error !== undefined || status !== undefined) return `answered ${error ?? status}`;
  return delay === undefined ? `fields were ${JSON.stringify(set)?.slice(0, 100)}` : `took ${Number(delay) / 1_000} s`;
}

function decided({ name, exchange, options }: Open, pick: string, isOpen: boolean): Fact[] {
  const { index: entry, status } = exchange;
  const operation = exchange.operation ?? 'a request';
  const known = (kind: Fact['kind'], text: string, at = '/faults'): Fact[] => [factOf(kind, text, [entry], at)];
  const [what] = name.split(':');
  if (what === 'key')
    return pick === 'no'
      ? []
      : known('inferred', `The key lacks a permission that ${operation} needs`, '/data/key/permissions');
  if (what === 'mode')
    return known('assumed', `The deployment of entry ${entry} failed as ${pick}: the times fit best`, '/containers');
  if (isOpen)
    return known(
      'unknown',
      `Whether ${operation} took effect: nothing shows it. --say took-effect:${entry}=yes or =no decides it`,
    );
  const came = pick === 'no' ? 'did not take effect' : 'took effect';
  const although = (why: string): string => (pick === 'no' ? '' : `, although ${why}`);
  if (options.length === 1) return known('seen', `${operation} ${came}, although it got no answer`);
  if (status !== 0) return known('assumed', `${operation} ${came}${although('its answer is an error')}`);
  if (pick === 'twice')
    return known(
      'inferred',
      `${operation} took effect twice: a browser sends a request again by itself when its connection breaks, and the recording shows it once. Clients on Node are charged once less`,
    );
  return known('inferred', `${operation} ${came}${although('no answer came')}`);
}

/** What a client may be charged that creates nothing twice. */
function maximumCharge(broken: readonly Verdict[], { proof }: Chosen): number | undefined {
  const duplicate = broken.find(({ rule }) => rule === 'no-duplicate-create');
  if (duplicate === undefined || proof.charged === 0) return undefined;
  const wasted = duplicate.evidence.reduce((sum, { requestId }) => sum + proof.chargedFor(requestId), 0);
  return wasted === 0 ? undefined : round(proof.charged - wasted);
}

/** One line about the proof. */
export function proofText(answers: number, differences: readonly Difference[]): string {
  const other = new Set(differences.map(({ entry }) => entry)).size;
  return other === 0
    ? `All ${counted(answers, 'answer')} come as recorded.`
    : `${answers - other} of ${counted(answers, 'answer')} come as recorded; ${other} do not.`;
}
