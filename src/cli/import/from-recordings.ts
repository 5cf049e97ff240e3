// From recordings to a proved scenario.

import type { Config } from '../../config/schema.js';
import { counted } from '../../core/words.js';
import { routesTo } from '../../http/routes.js';
import { surfaceOf } from '../../platform/surface.js';
import { type Choice, exchangesOf } from '../../tools/incidents/callers.js';
import type { Exchange, RecordedExchange, Recording } from '../../tools/incidents/exchange.js';
import { factOf } from '../../tools/incidents/facts.js';
import { type Incident, incidentOf, type Said, squeezed, withBodies } from '../../tools/incidents/incident.js';
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
  const incident = incidentOf(exchanges, said, profile);
  incident.facts.unshift(...facts);
  const prover = await createProver(settings, exchanges);
  try {
    const chosen = await choose(incident, prover);
    return { incident, exchanges, chosen, conclusion: conclude(incident, chosen, `Incident ${name}`), prover };
  } catch (error) {
    await prover.close();
    throw error;
  }
}

/** The profile that answers like this: the flat style of errors, or the prefix of keys, is that of the public server. */
function profileOf(all: readonly RecordedExchange[]): string {
  const isPublic = all.some(
    ({ headers, text, status }) =>
      /eliza_/.test(headers.authorization ?? headers['x-api-key'] ?? '') ||
      (status >= 400 && /^\s*\{[^{]*"error"\s*:\s*"/.test(text ?? '')),
  );
  return isPublic ? 'elizacloud' : 'spec';
}
