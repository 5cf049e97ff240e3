// What is known of each assumption, by the runs so far: never asked, confirmed, disputed after one run, refuted after two.

import { existsSync } from 'node:fs';
import * as z from 'zod';
import { readJsonFile } from '../../config/json-file.js';
import { fixturePath } from '../../core/files.js';
import { inRoot } from '../../core/root.js';
import { type AssumptionId, assumptions } from '../../http/assumptions.js';
import type { Difference } from './compare.js';
import type { Facts } from './facts.js';

const instant = z.string().max(40);

const found = z.object({
  operation: z.string(),
  /** The question whose answer has shown it. */
  question: z.string(),
  place: z.string(),
  platform: z.string(),
  emulator: z.string(),
  /** The assumption that it refutes; null: none covers it, so that it is a defect of the emulator. */
  assumption: z.string().nullable(),
  runs: z.int().min(1),
  first: instant,
  last: instant,
});

const entry = z.object({
  state: z.enum(['confirmed', 'refuted', 'disputed']),
  since: instant,
  last: instant,
  /** In how many runs. */
  asked: z.int().min(1),
});

export const ledgerFile = z.object({
  profile: z.string(),
  /** The version that the platform says it has. */
  version: z.string().exactOptional(),
  findings: z.record(z.string(), found),
  assumptions: z.record(z.string(), entry),
});

/** The file drift/ledger.json. */
export type Ledger = z.output<typeof ledgerFile>;

/** The file fixtures/ledger.json, for projects that have asked nothing: states and dates alone. */
export const publishedLedger = z.object({
  profile: z.string(),
  assumptions: z.record(z.string(), entry.omit({ asked: true })),
});

export type Known = z.output<typeof publishedLedger>['assumptions'];

/** What is known of assumptions: by the project's own runs, or by those that the package brings. */
export function knownStates(): Known {
  const file = [inRoot('drift/ledger.json'), fixturePath('ledger.json')].find((one) => existsSync(one));
  const reading = file === undefined ? undefined : readJsonFile(file);
  const parsed = reading !== undefined && 'value' in reading ? publishedLedger.safeParse(reading.value) : undefined;
  return parsed?.data?.assumptions ?? {};
}

const old = 30 * 86_400_000;

/** Words for what was asked long ago; undefined: it was not, or never. */
export const ageWarning = (last: string | undefined, now: number): string | undefined =>
  last === undefined || now - Date.parse(last) < old
    ? undefined
    : `last asked on ${last.slice(0, 10)}, more than 30 days ago`;

export type Finding = z.output<typeof found>;

export type Assumed = z.output<typeof entry>;

/** What one run has seen. */
export interface Seen {
  at: string;
  profile: string;
  version?: string | undefined;
  differences: readonly (Difference & { question: string; assumption: AssumptionId | null })[];
  /** The questions that both sides have answered. */
  answered: ReadonlySet<string>;
  /** The assumptions that a place of an answer stands on, and that both sides have answered. */
  touched: ReadonlySet<AssumptionId>;
}

export const emptyLedger = (profile: string): Ledger => ({ profile, findings: {}, assumptions: {} });

export const nameOf = ({ operation, place }: Pick<Difference, 'operation' | 'place'>): string =>
  `${operation} ${place}`;

/** The ledger after a run. What one run alone has seen is disputed; what the next one no longer sees is forgotten. */
export function after(
  before: Ledger,
  { at, profile, version = before.version, differences, answered, touched }: Seen,
): Ledger {
  const findings: Ledger['findings'] = {};
  for (const [name, one] of Object.entries(before.findings)) if (!answered.has(one.question)) findings[name] = one;
  for (const { assumption, ...one } of differences) {
    const known = before.findings[nameOf(one)];
    const earlier = known !== undefined && saysTheSame(known, one) ? known : undefined;
    const runs = (earlier?.runs ?? 0) + 1;
    findings[nameOf(one)] = { ...one, assumption, runs, first: earlier?.first ?? at, last: at };
  }
  const states: Ledger['assumptions'] = { ...before.assumptions };
  const all = Object.values(findings);
  for (const id of new Set([...touched, ...all.flatMap(({ assumption }) => assumption ?? [])])) {
    const own = all.filter(({ assumption }) => assumption === id);
    const state = own.some(({ runs }) => runs >= 2) ? 'refuted' : own.length > 0 ? 'disputed' : 'confirmed';
    const earlier = before.assumptions[id];
    const isSame = earlier?.state === state;
    states[id] = { state, since: isSame ? earlier.since : at, last: at, asked: (earlier?.asked ?? 0) + 1 };
  }
  return {
    profile,
    ...(version !== undefined && { version }),
    findings: sorted(findings),
    assumptions: sorted(states),
  };
}

/** Whether what two runs have seen at a place can be one behaviour: of a value that varies, each run sees some kinds. */
const saysTheSame = (one: Pick<Difference, 'platform'>, other: Pick<Difference, 'platform'>): boolean =>
  one.platform.split(' or ').some((kind) => other.platform.split(' or ').includes(kind));

const sorted = <Value>(record: Record<string, Value>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * The assumption that covers a difference, of those that the emulator's answer has named: the one that says most exactly
 * where. None: the difference is against what is documented.
 */
export function assumptionFor(difference: Difference, named: readonly string[]): AssumptionId | null {
  let best: { id: AssumptionId; weight: number } | undefined;
  for (const id of named) {
    if (!Object.hasOwn(assumptions, id)) continue;
    for (const cover of assumptions[id as AssumptionId].covers ?? []) {
      const weight = covers(cover, difference);
      if (weight > (best?.weight ?? 0)) best = { id: id as AssumptionId, weight };
    }
  }
  return best?.id ?? null;
}

/** Whether what was answered says something of an assumption. */
export function isTouched(id: string, operation: string, facts: Facts): boolean {
  if (!Object.hasOwn(assumptions, id)) return false;
  const status = facts.status?.[0] ?? '';
  return assumptions[id as AssumptionId].covers.some((cover) =>
    Object.keys(facts).some((place) => covers(cover, { operation, place, platform: status, emulator: status }) > 0),
  );
}

/** How exactly a cover names a place; 0: not at all. */
export function covers(cover: string, { operation, place, platform, emulator }: Difference): number {
  const [, pattern, rest] = /^([\w*]+\.[\w*.]+) (.+)$/.exec(cover) ?? [undefined, undefined, cover];
  if (pattern !== undefined && !globbed(pattern, '.').test(operation)) return 0;
  const own = pattern === undefined ? 0 : 100;
  const [, wanted] = /^status ?(.*)$/.exec(rest ?? '') ?? [];
  if (wanted !== undefined) {
    if (place !== 'status') return 0;
    const status = new RegExp(`\\b${wanted.replaceAll('x', '\\d')}`);
    return wanted === '' || status.test(platform) || status.test(emulator) ? own + 1 + wanted.length : 0;
  }
  return globbed(rest ?? '', '/').test(place) ? own + (rest ?? '').replaceAll('*', '').length + 1 : 0;
}

function globbed(pattern: string, step: string): RegExp {
  const text = pattern
    .split(/(\/\*\*|\*)/)
    .map((part) => {
      if (part === '/**') return '(?:/.*)?';
      if (part === '*') return `[^${step}]*`;
      return part.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
    })
    .join('');
  return new RegExp(`^${text}$`);
}

/** The file drift/accepted.json: what is known to differ, why, and until when. */
export const acceptedFile = z.record(
  z.string(),
  z.object({ reason: z.string().min(1).max(1_000), until: z.string().regex(/^\d{4}-\d\d-\d\d$/) }),
);

export type Accepted = z.output<typeof acceptedFile>;

/** What is wrong with the list of accepted findings: one that excuses nothing, one whose time is over. */
export function wrongWith(accepted: Accepted, { findings }: Ledger, today: string): string[] {
  return Object.entries(accepted).flatMap(([name, { until }]) => {
    if (findings[name] === undefined) return [`"${name}" excuses nothing: remove it from drift/accepted.json`];
    return until < today ? [`"${name}" was accepted until ${until}: mend it, or accept it anew`] : [];
  });
}

/** The findings that two runs have shown and nobody has accepted. */
export const confirmed = ({ findings }: Ledger, accepted: Accepted): [name: string, finding: Finding][] =>
  Object.entries(findings).filter(([name, { runs }]) => runs >= 2 && accepted[name] === undefined);
