// From recordings to a proved scenario.

import type { Config } from '../../config/schema.js';
import { counted } from '../../core/words.js';
import type { Endpoint } from '../../http/endpoint.js';
import { routesTo } from '../../http/routes.js';
import { surfaceOf } from '../../platform/surface.js';
import { type Choice, exchangesOf } from '../../tools/incidents/callers.js';
import type { Exchange, RecordedExchange, Recording } from '../../tools/incidents/exchange.js';
import { type Fact, factOf } from '../../tools/incidents/facts.js';
import { type Incident, incidentOf, type Said, squeezed, withBodies } from '../../tools/incidents/incident.js';
import { overlapping, type Pair, reordered } from '../../tools/incidents/order.js';
import { overlaid } from '../../world/settings.js';
import { type Chosen, choose } from './choose.js';
import { type Conclusion, conclude } from './conclude.js';
import { createProver, type Prover } from './prove.js';

export interface ImportOptions extends Choice {
  config: Config;
  name: string;
  /** Default: the one that answers like this. */
  profile?: string | undefined;
  said: Said;
  /** Shorten long gaps. */
  squeeze?: boolean;
}

export interface Imported {
  incident: Incident;
  exchanges: Exchange[];
  chosen: Chosen;
  conclusion: Conclusion;
  /** To be closed by whoever asked. */
  prover: Prover;
}

/** The scenario of recordings, proved; undefined: none of their requests is one of the platform. */
export async function importRecordings(
  recordings: readonly Recording[],
  { config, name, said, squeeze = false, ...choice }: ImportOptions,
): Promise<Imported | undefined> {
  const profile = choice.profile ?? profileOf(recordings.flatMap(({ exchanges }) => exchanges));
  const settings = overlaid(config, { profile });
  const surface = surfaceOf(settings);
  const { exchanges: all, facts } = exchangesOf(recordings, routesTo(surface), choice);
  // They hold secrets, and take as much memory again.
  for (const recording of recordings) recording.exchanges = [];
  const known = all.filter(({ operation }) => operation !== null);
  if (known.length === 0) return undefined;
  const unknown = all.filter(({ operation }) => operation === null).map(({ index }) => index);
  if (unknown.length > 0)
    facts.push(
      factOf(
        'seen',
        `${counted(unknown.length, 'request')} that no operation of the profile ${profile} knows are left out`,
        unknown.slice(0, 20),
      ),
    );
  const exampleOf = (operation: string): unknown => surface.find(({ id }) => id === operation)?.example;
  const exchanges = withBodies(squeeze ? squeezed(known) : known, exampleOf, facts);
  const permissionOf = (operation: string): Endpoint['permission'] =>
    surface.find(({ id }) => id === operation)?.permission;
  const prover = await createProver(settings);
  try {
    const prove = async (inOrder: Exchange[]): Promise<Proved> => {
      const incident = incidentOf(inOrder, said, profile, permissionOf);
      return { incident, exchanges: inOrder, chosen: await choose(incident, prover) };
    };
    const best = await inBestOrder(exchanges, prove, facts);
    best.incident.facts.unshift(...facts);
    return { ...best, conclusion: conclude(best.incident, best.chosen, `Incident ${name}`), prover };
  } catch (error) {
    await prover.close();
    throw error;
  }
}

type Proved = Pick<Imported, 'incident' | 'exchanges' | 'chosen'>;

const mostOrders = 6;
const mostSent = 20_000;

/** The proof of a recording in the order that explains most, where requests overlap and nothing says which came first. */
async function inBestOrder(
  exchanges: Exchange[],
  prove: (exchanges: Exchange[]) => Promise<Proved>,
  facts: Fact[],
): Promise<Proved> {
  let best = await prove(exchanges);
  const tried = new Set<string>();
  for (let left = Math.min(mostOrders, mostSent / exchanges.length); left >= 1; left--) {
    const disputed = new Set(unexplainedIn(best));
    const pair = disputed.size === 0 ? undefined : untried(overlapping(best.exchanges, disputed), tried);
    if (pair === undefined) break;
    const next = await prove(reordered(best.exchanges, pair));
    if (new Set(unexplainedIn(next)).size >= disputed.size) continue;
    best = next;
    const [earlier, later] = pair.map(({ index }) => index) as [number, number];
    const text = `The platform acted on entry ${later} before entry ${earlier}, which was sent before it`;
    facts.push(factOf('inferred', text, [earlier, later]));
  }
  return best;
}

/** The first pair that was not tried in another order; it counts as tried from then on. */
function untried(pairs: Iterable<Pair>, tried: Set<string>): Pair | undefined {
  for (const pair of pairs) {
    const name = pair
      .map(({ index }) => index)
      .sort()
      .join();
    if (tried.has(name)) continue;
    tried.add(name);
    return pair;
  }
  return undefined;
}

/** The entries whose answers neither the world nor a fault that the recording shows explains. */
const unexplainedIn = ({ chosen: { proof, more } }: Proved): number[] => [
  ...proof.differences.map(({ entry }) => entry),
  ...more.map(({ exchange }) => exchange.index),
];

/** The profile that answers like this: the flat style of errors, or the prefix of keys, is that of the public server. */
function profileOf(all: readonly RecordedExchange[]): string {
  const isPublic = all.some(
    ({ headers, text, status }) =>
      /eliza_/.test(headers.authorization ?? headers['x-api-key'] ?? '') ||
      (status >= 400 && /^\s*\{[^{]*"error"\s*:\s*"/.test(text ?? '')),
  );
  return isPublic ? 'elizacloud' : 'spec';
}
