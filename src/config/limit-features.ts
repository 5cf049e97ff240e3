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

/** Endpoints are counted under these names, which the usage report lists; `rateLimits.operations` overrides the presets. */
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

/** The operation of each feature: its own limit is the one that the usage report shows for the feature. */
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
