// Schemas of talking to a hosted agent: JSON-RPC, events of streams, conversations and messages.

import * as z from 'zod';
import type { EventDeclaration } from '../../http/endpoint.js';
import { characters, isoTime, jsonObject } from '../../http/wire.js';

/** The longest message to an agent. */
export const longestText = 32_000;

const rpcId = z.union([z.string().max(200), z.int()]).nullable();
const paramsOf = jsonObject(100_000);

export const messageParams = z.lazy(() =>
  z
    .object({
      text: characters(1, longestText),
      roomId: characters(1, 200).optional().describe('The conversation that the message belongs to'),
      mode: z.string().max(100).optional(),
    })
    .loose(),
);

export const bridgeBody = z.lazy(() =>
  z.object({
    jsonrpc: z.literal('2.0'),
    id: rpcId.optional(),
    method: characters(1, 200).describe('message.send, heartbeat or status.get'),
    params: paramsOf.optional(),
  }),
);

export const bridgeAnswer = z.lazy(() =>
  z.object({
    jsonrpc: z.literal('2.0'),
    id: rpcId,
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.object({ code: z.int(), message: z.string() }).optional(),
  }),
);

export const streamBody = z.lazy(() =>
  z.object({
    jsonrpc: z.literal('2.0'),
    id: rpcId.optional(),
    method: z.literal('message.send'),
    params: messageParams,
  }),
);

/** The events of a streamed message. */
export const talkEvents: EventDeclaration[] = [
  {
    event: 'chunk',
    description: 'A piece of the message; chunk and text are the same',
    data: z.lazy(() => z.object({ messageId: z.string(), chunk: z.string(), text: z.string(), timestamp: z.int() })),
  },
  {
    event: 'done',
    description: 'The whole message: the end',
    data: z.lazy(() => z.object({ messageId: z.string(), text: z.string() })),
  },
  {
    event: 'error',
    description: 'An error that ended the stream after it began',
    data: z.lazy(() => z.object({ message: z.string() })),
  },
];

export const conversationParams = z.lazy(() =>
  z.object({ agentId: z.string().meta({ format: 'uuid' }), conversationId: z.string().meta({ format: 'uuid' }) }),
);

export const newConversation = z.lazy(() => z.object({ title: characters(1, 200).optional() }));

const conversation = z.object({
  id: z.string(),
  title: z.string(),
  roomId: z.string(),
  createdAt: isoTime,
  updatedAt: isoTime,
});

export const conversationAnswer = z.lazy(() => z.object({ conversation }));
export const conversationsAnswer = z.lazy(() => z.object({ conversations: z.array(conversation) }));

export const messagesAnswer = z.lazy(() =>
  z.object({
    messages: z.array(z.object({ id: z.string(), role: z.enum(['user', 'assistant']), text: z.string() })),
  }),
);

export const messageBody = z.lazy(() => z.object({ text: characters(1, longestText) }));
export const messageAnswer = z.lazy(() => z.object({ text: z.string(), agentName: z.string() }));

export const healthAnswer = z.lazy(() => z.object({ status: z.literal('ok') }));

export const statusAnswer = z.lazy(() =>
  z.object({ state: z.literal('running'), agentName: z.string(), canRespond: z.literal(true) }),
);
