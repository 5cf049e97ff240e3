// The AI SDK, which the full run alone installs, with its providers for an emulator.

import type { Platform } from './emulator.js';
import { installed, requireFrom } from './installed.js';

/** Where it is installed. */
export const aiSdk = (): string =>
  installed('ai@6.0.326', '@ai-sdk/openai@3.0.141', '@ai-sdk/openai-compatible@2.0.87', 'zod@4.6.7');

/** What the package `ai` exports. */
export const ai = () => requireFrom(aiSdk())('ai');

/** The provider for openai: `openai(model)` asks /responses, `openai.chat(model)` /chat/completions. */
export function aiOpenaiOf(emulator: Platform) {
  const { createOpenAI } = requireFrom(aiSdk())('@ai-sdk/openai');
  return createOpenAI({ apiKey: emulator.apiKey, baseURL: `${emulator.url}/api/v1` });
}

/** The provider for whoever speaks as openai does. */
export function aiCompatibleOf(emulator: Platform) {
  const { createOpenAICompatible } = requireFrom(aiSdk())('@ai-sdk/openai-compatible');
  return createOpenAICompatible({
    name: 'emulator',
    apiKey: emulator.apiKey,
    baseURL: `${emulator.url}/api/v1`,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
}
