// openai's own client against an emulator.

import OpenAI, { type ClientOptions } from 'openai';
import type { Platform } from './emulator.js';

/** openai's own client; it repeats nothing unless told to. */
export function openaiOf(emulator: Platform, options: ClientOptions = {}): OpenAI {
  return new OpenAI({ apiKey: emulator.apiKey, baseURL: `${emulator.url}/api/v1`, maxRetries: 0, ...options });
}

/** A reply that calls a tool, and what follows from its result. */
export const weatherReplies = [
  {
    match: { text: 'What is the weather in Paris?' },
    steps: [
      { text: 'Let me look.', toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }] },
      'It is sunny in Paris.',
    ],
  },
];
