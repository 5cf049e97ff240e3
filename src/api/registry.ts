// Every endpoint of the platform, and how a path that matches none is explained.

import type { Config } from '../config/schema.js';
import { accountEndpoints } from '../features/accounts/endpoints.js';
import { agentEndpoints } from '../features/agents/endpoints.js';
import { chatEndpoints } from '../features/ai/chat-endpoints.js';
import { embeddingEndpoints } from '../features/ai/embeddings/endpoints.js';
import { fileEndpoints } from '../features/ai/files/endpoints.js';
import { imageEndpoints } from '../features/ai/images/endpoints.js';
import { responseEndpoints } from '../features/ai/responses-endpoints.js';
import { speechEndpoints } from '../features/ai/speech/endpoints.js';
import { videoEndpoints } from '../features/ai/video/endpoints.js';
import { containerEndpoints } from '../features/containers/endpoints.js';
import { creditEndpoints } from '../features/credits/endpoints.js';
import { keyEndpoints } from '../features/keys/endpoints.js';
import { knowledgeEndpoints } from '../features/knowledge/endpoints.js';
import { paymentEndpoints } from '../features/payments/endpoints.js';
import { platformEndpoints } from '../features/platform/endpoints.js';
import { registryEndpoints } from '../features/registry/endpoints.js';
import { cliSessionEndpoints } from '../features/sessions/cli-endpoints.js';
import { sessionEndpoints } from '../features/sessions/endpoints.js';
import { usageEndpoints } from '../features/usage/endpoints.js';
import { voiceEndpoints } from '../features/voice/endpoints.js';
import { walletEndpoints } from '../features/wallet/endpoints.js';
import { nearest } from '../kernel/nearest.js';
import type { Endpoint } from './endpoint.js';
import { type Feature, featureOperations } from './presets.js';

/** The platform's surface. A new feature adds its list here. */
export const endpoints: readonly Endpoint[] = [
  ...platformEndpoints,
  ...sessionEndpoints,
  ...cliSessionEndpoints,
  ...walletEndpoints,
  ...paymentEndpoints,
  ...keyEndpoints,
  ...accountEndpoints,
  ...creditEndpoints,
  ...agentEndpoints,
  ...usageEndpoints,
  ...containerEndpoints,
  ...chatEndpoints,
  ...responseEndpoints,
  ...voiceEndpoints,
  ...embeddingEndpoints,
  ...imageEndpoints,
  ...speechEndpoints,
  ...videoEndpoints,
  ...fileEndpoints,
  ...knowledgeEndpoints,
];

/** The surface under some settings: the older paths carry the voice provider's name. */
export function surfaceOf(config: Config): readonly Endpoint[] {
  const { service, voice } = config;
  return endpoints.flatMap((declared): Endpoint[] => {
    const endpoint = { ...declared, ...declared.under?.(config) };
    if (endpoint.legacyPath === undefined) return [endpoint];
    const path = `/api/${service.legacyVoiceProvider}${endpoint.legacyPath}`;
    return [endpoint, { ...endpoint, path, auth: voice.legacyKeys ? 'caller' : 'session', isLegacy: true }];
  });
}

/** Equal for settings that have the same surface. */
export function surfaceKey({ service, voice, containers }: Config): string {
  return `${service.legacyVoiceProvider} ${voice.legacyKeys} ${voice.checkTuning} ${containers.logWindow}`;
}

/** Every endpoint that is declared: the platform's, and those of the image registry, which it has no document for. */
export const declaredEndpoints: readonly Endpoint[] = [...endpoints, ...registryEndpoints];

/** The endpoints that clients can meet and fault rules act on: the platform's as the settings have them, and the image registry's. */
export function faultable(config: Config): readonly Endpoint[] {
  return [...surfaceOf(config), ...registryEndpoints];
}

/** Every operation that settings and control may name: endpoints, and those of features that are still to come. */
export const operations: readonly Pick<Endpoint, 'id' | 'limit'>[] = operationsOf(declaredEndpoints);

function operationsOf(list: readonly Endpoint[]): Pick<Endpoint, 'id' | 'limit'>[] {
  const known = new Map<string, Pick<Endpoint, 'id' | 'limit'>>(list.map((endpoint) => [endpoint.id, endpoint]));
  for (const [feature, id] of Object.entries(featureOperations)) {
    if (!known.has(id)) known.set(id, { id, limit: feature as Feature });
  }
  return [...known.values()];
}

/** All paths of an endpoint, its own first. */
export function pathsOf(endpoint: Endpoint): string[] {
  return [endpoint.path, ...(endpoint.aliases ?? [])];
}

/**
 * Endpoints in the order in which a router must try them: fixed segments before parameters.
 */
export function routingOrder(list: readonly Endpoint[]): Endpoint[] {
  const key = (endpoint: Endpoint): string => endpoint.path.replace(/\{\w+\}/g, '\uffff');
  return [...list].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}

/** The endpoints whose path matches most closely, whatever their method. */
export function matchingPath(list: readonly Endpoint[], path: string): Endpoint[] {
  const matches = list.flatMap((endpoint) => {
    const pattern = pathsOf(endpoint).find((one) => patternOf(one).test(path));
    return pattern === undefined ? [] : { endpoint, parameters: pattern.split('{').length };
  });
  const fewest = Math.min(...matches.map(({ parameters }) => parameters));
  return matches.filter(({ parameters }) => parameters === fewest).map(({ endpoint }) => endpoint);
}

/** The known paths nearest to one that matches nothing, as `METHOD /path`. */
export function nearestPaths(list: readonly Endpoint[], method: string, path: string): string[] {
  const wanted = path.slice(0, 200);
  const scored = list.flatMap((endpoint) =>
    pathsOf(endpoint).map((pattern) => ({
      text: `${endpoint.method} ${pattern}`,
      score: distance(wanted, pattern) + (endpoint.method === method ? 0 : 0.5),
    })),
  );
  scored.sort((a, b) => a.score - b.score || (a.text < b.text ? -1 : 1));
  return scored.slice(0, 3).map((entry) => entry.text);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`);
}

// Segments that differ count one, near misses and parameters less; missing ones count too.
function distance(path: string, pattern: string): number {
  const a = path.split('/').filter(Boolean);
  const b = pattern.split('/').filter(Boolean);
  let total = Math.abs(a.length - b.length);
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [mine, theirs] = [a[i] ?? '', b[i] ?? ''];
    if (mine === theirs) continue;
    if (theirs.startsWith('{')) total += 0.3;
    else total += nearest(mine, [theirs]) === undefined ? 1 : 0.4;
  }
  return total;
}
