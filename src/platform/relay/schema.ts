// Schemas of the gateway relay: sessions of local agents, requests for them, and their answers.

import * as z from 'zod';
import { characters, isoTime, jsonObject, success } from '../../http/wire.js';
import { longestPollMs } from './store.js';

/** The most characters of a request to an agent, and of its answer, as JSON. */
const mostAsked = 100_000;
const mostAnswered = 1_000_000;

const rpcId = z.union([characters(1, 200), z.int()]);

/** A JSON-RPC request, as whoever asks writes it. */
export const rpcAsked = z.lazy(() =>
  z.object({
    jsonrpc: z.literal('2.0').optional().describe('The version of JSON-RPC'),
    id: rpcId.optional().describe('The id that the answer repeats; by default that of the request'),
    method: characters(1, 200).describe('What the agent is to do: message.send, heartbeat, status.get, or its own'),
    params: jsonObject(mostAsked).optional(),
  }),
);

export type RpcAsked = z.output<typeof rpcAsked>;

/** A JSON-RPC request, as the agent gets it. */
const rpcSent = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.int()]),
  method: z.string(),
  params: z.record(z.string(), z.unknown()),
});

/** The answer of an agent. */
export const rpcAnswer = z.lazy(() => z.record(z.string(), z.unknown()).describe('A JSON-RPC answer'));

export const registerBody = z.lazy(() =>
  z.object({
    runtimeAgentId: characters(1, 200).describe('The id that the agent has where it runs'),
    agentName: characters(1, 200).optional(),
  }),
);

const session = z.object({
  id: z.string(),
  organizationId: z.string(),
  userId: z.string(),
  runtimeAgentId: z.string(),
  agentName: z.string().nullable(),
  platform: z.literal('local-runtime'),
  createdAt: isoTime,
  lastSeenAt: isoTime,
});

export const registerAnswer = z.lazy(() => z.object({ success, data: z.object({ session }) }));

// The path accepts any text: an id of the wrong form is simply not found.
export const sessionParams = z.lazy(() => z.object({ sessionId: z.string() }));

export const nextQuery = z.lazy(() =>
  z.object({
    timeoutMs: z
      .int()
      .min(0)
      .max(longestPollMs)
      .default(longestPollMs)
      .describe('How long to wait for a request, in milliseconds: the answer comes as soon as there is one'),
  }),
);

export const nextAnswer = z.lazy(() =>
  z.object({
    success,
    data: z.object({
      request: z.object({ requestId: z.string(), rpc: rpcSent, queuedAt: isoTime }).nullable(),
    }),
  }),
);

export const respondBody = z.lazy(() =>
  z.object({
    requestId: characters(1, 200).describe('The requestId of the request that is answered'),
    response: jsonObject(mostAnswered)
      .refine((answer) => 'result' in answer || 'error' in answer, { message: 'must have a `result` or an `error`' })
      .describe('The JSON-RPC answer of the agent'),
  }),
);

export const confirmed = z.lazy(() => z.object({ success }));
