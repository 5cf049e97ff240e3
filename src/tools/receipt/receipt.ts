// The receipt of a run: what its tests have really exercised, and whether that proves anything.

import * as z from 'zod';
import { counted } from '../../core/words.js';
import { type WorldReceipt, worldReceipt } from './world-receipt.js';

export const receipt = z.lazy(() =>
  z.object({
    kind: z.enum(['run', 'explore', 'tests']).describe('tests: an emulator noted what came to it until its end'),
    version: z.string().describe('The version of cloudemu'),
    at: z.string().describe('When the run ended, ISO 8601'),
    identity: z
      .object({ root: z.string(), name: z.string(), shared: z.boolean() })
      .describe('The directory that the emulator belonged to'),
    scenario: z.string().nullable(),
    command: z.array(z.string()),
    exitCode: z.int().nullable().describe('That of the command; null: none is known'),
    seconds: z.number(),
    worlds: z.array(worldReceipt),
    faults: z
      .object({ armed: z.int(), fired: z.int(), neverFired: z.array(z.string()) })
      .describe('Fault rules; of an exploration, the faults that were tried'),
  }),
);

/** What the tests of a run have really exercised. */
export type Receipt = z.output<typeof receipt>;

/** How often each rule acted: one that several worlds have has fired if it acted in any of them. */
export function faultsIn(worlds: readonly WorldReceipt[]): Receipt['faults'] {
  const hits = new Map<string, number>();
  for (const { faults } of worlds) for (const one of faults) hits.set(one.rule, (hits.get(one.rule) ?? 0) + one.hits);
  const neverFired = [...hits].filter(([, count]) => count === 0).map(([rule]) => rule);
  return { armed: hits.size, fired: hits.size - neverFired.length, neverFired };
}

/**
 * The receipts of several emulators of one run as one. A test that came again in a later one, as in watch mode, counts as
 * it was there.
 */
export function togetherIn(parts: readonly Receipt[]): Receipt {
  const [first, ...others] = [...parts].sort((a, b) => (a.at < b.at ? -1 : 1));
  if (first === undefined) throw new Error('There is no receipt to put together');
  return others.reduce((all, part) => {
    const again = new Set(part.worlds.map(({ label }) => label).filter((label) => label !== null));
    const worlds = [...all.worlds.filter(({ label }) => label === null || !again.has(label)), ...part.worlds];
    return { ...part, worlds, seconds: Math.max(all.seconds, part.seconds), faults: faultsIn(worlds) };
  }, first);
}

/** Why a receipt proves nothing. */
export interface Vacuity {
  code: 'NO_REQUEST' | 'EMPTY_TEST' | 'FAULT_NEVER_FIRED' | 'FOREIGN_EMULATOR' | 'ALL_REFUSED' | 'NOTHING_JUDGED';
  /** A sentence for the person, with what to do. */
  says: string;
}

export interface CheckOptions {
  /** The root directory of whoever checks; undefined: any will do. */
  root: string | undefined;
  /** Tests may send nothing, although others of their file do. */
  allowEmpty: boolean;
}

const refusals: readonly string[] = ['401', '404', '501'];
const shownTests = 5;

/** All reasons why a receipt proves nothing. */
export function vacuitiesIn(
  { kind, worlds, identity, faults }: Receipt,
  { root, allowEmpty }: CheckOptions,
): Vacuity[] {
  const used = worlds.filter(({ requests }) => requests > 0);
  const own: Vacuity[] =
    root === undefined || root === identity.root
      ? []
      : [
          {
            code: 'FOREIGN_EMULATOR',
            says: `The emulator of ${identity.root} answered, and this is ${root}: run the tests again here.`,
          },
        ];
  if (used.length === 0)
    return [
      ...own,
      {
        code: 'NO_REQUEST',
        says:
          kind === 'tests'
            ? 'No request came: let the client use the URL and the key of the world of its test, or those of `cloudemu env`.'
            : 'No request came: let the client use the URL and the key that `cloudemu run` puts into the environment.',
      },
    ];
  return [
    ...own,
    ...(allowEmpty ? [] : emptyTests(worlds)),
    ...neverFired(kind, faults),
    ...refused(used),
    ...unjudged(used),
  ];
}

// The file of a test is what its label begins with.
const fileOf = (label: string): string => label.split(/ > |::/)[0] ?? label;

function emptyTests(worlds: readonly WorldReceipt[]): Vacuity[] {
  // A test may have a world for each attempt.
  const requestsOf = new Map<string, number>();
  for (const { label, requests } of worlds)
    if (label !== null) requestsOf.set(label, (requestsOf.get(label) ?? 0) + requests);
  const labelled = [...requestsOf].map(([label, requests]) => ({ label, requests }));
  const used = new Set(labelled.filter(({ requests }) => requests > 0).map(({ label }) => fileOf(label)));
  const empty = labelled.filter(({ label, requests }) => requests === 0 && used.has(fileOf(label)));
  if (empty.length === 0) return [];
  const names = empty.slice(0, shownTests).map(({ label }) => label);
  const more = empty.length - names.length;
  return [
    {
      code: 'EMPTY_TEST',
      says: `${counted(empty.length, 'test')} sent no request, although others of the same file did: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}. If that is meant, give --allow-empty.`,
    },
  ];
}

// Clients that do not do the same each time leave out a fault of an exploration now and then.
function neverFired(kind: Receipt['kind'], { neverFired: rules, armed, fired }: Receipt['faults']): Vacuity[] {
  if (kind === 'explore' && (armed === 0 || fired > 0)) return [];
  return rules.slice(0, shownTests).map((rule) => ({
    code: 'FAULT_NEVER_FIRED',
    says: `A fault never acted, as no request matched it: ${rule}`,
  }));
}

function refused(used: readonly WorldReceipt[]): Vacuity[] {
  const statuses = used.flatMap(({ statuses: ofOperations, notImplemented, unmatched }) => [
    ...Object.keys(ofOperations),
    ...(unmatched > 0 ? ['404'] : []),
    ...(Object.keys(notImplemented).length > 0 ? ['501'] : []),
  ]);
  if (!statuses.every((status) => refusals.includes(status))) return [];
  return [
    {
      code: 'ALL_REFUSED',
      says: `Every request was answered with ${statuses.includes('501') ? '401, 404 or 501' : '401 or 404'}: check the key and the paths that the client uses.`,
    },
  ];
}

// That no secret is in the URL, and the like, holds for whoever asks whether the platform is there.
const saysNothing = 'platform.health';

function unjudged(used: readonly WorldReceipt[]): Vacuity[] {
  const isHealthOnly = used.every((one) => Object.keys(one.operations).every((operation) => operation === saysNothing));
  if (isHealthOnly && used.every(({ unmatched }) => unmatched === 0))
    return [
      { code: 'NOTHING_JUDGED', says: 'Only the health of the platform was read: call what the tests are about.' },
    ];
  const verdicts = used.flatMap((one) => Object.values(one.verdicts));
  if (verdicts.length === 0 || verdicts.some((verdict) => verdict !== 'not-exercised')) return [];
  return [
    {
      code: 'NOTHING_JUDGED',
      says: 'No rule of good behaviour was exercised: no test creates, polls, pays, streams or meets an error.',
    },
  ];
}
