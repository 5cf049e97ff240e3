// The wire shapes of chats of the AI SDK's UI: its messages, and the parts of its stream.

import * as z from 'zod';
import type { EventDeclaration } from '../../http/endpoint.js';
import { anything, unchecked } from '../../http/wire.js';
import { modelName } from './chat-schema.js';

/** A part of a message; the names of the types of tools begin with `tool-`. */
const part = z.lazy(() =>
  z
    .object({
      type: z.string().min(1).max(200),
      text: z.string().optional(),
      toolName: z.string().max(200).optional(),
      toolCallId: z.string().max(1_000).optional(),
      ...unchecked('input', 'output'),
      errorText: z.string().optional(),
      ...unchecked('state', 'url', 'mediaType', 'filename', 'data', 'id', 'sourceId', 'title', 'approval', 'rawInput'),
      ...unchecked('preliminary', 'providerExecuted', 'providerMetadata', 'callProviderMetadata'),
    })
    .refine(({ type, text }) => type !== 'text' || text !== undefined, { path: ['text'], message: 'is required' }),
);

const message = z.lazy(() =>
  z
    .object({
      id: z.string().max(1_000).optional(),
      role: z.enum(['user', 'assistant', 'system', 'tool']),
      parts: z.array(part).optional(),
      content: z.union([z.string(), z.array(z.string())]).optional(),
      metadata: anything,
    })
    .refine(({ parts, content }) => parts !== undefined || content !== undefined, {
      path: ['parts'],
      message: 'is required',
    }),
);

export type UiMessage = z.output<typeof message>;
export type UiPart = z.output<typeof part>;

export const uiChatBody = z.lazy(() =>
  z.object({
    messages: z.array(message),
    id: z.string().max(1_000).optional().meta({ description: 'The chat; or a model of the catalogue' }),
    model: modelName.optional(),
    tier: z.string().max(200).optional(),
    ...unchecked('trigger', 'messageId'),
  }),
);

export type UiChatBody = z.output<typeof uiChatBody>;

function named(type: string, description: string, fields: Record<string, z.ZodType> = {}): EventDeclaration {
  return { description, data: z.lazy(() => z.object({ type: z.literal(type), ...fields })) };
}

const textId = { id: z.string() };
const callId = { toolCallId: z.string() };

/** The parts of the stream of `POST /api/v1/chat`; none has a type of event. */
export const uiChatEvents: EventDeclaration[] = [
  named('start', 'The message has begun', { messageId: z.string() }),
  named('start-step', 'So has the answer of the model'),
  named('text-start', 'A text begins', textId),
  named('text-delta', 'A piece of the text', { ...textId, delta: z.string() }),
  named('text-end', 'The text is whole', textId),
  named('tool-input-start', 'A call of a tool begins', { ...callId, toolName: z.string() }),
  named('tool-input-delta', 'A piece of its arguments', { ...callId, inputTextDelta: z.string() }),
  named('tool-input-available', 'Its arguments are whole', {
    ...callId,
    toolName: z.string(),
    input: z.unknown(),
  }),
  named('tool-input-error', 'Its arguments are no JSON', {
    ...callId,
    toolName: z.string(),
    input: z.unknown(),
    errorText: z.string(),
  }),
  named('finish-step', 'The answer of the model is whole'),
  named('finish', 'So is the message', { finishReason: z.enum(['stop', 'length', 'tool-calls', 'content-filter']) }),
  named('error', 'An error that ended the stream after it began', { errorText: z.string() }),
  { description: '`[DONE]`, which is no JSON: the end' },
];
