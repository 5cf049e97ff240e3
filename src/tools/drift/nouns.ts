// What a run may make on the platform and remove again, how that is named, and what it costs at worst.

import { isTodaysServer } from '../../config/profiles.js';
import type { Config } from '../../config/schema.js';
import { toCredits, toMicros } from '../../core/money.js';
import { isTree, type Tree } from '../../core/tree.js';
import type { Endpoint } from '../../http/endpoint.js';
import { dailyPrice, deployPrice } from '../../platform/containers/lifecycle/pricing.js';
import { surfaceOf } from '../../platform/surface.js';

export interface Noun {
  /** "containers", as the ids of its operations begin. */
  name: string;
  create: Endpoint;
  list: Endpoint;
  get: Endpoint;
  remove: Endpoint;
  /** What one costs at worst, in credits. */
  price: number;
  /** Whether one that fails is paid back. */
  isRefunded: boolean;
}

/** The smallest container that there is: some servers charge for more. */
const smallest = { cpu: 256, memory: 512 };

const names = ['containers', 'keys', 'agents', 'documents', 'voice'] as const;

/** The nouns that a key can make and remove. */
export function nounsOf(config: Config): Noun[] {
  const surface = surfaceOf(config);
  const find = (id: string): Endpoint | undefined => surface.find((one) => one.id === id && one.auth === 'caller');
  return names.flatMap((name): Noun[] => {
    const create = find(name === 'voice' ? 'voice.clone' : `${name}.create`);
    const [list, get, remove] = ['list', 'get', 'delete'].map((action) => find(`${name}.${action}`));
    if (create === undefined || list === undefined || get === undefined || remove === undefined) return [];
    const isRefunded = name === 'containers' && !isTodaysServer(config);
    return [{ name, create, list, get, remove, price: priceOf(name, config), isRefunded }];
  });
}

/** The worst price of one, by the declared prices. */
function priceOf(name: (typeof names)[number], config: Config): number {
  if (name === 'voice') return config.prices.voiceClone;
  if (name !== 'containers') return 0;
  const spec = { ...smallest, desired_count: 1 };
  // Midnight may come while it runs.
  const day = config.billing.daily || isTodaysServer(config) ? dailyPrice(config, spec).amount : 0;
  return toCredits(deployPrice(config, spec).amount + day);
}

/** The sum of amounts of credits. */
export const sumOf = (...credits: number[]): number => toCredits(credits.reduce((sum, one) => sum + toMicros(one), 0));

const ownName = /^drift-[0-9a-f]{8}\b/;

/** In a body: the name of what the run makes. */
export const namePlace = '{name}';

export interface Thing {
  id: string;
  name: string;
  isOurs: boolean;
  isLeaving: boolean;
}

/** The things that the answer of a list shows; undefined: it shows no list. */
export function thingsIn(body: unknown): Thing[] | undefined {
  if (Array.isArray(body))
    return body.filter(isTree).flatMap((one) => (typeof one.id === 'string' ? thingOf(one, one.id) : []));
  if (!isTree(body)) return undefined;
  for (const value of Object.values(body)) {
    const found = thingsIn(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function thingOf(one: Tree, id: string): Thing {
  const inner = isTree(one.metadata) ? one.metadata : {};
  const all = [one.project_name, one.name, one.filename, inner.filename].filter((name) => typeof name === 'string');
  const name = all.find((text) => ownName.test(text)) ?? all[0] ?? id;
  return { id, name, isOurs: ownName.test(name), isLeaving: one.status === 'deleting' || one.status === 'deleted' };
}

/** The id or the status of the thing that an answer shows, wherever it lies; undefined: it shows none. */
export function shownIn(body: unknown, name: 'id' | 'status', depth = 0): string | undefined {
  if (!isTree(body) || depth > 3) return undefined;
  const text = body[name];
  if (typeof text === 'string') return text;
  for (const value of Object.values(body)) {
    const found = shownIn(value, name, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What is sent to make one, with `{name}` for its name. */
export function makingBody({ create }: Noun, image: string): Tree {
  const { example } = create;
  const body: Tree = { ...(isTree(example) ? example : {}) };
  for (const field of ['name', 'project_name', 'projectName']) if (field in body) body[field] = namePlace;
  if ('filename' in body) body.filename = `${namePlace}.md`;
  for (const field of ['ecr_image_uri', 'image']) if (field in body) body[field] = image;
  if (create.id === 'containers.create')
    Object.assign(body, { cpu: smallest.cpu, ['image' in body ? 'memoryMb' : 'memory']: smallest.memory });
  return body;
}
