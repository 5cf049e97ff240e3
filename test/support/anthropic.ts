// Anthropic's own client, unchanged, against an emulator.

import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk';
import type { Platform } from './emulator.js';

/** Anthropic's own client; it repeats nothing unless told to. */
export function anthropicOf(emulator: Platform, options: ClientOptions = {}): Anthropic {
  return new Anthropic({ apiKey: emulator.apiKey, baseURL: `${emulator.url}/api`, maxRetries: 0, ...options });
}

export const model = 'claude-haiku-4-5';

/** A request with one message of the user. */
export const question = (content: string) => ({
  model,
  max_tokens: 1_000,
  messages: [{ role: 'user' as const, content }],
});

/** A tool of the client's own. */
export const weather = {
  name: 'get_weather',
  description: 'The weather of a city',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
};
