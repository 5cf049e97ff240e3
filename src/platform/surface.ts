// The surface of the platform: every endpoint that is declared.

import { type Feature, featureOperations } from '../config/limit-features.js';
import type { Config } from '../config/schema.js';
import { memoizeBy } from '../core/memoize-last.js';
import type { Endpoint } from '../http/endpoint.js';
import { accountEndpoints } from './accounts/api.js';
import { talkEndpoints } from './agent-talk/api.js';
import { agentRestEndpoints } from './agent-talk/rest-api.js';
import { agentEndpoints } from './agents/api.js';
import { billingEndpoints } from './billing/api.js';
import { checkoutEndpoints } from './checkouts/api.js';
import { containerEndpoints } from './containers/wire/api.js';
import { creditEndpoints } from './credits/api.js';
import { documentEndpoints } from './documents/api.js';
import { platformEndpoints } from './health.js';
import { hostedAgentEndpoints } from './hosted-agents/api.js';
import { platformJobEndpoints } from './jobs/api.js';
import { keyEndpoints } from './keys/api.js';
import { sessionKeyEndpoints } from './keys/session-api.js';
import { knowledgeEndpoints } from './knowledge/api.js';
import { chatEndpoints } from './models/chat-api.js';
import { embeddingEndpoints } from './models/embeddings/api.js';
import { fileEndpoints } from './models/files/api.js';
import { imageEndpoints } from './models/images/api.js';
import { messageEndpoints } from './models/messages-api.js';
import { responseEndpoints } from './models/responses-api.js';
import { speechEndpoints } from './models/speech/api.js';
import { uiChatEndpoints } from './models/ui-chat-api.js';
import { videoEndpoints } from './models/video/api.js';
import { pairingEndpoints } from './pairing/api.js';
import { paymentEndpoints } from './payments/api.js';
import { registryEndpoints } from './registry/api.js';
import { relayEndpoints } from './relay/api.js';
import { sessionEndpoints } from './sessions/api.js';
import { cliSessionEndpoints } from './sessions/cli-login.js';
import { usageEndpoints } from './usage/api.js';
import { voiceEndpoints } from './voice/api.js';
import { walletEndpoints } from './wallets/api.js';

/** The platform's surface. A new feature adds its list here. */
export const endpoints: readonly Endpoint[] = [
  ...platformEndpoints,
  ...sessionEndpoints,
  ...cliSessionEndpoints,
  ...walletEndpoints,
  ...paymentEndpoints,
  ...keyEndpoints,
  ...sessionKeyEndpoints,
  ...accountEndpoints,
  ...creditEndpoints,
  ...agentEndpoints,
  ...usageEndpoints,
  ...containerEndpoints,
  ...chatEndpoints,
  ...responseEndpoints,
  ...messageEndpoints,
  ...uiChatEndpoints,
  ...voiceEndpoints,
  ...embeddingEndpoints,
  ...imageEndpoints,
  ...speechEndpoints,
  ...videoEndpoints,
  ...fileEndpoints,
  ...knowledgeEndpoints,
  ...hostedAgentEndpoints,
  ...platformJobEndpoints,
  ...relayEndpoints,
  ...documentEndpoints,
  ...checkoutEndpoints,
  ...billingEndpoints,
  ...pairingEndpoints,
  ...talkEndpoints,
];

/**
 * The surface under some settings: the older paths carry the voice provider's name. It is the same list for settings that
 * have the same surface: emulators of one process, of which tests start many, share it.
 */
export const surfaceOf = memoizeBy(20, surfaceKey, (config: Config): readonly Endpoint[] => {
  const { service, voice } = config;
  const all = [...endpoints, ...(hasUpstreams(config) ? agentRestEndpoints : [])];
  return ofProfile(all, config.profile).flatMap((declared): Endpoint[] => {
    const endpoint = { ...declared, ...declared.under?.(config) };
    if (endpoint.legacyPath === undefined) return [endpoint];
    const path = `/api/${service.legacyVoiceProvider}${endpoint.legacyPath}`;
    return [endpoint, { ...endpoint, path, auth: voice.legacyKeys ? 'caller' : 'session', isLegacy: true }];
  });
});

/** The endpoints that a profile has: of each operation one declaration. */
export function ofProfile(list: readonly Endpoint[], profile: Config['profile']): Endpoint[] {
  return list.filter(({ profiles }) => profiles?.includes(profile) ?? true);
}

/** Equal for settings that have the same surface. */
function surfaceKey(config: Config): string {
  const { profile, service, voice } = config;
  const parts = [profile, hasUpstreams(config), service.legacyVoiceProvider, voice.legacyKeys, voice.checkTuning];
  return parts.join(' ');
}

function hasUpstreams({ hostedAgents }: Config): boolean {
  return Object.keys(hostedAgents.upstreams).length > 0;
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
