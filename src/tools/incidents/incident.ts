// A recording as a scenario: what was there, what went otherwise than the platform would have it, and what is still open.

import { isTree, type Tree } from '../../core/tree.js';
import type { FaultPhase, FaultRequest } from '../faults/rule.js';
import type { ScenarioInput } from '../scenarios/schema.js';
import { type Deployment, deploymentsOf, expectedOf, isLost } from './deployments.js';
import type { Exchange } from './exchange.js';
import { type Fact, factOf } from './facts.js';
import { type Effect, effectOf, type Faulted, rulesOf, slowOf } from './faults.js';
import { creditsOf } from './money.js';
import { repliesOf, saidIn } from './replies.js';
import { callersIn, type PermissionOf, type Restricted, restrictedIn, stateOf } from './state.js';

/** Something that the recording leaves open: the proof, or whoever imports, decides. */
export interface Open {
  /** `effect:4` (did entry 4 take effect?), `mode:4` (how did its deployment fail?), `key:4` (did its key lack a permission?). */
  name: string;
  exchange: Exchange;
  options: readonly string[];
}

/** What is chosen of that, by name. */
export type Picks = Readonly<Record<string, string>>;

export interface Incident {
  exchanges: readonly Exchange[];
  /** When the world begins, in ms of the platform's clock. */
  start: number;
  open: Open[];
  facts: Fact[];
  /** The scenario with some picks, and with effects that the proof has shown to be needed. */
  scenarioWith(picks: Picks, more?: readonly Faulted[], credits?: number): ScenarioInput;
  /** The faults of a scenario with these picks, in the order of the exchanges. */
  faultedWith(picks: Picks, more?: readonly Faulted[]): Faulted[];
}

export interface Said {
  /** The balance at the beginning. */
  credits?: number | undefined;
  /** Whether requests without an answer took effect, by the numbers of their entries. */
  tookEffect: ReadonlyMap<number, boolean>;
}

/** A scenario can hold no more faults, and no more outcomes of deployments. */
const mostRules = 200;

const browsers = /^Mozilla\//;

/**
 * The incident in a recording.
 *
 * @param permissionOf what an operation demands of keys; by default no answer is taken to say that one lacks it
 */
export function incidentOf(
  exchanges: readonly Exchange[],
  said: Said,
  profile: string,
  permissionOf: PermissionOf = () => undefined,
): Incident {
  const start = exchanges.reduce((least, { actedAt }) => Math.min(least, actedAt), Infinity);
  const { data, facts } = stateOf(exchanges, start);
  const money = creditsOf(exchanges, said.credits);
  const slow = slowOf(exchanges);
  const limits = limitsOf(exchanges);
  const obvious = exchanges.flatMap((exchange) => {
    const effect = effectOf(exchange, slow(exchange));
    return effect === undefined || limits.explains(exchange) ? [] : [{ exchange, effect }];
  });
  const deployments = deploymentsOf(exchanges);
  const restricted = restrictedIn(exchanges, permissionOf);
  const repliesWith = (picks: Picks): object => {
    const replies = repliesOf(exchanges, (one) => isLost(one) && (picks[`effect:${one.index}`] ?? 'no') !== 'no');
    return replies.length > 0 ? { replies } : {};
  };
  const lost = obvious.filter(({ exchange }) => isLost(exchange));
  const open: Open[] = [
    ...restricted.map(({ exchange }) => ({ name: `key:${exchange.index}`, exchange, options: ['no', 'yes'] })),
    ...lost.map(({ exchange }) => ({ name: `effect:${exchange.index}`, exchange, options: optionsOf(exchange, said) })),
    ...deployments.flatMap(({ exchange, modes }) =>
      modes.length > 1 ? [{ name: `mode:${exchange.index}`, exchange, options: modes.map(String) }] : [],
    ),
  ];
  const faultedWith = (picks: Picks, more: readonly Faulted[] = []): Faulted[] =>
    [
      ...obvious.map(
        ({ exchange, effect }): Faulted => ({ exchange, effect, phase: phaseOf(exchange, effect, picks) }),
      ),
      ...more,
    ].sort((a, b) => exchanges.indexOf(a.exchange) - exchanges.indexOf(b.exchange));
  return {
    exchanges,
    start,
    open,
    facts: [money.fact, ...facts, ...limits.facts, ...deployments.flatMap((one) => one.facts), ...saidIn(exchanges)],
    faultedWith,
    scenarioWith: (picks, more, credits = money.credits) => ({
      clock: { start: new Date(start).toISOString() },
      settings: { profile, ...adviceOf(exchanges), ...(picks.limits === 'off' && { rateLimits: { enabled: false } }) },
      data: {
        ...withPermissions(
          data,
          restricted.filter(({ exchange }) => picks[`key:${exchange.index}`] === 'yes'),
          callersIn(exchanges)[0],
        ),
        ...(credits !== undefined && { credits: Math.max(0, credits) }),
        ...repliesWith(picks),
      } as ScenarioInput['data'],
      containers: outcomesOf(deployments, picks, soonestFailure(exchanges)).slice(
        0,
        mostRules,
      ) as ScenarioInput['containers'],
      faults: rulesOf(faultedWith(picks, more), exchanges, start).slice(0, mostRules) as FaultRequest[],
      ...(limits.rules.length > 0 && { limits: limits.rules as ScenarioInput['limits'] }),
    }),
  };
}

/** The data in which some keys have only these permissions. */
function withPermissions({ key, keys = [], ...data }: Tree, restricted: readonly Restricted[], first?: string): Tree {
  const of = (caller: unknown): object => {
    const found = restricted.find(({ exchange }) => exchange.caller === caller);
    return found === undefined ? {} : { permissions: found.permissions };
  };
  const own = { ...(key as Tree | undefined), ...of(first) };
  const others = (keys as Tree[]).map((one) => ({ ...one, ...of(one.name) }));
  return {
    ...data,
    ...(Object.keys(own).length > 0 && { key: own }),
    ...(others.length > 0 && { keys: others }),
  };
}

/** How soon a deployment may have failed: a tenth of the time that the platform expects. */
const soonestFailure = (exchanges: readonly Exchange[]): number =>
  Math.round((exchanges.map(expectedOf).find((one) => one !== undefined && one > 0) ?? 10_000) / 10);

// Clients are told how often to look by how long deployments usually take.
function adviceOf(exchanges: readonly Exchange[]): Tree {
  const expected = exchanges.map(expectedOf).find((one) => one !== undefined && one > 0);
  if (expected === undefined) return {};
  const [pending, building] = [Math.round(expected / 12), Math.round(expected / 3)];
  return { containers: { timing: { pending, building, deploying: expected - pending - building } } };
}

// A proxy's log proves it; what was said decides.
function optionsOf(exchange: Exchange, { tookEffect }: Said): string[] {
  const told = tookEffect.get(exchange.index);
  const upstream = exchange.upstreamStatus;
  if (told === true || (upstream !== undefined && upstream >= 200 && upstream < 300)) return ['yes'];
  if (told === false) return ['no'];
  // What was deployed may have failed before anybody looked, and its charge was returned.
  const failed = exchange.operation === 'containers.create' ? ['failed'] : [];
  // A browser sends a request again by itself when a kept connection breaks, and shows one.
  const repeats = exchange.status === 0 && browsers.test(exchange.headers['user-agent'] ?? '') ? ['twice'] : [];
  return ['no', 'yes', ...failed, ...repeats];
}

/** What was picked of an open point; by default its first option. */
export const pickOf = ({ name, options }: Open, picks: Picks): string => picks[name] ?? options[0] ?? '';

function phaseOf(exchange: Exchange, effect: Effect, picks: Picks): FaultPhase {
  if (effect.afterEvents !== undefined) return 'partial';
  if (effect.network === 'truncate' || effect.network === 'malformed' || effect.set !== undefined) return 'after';
  const picked = picks[`effect:${exchange.index}`] ?? 'no';
  return isLost(exchange) && picked !== 'no' ? 'after' : 'before';
}

function outcomesOf(deployments: readonly Deployment[], picks: Picks, soonest: number): Tree[] {
  const counts = new Map<string, number>();
  return deployments.flatMap(({ exchange, project, modes, timingWith }): Tree[] => {
    const times = { no: 0, twice: 2 }[picks[`effect:${exchange.index}`] ?? (isLost(exchange) ? 'no' : 'yes')] ?? 1;
    if (times === 0) return [];
    const number = (counts.get(project) ?? 0) + times;
    counts.set(project, number);
    const picked = picks[`mode:${exchange.index}`] ?? modes[0] ?? null;
    const hasFailed = picks[`effect:${exchange.index}`] === 'failed';
    const mode = hasFailed ? 'stack-rollback' : picked === 'null' ? null : picked;
    const timing = hasFailed ? { pending: soonest, building: 0, deploying: 0 } : timingWith(mode);
    if (timing === undefined && mode === null) return [];
    return [
      {
        match: { project, deployment: number },
        ...(mode !== null && { mode }),
        ...(timing !== undefined && { timing }),
      },
    ];
  });
}

interface Limits {
  rules: Tree[];
  facts: Fact[];
  explains(exchange: Exchange): boolean;
}

/** The limits that the headers of answers show: those of which a window was used up before a 429. */
function limitsOf(exchanges: readonly Exchange[]): Limits {
  const explained = new Set<Exchange>();
  const rules = new Map<string, Tree>();
  const facts: Fact[] = [];
  const before = new Map<string, Exchange[]>();
  for (const exchange of exchanges) {
    const operation = exchange.operation ?? '';
    const passed = before.get(operation) ?? [];
    const last = passed.at(-1);
    const limit = Number(exchange.answer['x-ratelimit-limit'] ?? Number.NaN);
    if (
      exchange.status === 429 &&
      operation !== '' &&
      last?.answer['x-ratelimit-remaining'] === '0' &&
      Number(last.answer['x-ratelimit-limit']) === limit
    ) {
      explained.add(exchange);
      const first = passed[passed.length - limit];
      const ends = exchange.actedAt + Number(exchange.answer['retry-after'] ?? 1) * 1_000;
      if (first !== undefined && !rules.has(operation)) {
        const window = Math.max(1, Math.round((ends - 500 - first.actedAt) / 1_000)) * 1_000;
        rules.set(operation, { operation, limit, window });
        facts.push(
          factOf(
            'inferred',
            `${operation} takes ${limit} requests in ${window / 1_000} s`,
            [exchange.index],
            '/limits',
          ),
        );
      }
    } else if (exchange.status > 0) before.set(operation, [...passed.slice(-200), exchange]);
  }
  return {
    rules: [...rules.values()],
    facts,
    explains: (exchange) => explained.has(exchange) && rules.has(exchange.operation ?? ''),
  };
}

/** A recording without the parts in which nobody asked for anything. */
export function squeezed(exchanges: readonly Exchange[], mostMs = 600_000, keptMs = 1_000): Exchange[] {
  let cut = 0;
  let last: number | undefined;
  return exchanges.map((exchange) => {
    const gap = exchange.actedAt - (last ?? exchange.actedAt);
    if (gap > mostMs) cut += gap - keptMs;
    last = exchange.actedAt;
    return { ...exchange, sentAt: exchange.sentAt - cut, actedAt: exchange.actedAt - cut };
  });
}

/** The bodies that a recording does not hold, as the operation's example has them, each with a name of its own. */
export function withBodies(
  exchanges: readonly Exchange[],
  exampleOf: (operation: string) => unknown,
  facts: Fact[],
): Exchange[] {
  const lacking = exchanges.filter(({ body, method }) => body === null && method !== 'GET');
  if (lacking.length > 0)
    facts.push(
      factOf(
        'unknown',
        'What was sent: the recording lacks bodies of requests, and examples stand for them',
        lacking.slice(0, 20).map(({ index }) => index),
      ),
    );
  return exchanges.map((exchange) => {
    if (!lacking.includes(exchange)) return exchange;
    const example = exampleOf(exchange.operation ?? '');
    if (!isTree(example)) return { ...exchange, body: '' };
    const name = `recorded-${exchange.index}`;
    const own = Object.fromEntries(
      ['name', 'project_name', 'username', 'agentName'].flatMap((field) =>
        typeof example[field] === 'string' ? [[field, name]] : [],
      ),
    );
    const headers = { 'content-type': 'application/json', ...exchange.headers };
    return { ...exchange, headers, body: JSON.stringify({ ...example, ...own }) };
  });
}
