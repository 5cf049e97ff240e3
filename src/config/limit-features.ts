// The features that have a rate limit of their own, and which preset each has.

import type { PresetName } from './schema.js';

export const presetNames = [
  'STANDARD',
  'STRICT',
  'RELAXED',
  'CRITICAL',
  'BURST',
  'AGGRESSIVE',
] as const satisfies readonly PresetName[];

/** The usage report names them, endpoints are counted under them; `rateLimits.operations` overrides. */
export const features = {
  chat: 'RELAXED',
  responses: 'RELAXED',
  embeddings: 'STANDARD',
  images: 'STANDARD',
  video: 'CRITICAL',
  knowledge: 'STANDARD',
  agents: 'STANDARD',
  siweNonce: 'STRICT',
  siweVerify: 'STRICT',
} as const satisfies Record<string, PresetName>;

export type Feature = keyof typeof features;

/** The operation that each feature is about: what it is given for itself holds for the feature in the usage report. */
export const featureOperations: Record<Feature, string> = {
  chat: 'chat.completions',
  responses: 'responses.create',
  embeddings: 'embeddings.create',
  images: 'images.generate',
  video: 'videos.generate',
  knowledge: 'knowledge.query',
  agents: 'agents.create',
  siweNonce: 'auth.siweNonce',
  siweVerify: 'auth.siweVerify',
};
