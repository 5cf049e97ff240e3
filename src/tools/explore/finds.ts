// Finds: what a client does wrong under a fault, each with the mildest fault that shows it.

import * as z from 'zod';
import type { ScenarioInput } from '../scenarios/schema.js';
import { outcomes } from '../verdicts/verdict.js';
import { type Baseline, mostOf, namesOf } from './baseline.js';
import { type Consequence, consequence, grades } from './consequence.js';
import { additionOf, faultsOf, type Try } from './fault-kinds.js';
import type { SeenWorld } from './seen.js';

type Expectations = NonNullable<ScenarioInput['expect']>;

/** A request as reports show it. */
const shownRequest = z.object({
  operation: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  status: z.int(),
  errorCode: z.string().nullable(),
  fault: z.string().nullable(),
  at: z.number().describe('Wall milliseconds since the first request of the world'),
  again: z
    .object({ same: z.array(z.string()), differs: z.array(z.string()) })
    .exactOptional()
    .describe(
      'Beside the request before it with this method and path: the names of fields that are equal, and of others',
    ),
});

export const foundMistake = z.object({
  name: z.string().describe('The name of its scenario'),
  grade: z.enum(grades),
  label: z.string().describe('The world of its scenario, which has the name of its test'),
  tests: z
    .array(z.string())
    .default([])
    .describe('The names of all tests in which it occurs, or those of their worlds'),
  operation: z.string(),
  occurrence: z.int().describe('Which of the world’s requests of the operation the fault met'),
  fault: z.string().describe('The kind of fault'),
  what: z.string().describe('What was done to whom'),
  consequences: z.array(consequence),
  also: z
    .array(z.string())
    .describe('Other kinds of faults after which the client does the same, and that show the same'),
  requests: z.array(shownRequest).describe('What the client sent from that request on'),
  output: z.array(z.string()).describe('What the command printed about it; empty: its test passed'),
  places: z
    .array(z.string())
    .default([])
    .describe('The lines of the project in its stack or assertion, such as `client.mjs:8`'),
});

export type Find = z.output<typeof foundMistake>;

/** A fault that a client met, and what it did. */
export interface Tried {
  tried: Try;
  consequences: Consequence[];
  seen: SeenWorld;
  /** What the client did because of it: equal where it did the same. */
  reaction: string;
  output: string[];
  /** The lines of the project that the output names. */
  places: string[];
}

/**
 * Tries that show the same cause, the mildest first: in any test, the client does the same after a fault at the same
 * operation, with the same consequence. A fault that lasts shows no more than one that comes once, and a verdict no more
 * than what has come of it.
 */
export function groupsOf(results: readonly Tried[]): Tried[][] {
  const groups = new Map<string, Tried[]>();
  for (const result of results) {
    const worst = worstOf(result.consequences);
    if (worst === undefined) continue;
    // What a test leaves behind when it ends early is one mistake, of its clean-up, whichever fault has ended it.
    const isLeft = worst.grade === 'C' && worst.kind.startsWith('left ');
    const cause = isLeft ? [result.tried.point.label] : [result.tried.point.operation, worst.kind, result.reaction];
    const key = [worst.grade, ...cause].join('\n');
    groups.set(key, [...(groups.get(key) ?? []), result]);
  }
  const all = [...groups.values()].map((group) => group.sort(byMildness)).sort(bySeverity);
  const lasting = all.filter(([first]) => first !== undefined && isLasting(first));
  const homes: Tried[][] = [];
  for (const group of [...all.filter((one) => !lasting.includes(one)), ...lasting]) {
    const home = homes.find((one) => isPartOf(group, one));
    if (home === undefined) homes.push([...group]);
    else home.push(...group);
  }
  return homes.sort(bySeverity);
}

const isLasting = ({ tried }: Tried): boolean => tried.first === undefined && tried.kind.lasts !== undefined;

function isPartOf([one]: readonly Tried[], [home]: readonly Tried[]): boolean {
  if (one === undefined || home === undefined) return false;
  const [worst, worstOfHome] = [worstOf(one.consequences), worstOf(home.consequences)];
  // The key of one test is refused, at whichever of its requests that begins.
  const isOfKey = [one, home].every(({ tried: { kind } }) => kind.lasts === 'key');
  if (isOfKey && one.tried.point.label === home.tried.point.label) return worst?.kind === worstOfHome?.kind;
  if (one.tried.point.operation !== home.tried.point.operation) return false;
  if (worst?.kind === worstOfHome?.kind) return isLasting(one);
  return worst?.kind.startsWith('verdict ') === true && home.consequences.some(({ kind }) => kind === worst.kind);
}

function byMildness(a: Tried, b: Tried): number {
  return mildness(a) - mildness(b) || a.seen.label.localeCompare(b.seen.label);
}

// One fault is milder than two.
const mildness = ({ tried }: Tried): number =>
  faultsOf(tried).length * 1_000_000 + tried.point.occurrence * 1_000 + tried.rank;

function bySeverity([a]: Tried[], [b]: Tried[]): number {
  const [one, other] = [worstOf(a?.consequences ?? []), worstOf(b?.consequences ?? [])];
  if (one === undefined || other === undefined) return 0;
  return grades.indexOf(one.grade) - grades.indexOf(other.grade) || (other.cost ?? 0) - (one.cost ?? 0);
}

/** The most severe consequence. */
export function worstOf(consequences: readonly Consequence[]): Consequence | undefined {
  return [...consequences].sort(
    (a, b) => grades.indexOf(a.grade) - grades.indexOf(b.grade) || (b.cost ?? 0) - (a.cost ?? 0),
  )[0];
}

/** The find that represents a group of tries. */
export function findOf([first, ...others]: readonly Tried[]): Find | undefined {
  const grade = first === undefined ? undefined : worstOf(first.consequences)?.grade;
  if (first === undefined || grade === undefined) return undefined;
  const { tried, seen, consequences, output, places } = first;
  const { label, operation, occurrence } = tried.point;
  return {
    name: nameOfFind(tried),
    grade,
    label,
    tests: [...new Set([first, ...others].map(({ seen: { test, label: id } }) => test ?? id))],
    operation,
    occurrence,
    fault: kindsOf(tried),
    what: whatOf(tried),
    consequences,
    also: alsoWith(tried, others),
    requests: seen.requests.slice(Math.max(0, firstHit(tried, seen) - 1)),
    output,
    places,
  };
}

/** What a request has in common with the one before it with its method and path, by the names of its fields. */
export function againText(again: Find['requests'][number]['again']): string {
  if (again === undefined || again.same.length + again.differs.length === 0) return '';
  const same = again.same.length === 0 ? '' : `equal in ${again.same.join(', ')}`;
  const differs = again.differs.length === 0 ? '' : `differs in ${again.differs.join(', ')}`;
  return `beside the one before: ${[differs, same].filter((part) => part !== '').join('; ')}`;
}

const kindsOf = (tried: Try): string =>
  faultsOf(tried)
    .map(({ kind }) => kind.id)
    .join(' then ');

// The kinds of faults, with the number of the request in the same world; those of other worlds only where they are others.
function alsoWith(tried: Try, others: readonly Tried[]): string[] {
  const isOwn = ({ tried: { point } }: Tried): boolean => point.label === tried.point.label;
  const own = others.filter(isOwn);
  const known = [tried, ...own.map((one) => one.tried)].map(kindsOf);
  const more = others.filter((one) => !isOwn(one)).map((one) => kindsOf(one.tried));
  return [
    ...new Set([
      ...own.map((one) => `${kindsOf(one.tried)} (${one.tried.point.occurrence})`),
      ...more.filter((kinds) => !known.includes(kinds)),
    ]),
  ];
}

/** The name of a find and of its scenario, at most 64 characters long. */
function nameOfFind(tried: Try): string {
  const parts = faultsOf(tried).map(({ point, kind }) => `${point.operation}-${point.occurrence}-${kind.id}`);
  const end = `-${parts.join('-then-')}`.toLowerCase().replaceAll('_', '-').slice(-55);
  const start = tried.point.label.replace(/-[0-9a-f]{8}(-\d+)?$/, '').slice(0, 64 - end.length);
  return `${start}${end}`;
}

/** The faults of a try, and the request that each of them met, in words. */
export function whatOf(tried: Try): string {
  const [first = '', ...more] = faultsOf(tried).map(
    ({ point, kind }) => `${ordinal(point.occurrence)}${point.operation} ${kind.says}`,
  );
  return [first, ...more.map((one) => one.replace(/^The first /, 'the next ').replace(/^T/, 't'))].join(', then ');
}

function firstHit({ point }: Try, { requests }: SeenWorld): number {
  const hit = requests.findIndex(({ fault }) => fault !== null);
  return hit === -1 ? Math.min(point.index, requests.length) : hit;
}

function ordinal(number: number): string {
  if (number === 1) return 'The first ';
  const ending = number % 100 > 10 && number % 100 < 20 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `The ${number}${ending} `;
}

export interface FoundContext {
  /** The command, as reports repeat it. */
  command: string;
  seed: string;
  /** The time that a run had. */
  limitMs: number;
  /** The document that worlds begin with. */
  scenario: ScenarioInput;
  bases: ReadonlyMap<string, Baseline>;
  /** Tests had a world each without a fixture. */
  worldPerTest: boolean;
}

/** How much longer than in the exploration the command may take: other machines are slower. */
const patience = 3;

/** A scenario that shows the find again, and keeps it from coming back. */
export function scenarioOfFind(tried: Try, find: Find, base: Baseline, context: FoundContext): ScenarioInput {
  const { command, seed, limitMs, scenario, bases, worldPerTest } = context;
  const isHang = find.consequences.some(({ kind }) => kind === 'hung');
  const own = { ...additionOf(tried), expect: expectationsOf(tried, find, base) };
  // Verdicts that fail without the fault are left out.
  const lenient = [...bases].flatMap(([label, { failed }]) =>
    failed.size === 0
      ? []
      : [[label, { verdicts: Object.fromEntries([...failed].map((rule) => [rule, [...outcomes]])) }] as const],
  );
  const worlds: NonNullable<ScenarioInput['worlds']> = { ...scenario.worlds };
  for (const [label, expect] of lenient) worlds[label] = { ...worlds[label], expect };
  worlds[find.label] = { ...worlds[find.label], ...own, expect: { ...worlds[find.label]?.expect, ...own.expect } };
  return {
    ...scenario,
    title: `${find.what} (${find.label})`.slice(0, 200),
    description: [
      `Found by cloudemu explore, grade ${find.grade}. ${find.consequences.map(({ says }) => says).join(' ')}`,
      `Reproduce it with: cloudemu run scenarios/found/${find.name}.json -- ${command}`,
    ]
      .join('\n')
      .slice(0, 2_000),
    seed,
    command: {
      mayFailWithFault: true,
      ...(worldPerTest && { worldPerTest }),
      ...(isHang && { within: `${Math.ceil((limitMs * patience) / 1_000)}s` }),
    },
    worlds,
  };
}

function expectationsOf({ point }: Try, { consequences }: Find, base: Baseline): Expectations {
  const parts = consequences.filter(({ grade }) => grade !== 'E').map((one) => expectedInstead(one, point, base));
  const requests = parts.flatMap((part) => part.requests ?? []);
  const containers = parts.flatMap((part) => part.containers ?? []);
  const holdings = parts.flatMap((part) => part.holdings ?? []);
  const credits: Expectations['credits'] = Object.assign({}, ...parts.map((part) => part.credits));
  return {
    ...(requests.length > 0 && { requests }),
    ...(containers.length > 0 && { containers }),
    ...(holdings.length > 0 && { holdings }),
    ...(Object.keys(credits ?? {}).length > 0 && { credits }),
  };
}

// The figures of the runs without the fault. Where nobody noticed it, an error that is reported will do as well.
function expectedInstead(
  { kind, things = [] }: Consequence,
  { operation }: Try['point'],
  base: Baseline,
): Pick<Expectations, 'requests' | 'containers' | 'holdings' | 'credits'> {
  const usual = base.counts.get(operation) ?? 0;
  const orFails = kind === 'unnoticed' ? { orFails: true } : {};
  if (kind === 'spent' || kind === 'bought again') return { credits: { charged: { max: base.charged } } };
  if (kind === 'paid') return { credits: { paid: { max: base.paid } } };
  if (kind === 'requests') return { requests: [{ operation, max: mostOf(usual) }] };
  if (kind === 'cut off') return { requests: [{ operation, min: usual + 1, orFails: true }] };
  if (kind === 'unnoticed' && things.length === 0)
    return { requests: [{ operation, status: '2xx', min: base.made.get(operation) ?? 1, orFails: true }] };
  const countOf = (one: Thing): number =>
    namesOf(base.holdings, one.kind).filter((name) => base.nameless.has(one.kind) || name === one.name).length;
  // A name that is not there without the fault may be another one the next time: all of the kind count.
  const isKnown = ({ kind: of, name }: Thing): boolean => namesOf(base.holdings, of).includes(name);
  const mostOfKind = ({ kind: of }: Thing) => ({ kind: of, max: namesOf(base.holdings, of).length });
  const named = ({ kind: of, name }: Thing) => ({ kind: of, ...(!base.nameless.has(of) && { name }) });
  if (kind === 'unnoticed' || kind.startsWith('destroyed '))
    return { holdings: things.map((one) => ({ ...named(one), min: countOf(one), ...orFails })) };
  if (!/^(?:twice|left) /.test(kind)) return {};
  return things.every((one) => one.kind === 'container' && countOf(one) === 0)
    ? { containers: things.map(({ name }) => ({ project: name, status: ['gone', 'failed', 'stopped'] })) }
    : { holdings: things.map((one) => (isKnown(one) ? { ...named(one), max: countOf(one) } : mostOfKind(one))) };
}

type Thing = NonNullable<Consequence['things']>[number];
