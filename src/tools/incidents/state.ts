// What was there before the first request: what the first answers show that the recording did not make.

import type * as z from 'zod';
import { isTree, type Tree } from '../../core/tree.js';
import { permissionNames } from '../../platform/keys/permissions.js';
import { agent, container, document, hostedAgent, voice } from '../scenarios/data-schema.js';
import { nobody, removed } from './callers.js';
import { answerOf, type Exchange, isWrite, succeeded, treeIn, treesIn } from './exchange.js';
import { type Fact, factOf } from './facts.js';
import { textOf } from './fields.js';

export interface State {
  data: Tree;
  facts: Fact[];
}

/** The nouns that a scenario's data have, by the operations that show them, and how one shows itself. */
const nouns: readonly {
  data: string;
  of: RegExp;
  isOne: (tree: Tree) => boolean;
  make: (tree: Tree) => Tree;
  schema: () => z.ZodType;
}[] = [
  {
    data: 'containers',
    of: /^containers\.(list|get|create|update)$/,
    isOne: (tree) => typeof tree.project_name === 'string' && typeof tree.status === 'string',
    make: containerFrom,
    schema: () => container,
  },
  {
    data: 'agents',
    of: /^agents\.(list|get|create|clone)$/,
    isOne: (tree) => typeof tree.username === 'string' && typeof tree.name === 'string',
    make: (tree) => ({
      ...picked(tree, ['name', 'category', 'avatarUrl', 'isPublic']),
      ...(Array.isArray(tree.bio) && typeof tree.bio[0] === 'string' && { bio: tree.bio.join('\n') }),
    }),
    schema: () => agent,
  },
  {
    data: 'hostedAgents',
    of: /^hostedAgents\.(list|get|create)$/,
    isOne: (tree) => typeof (tree.agentName ?? tree.agent_name) === 'string' && typeof tree.status === 'string',
    make: (tree) => ({
      name: tree.agentName ?? tree.agent_name,
      ...(typeof tree.executionTier === 'string' && { tier: tree.executionTier }),
      // A shared one always runs.
      ...(tree.executionTier !== 'shared' && picked(tree, ['status'])),
    }),
    schema: () => hostedAgent,
  },
  {
    data: 'voices',
    of: /^voice\.(list|get|clone)$/,
    isOne: (tree) => tree.category === 'cloned' && typeof tree.name === 'string',
    make: (tree) =>
      picked(tree, ['name', 'cloneType', 'isActive', ...(tree.description === '' ? [] : ['description'])]),
    schema: () => voice,
  },
  {
    data: 'documents',
    of: /^knowledge\.(list|get|upload)$/,
    isOne: (tree) => typeof tree.filename === 'string' && tree.fragmentCount !== undefined,
    make: (tree) => ({
      name: tree.filename,
      content: (textOf(tree.content) || removed).slice(0, mostOfText),
      ...picked(tree, ['type', 'metadata']),
    }),
    schema: () => document,
  },
];

// A hundred documents have room in a scenario.
const mostOfText = 1_000;

/** The data with which the world begins, and the keys. */
export function stateOf(exchanges: readonly Exchange[], start: number): State {
  const data: Tree = {};
  const facts: Fact[] = [];
  for (const { data: name, of, isOne, make, schema } of nouns) {
    const seen = exchanges.filter(({ operation }) => of.test(operation ?? ''));
    const made = new Set<string>();
    const found = new Map<string, { one: Tree; at: Exchange }>();
    for (const exchange of seen.filter(succeeded)) {
      const ones = treesIn(answerOf(exchange)).filter((tree) => typeof tree.id === 'string' && isOne(tree));
      for (const one of ones) {
        const id = String(one.id);
        const known = found.get(id);
        if (/\.(create|clone|upload)$/.test(exchange.operation ?? '') && one.is_update !== 'true') made.add(id);
        else if (known === undefined) found.set(id, { one, at: exchange });
        // What lists leave out.
        else if (one.content !== undefined) found.set(id, { ...known, one: { content: one.content, ...known.one } });
      }
    }
    const lost = namesOfLost(seen);
    const before = [...found].filter(([id, { one }]) => {
      if (made.has(id)) return false;
      const createdAt = Date.parse(String(one.created_at ?? one.createdAt ?? ''));
      // The header Date has whole seconds, so that the platform's clock may be a second off.
      const isLost = lost.has(nameIn(one));
      return Number.isNaN(createdAt) ? !isLost : createdAt < (isLost ? start - 2_000 : start);
    });
    const things = before.flatMap(([, { one }]) => {
      const createdAt = Date.parse(String(one.created_at ?? one.createdAt ?? ''));
      const age = createdAt < start ? { age: Math.round(start - createdAt) } : {};
      return fitting({ ...make(one), ...age }, schema()) ?? [];
    });
    if (things.length > 0) {
      data[name] = things.slice(0, name === 'voices' || name === 'documents' ? 100 : mostThings);
      const entries = [...new Set(before.map(([, { at }]) => at.index))];
      facts.push(
        factOf(
          'seen',
          `${things.length} ${words[name]} were there: ${before
            .map(([, { one }]) => nameIn(one))
            .slice(0, 10)
            .join(', ')}`,
          entries,
          `/data/${name}`,
        ),
      );
    }
    const others = [...found].filter(
      ([id, { one }]) => !made.has(id) && !before.some(([other]) => other === id) && !lost.has(nameIn(one)),
    );
    for (const [, { one, at }] of others)
      facts.push(
        factOf('unknown', `Who made ${nameIn(one)}: it appeared during the recording, and no request of it made it`, [
          at.index,
        ]),
      );
    if (
      seen.length > 0 &&
      !seen.some((one) => /\.list$/.test(one.operation ?? '') && succeeded(one) && one.text !== null)
    )
      facts.push(factOf('unknown', `Which other ${words[name]} were there: nothing listed them`));
  }
  return { data: { ...data, ...keysOf(exchanges, start, facts) }, facts };
}

/** What a scenario can hold of a thing: without fields that the emulator does not take; undefined: nothing. */
function fitting(thing: Tree, schema: z.ZodType): Tree | undefined {
  const { success, error } = schema.safeParse(thing);
  if (success) return thing;
  const wrong = new Set(
    error.issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : [String(issue.path[0])])),
  );
  const left = Object.fromEntries(Object.entries(thing).filter(([name]) => !wrong.has(name)));
  return schema.safeParse(left).success ? left : undefined;
}

const mostThings = 500;
const words: Record<string, string> = {
  containers: 'containers',
  agents: 'agents',
  hostedAgents: 'hosted agents',
  voices: 'cloned voices',
  documents: 'documents',
};

const nameIn = (one: Tree): string =>
  String(one.project_name ?? one.agentName ?? one.agent_name ?? one.name ?? one.filename ?? '');

/** The names of what requests without an answer may have made. */
function namesOfLost(exchanges: readonly Exchange[]): Set<string> {
  const lost = exchanges.filter((one) => isWrite(one) && (one.status === 0 || one.status >= 500));
  return new Set(lost.map(({ body }) => nameIn(treeIn(body) ?? {})));
}

const picked = (tree: Tree, names: readonly string[]): Tree =>
  Object.fromEntries(
    names.flatMap((name) => (tree[name] === undefined || tree[name] === null ? [] : [[name, tree[name]]])),
  );

function containerFrom(tree: Tree): Tree {
  const image = tree.ecr_image_uri ?? tree.image_tag;
  const status = String(tree.status);
  const variables = isTree(tree.environment_vars) ? Object.keys(tree.environment_vars) : [];
  return {
    project_name: tree.project_name,
    ...picked(tree, [
      'name',
      'port',
      'cpu',
      'memory',
      'desired_count',
      'architecture',
      'health_check_path',
      'description',
    ]),
    ...(typeof image === 'string' && image !== '' && { ecr_image_uri: image }),
    ...(variables.length > 0 && { environment_vars: Object.fromEntries(variables.map((name) => [name, removed])) }),
    ...(['pending', 'building', 'deploying', 'running', 'failed', 'stopped'].includes(status) && { status }),
  };
}

/** The keys of the callers: when the first one's ends, and those of the others. */
function keysOf(exchanges: readonly Exchange[], start: number, facts: Fact[]): Tree {
  const callers = callersIn(exchanges);
  const keys = callers.map((caller) => {
    const own = exchanges.filter((one) => one.caller === caller && one.status !== 0);
    const refused = own.findIndex(({ status }) => status === 401);
    const rest = own.slice(refused);
    if (refused < 0 || rest.some(succeeded)) return {};
    const [last, first] = [own.slice(0, refused).findLast(succeeded), own[refused] as Exchange];
    const at = last === undefined ? start + 1 : Math.round((last.actedAt + first.actedAt) / 2);
    const why = last === undefined ? 'was not valid from the beginning' : 'ended during the recording';
    facts.push(
      factOf(
        /revoked/i.test(first.text ?? '') ? 'assumed' : 'inferred',
        `The key of ${caller} ${why}`,
        [first.index],
        '/data/key/expiresIn',
      ),
    );
    return { expiresIn: Math.max(1, at - start) };
  });
  const [own = {}, ...others] = keys;
  return {
    ...(Object.keys(own).length > 0 && { key: own }),
    ...(others.length > 0 && { keys: others.map((key, index) => ({ name: callers[index + 1], ...key })) }),
  };
}

/** Those who have keys: the first one has that of the scenario. */
export const callersIn = (exchanges: readonly Exchange[]): string[] =>
  [...new Set(exchanges.map(({ caller }) => caller))].filter((one) => one !== nobody);

/** A caller whose key may lack a permission, as the first answer that says so shows. */
export interface Restricted {
  exchange: Exchange;
  /** What the key may do instead. */
  permissions: string[];
}

/** What the platform demands of a key for an operation. */
export type PermissionOf = (operation: string) => { name: string; level: string } | 'unrestricted' | undefined;

/** The callers to whom the platform said that their keys lack a permission. */
export function restrictedIn(exchanges: readonly Exchange[], permissionOf: PermissionOf): Restricted[] {
  const refused = exchanges.filter(({ status, text }) => status === 403 && /permission|scope/i.test(text ?? ''));
  return callersIn(exchanges).flatMap((caller): Restricted[] => {
    const own = refused.filter((one) => one.caller === caller && permissionOf(one.operation ?? '') !== undefined);
    const [exchange] = own;
    if (exchange === undefined) return [];
    const lacks = own.map(({ operation }) => permissionOf(operation ?? ''));
    const isLacking = (area: string, level: string): boolean =>
      lacks.some((one) => typeof one === 'object' && one.name === area && one.level === level);
    const areas = permissionNames.filter((name) => !name.includes(':') && !isLacking(name, 'read'));
    return [{ exchange, permissions: areas.map((area) => (isLacking(area, 'write') ? `${area}:read` : area)) }];
  });
}
