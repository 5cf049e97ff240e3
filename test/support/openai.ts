// The clients of models that people use, unchanged, against an emulator.

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import OpenAI, { type ClientOptions } from 'openai';
import type { Platform } from './emulator.js';

/** openai's own client; it repeats nothing unless told to. */
export function openaiOf(emulator: Platform, options: ClientOptions = {}): OpenAI {
  return new OpenAI({ apiKey: emulator.apiKey, baseURL: `${emulator.url}/api/v1`, maxRetries: 0, ...options });
}

/** The AI SDK's provider for openai: `openai(model)` asks /responses, `openai.chat(model)` /chat/completions. */
export function aiOpenaiOf(emulator: Platform) {
  return createOpenAI({ apiKey: emulator.apiKey, baseURL: `${emulator.url}/api/v1` });
}

/** The AI SDK's provider for whoever speaks as openai does. */
export function aiCompatibleOf(emulator: Platform) {
  return createOpenAICompatible({
    name: 'emulator',
    apiKey: emulator.apiKey,
    baseURL: `${emulator.url}/api/v1`,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
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
