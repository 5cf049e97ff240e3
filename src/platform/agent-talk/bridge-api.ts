// Endpoints that speak JSON-RPC with a hosted agent: the bridge, and the stream of a message.

import { problemLine } from '../../core/errors.js';
import { problemsOf } from '../../core/problems.js';
import { isTree } from '../../core/tree.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { type Answer, type LaterAnswer, ok } from '../../http/response.js';
import { agentParams, base, ownHostedAgent, write } from '../hosted-agents/access.js';
import type { HostedAgent } from '../hosted-agents/store.js';
import { conversationErrors } from '../models/errors.js';
import * as schema from './schema.js';
import { type AgentConversation, findRoom } from './store.js';
import {
  answerTalk,
  beginConversation,
  type ReadTalk,
  readTalk,
  requireRunning,
  silence,
  type TalkForm,
} from './talk.js';
import { passOn, upstreamOf } from './upstream.js';

type Bridged = HandlerContext<{ agentId: string }, unknown, typeof schema.bridgeBody._output>;

export const bridgeEndpoints: Endpoint[] = [
  endpoint({
    id: 'hostedAgents.bridge',
    method: 'POST',
    path: `${base}/{agentId}/bridge`,
    summary: 'Send a JSON-RPC request to a hosted agent: message.send, heartbeat or status.get',
    permission: write,
    params: agentParams,
    body: schema.bridgeBody,
    example: { jsonrpc: '2.0', id: 1, method: 'message.send', params: { text: 'Hello' } },
    responses: { 200: { description: 'The JSON-RPC answer, which may be an error', schema: schema.bridgeAnswer } },
    errors: conversationErrors,
    assumptions: ['hostedAgents.talk', 'ai.replies', 'ai.prices'],
    prepare(call) {
      const { world, body, now } = call;
      const agent = ownHostedAgent(call);
      const message = messageIn(body);
      if (message === undefined || 'wrong' in message || silence(agent, now) !== undefined) return undefined;
      return readTalk(world, { agent, text: message.text, earlier: roomOf(call, agent, message.roomId) });
    },
    handle(call) {
      const { body, now, prepared } = call;
      const agent = ownHostedAgent(call);
      const why = silence(agent, now);
      if (why !== undefined) return failed(body.id, -32_000, why);
      const message = messageIn(body);
      if (message === undefined) return passOn(call, agent) ?? answerOther(call, agent);
      if ('wrong' in message) return failed(body.id, -32_602, message.wrong);
      const { roomId } = message;
      return say(call, prepared as ReadTalk, roomId, {
        wantsStream: false,
        whole: (text, messageId) => ({
          jsonrpc: '2.0',
          id: body.id ?? null,
          result: { text, agentName: agent.name, messageId, ...(roomId !== undefined && { roomId }) },
        }),
      });
    },
  }),
  endpoint({
    id: 'hostedAgents.stream',
    method: 'POST',
    path: `${base}/{agentId}/stream`,
    summary: 'Send a message to a hosted agent, and get its answer as server-sent events',
    permission: write,
    params: agentParams,
    body: schema.streamBody,
    example: { jsonrpc: '2.0', id: 1, method: 'message.send', params: { text: 'Hello' } },
    responses: {
      200: {
        description: 'The answer, piece by piece',
        contentTypes: ['text/event-stream'],
        events: schema.talkEvents,
      },
    },
    errors: ['CONFLICT', ...conversationErrors],
    assumptions: ['hostedAgents.talk', 'ai.replies', 'ai.prices'],
    prepare(call) {
      const { world, body, now } = call;
      const agent = ownHostedAgent(call);
      requireRunning(agent, now);
      return readTalk(world, { agent, text: body.params.text, earlier: roomOf(call, agent, body.params.roomId) });
    },
    handle: (call) => say(call, call.prepared, call.body.params.roomId, { wantsStream: true, whole: () => ({}) }),
  }),
];

function answerOther({ body, now }: Bridged, agent: HostedAgent): Answer {
  if (body.method === 'heartbeat') return answered(body.id, { status: 'ok', timestamp: now });
  if (body.method === 'status.get') return answered(body.id, statusOf(agent));
  return failed(body.id, -32_601, 'Method not found: message.send, heartbeat and status.get are known');
}

/** The state of an agent that runs. */
export function statusOf({ name }: HostedAgent) {
  return { state: 'running', agentName: name, canRespond: true } as const;
}

function say(call: HandlerContext, talk: ReadTalk, roomId: string | undefined, form: TalkForm): Answer | LaterAnswer {
  const { world, now } = call;
  const { agent } = talk;
  const passed = passOn(call, agent, {
    spoken: { talk, textIn: ({ result }) => (isTree(result) ? result.text : undefined) },
  });
  if (passed !== undefined) return passed;
  const room: AgentConversation | undefined =
    roomId === undefined
      ? undefined
      : (roomOf(call, agent, roomId) ?? beginConversation(world, { agent, title: roomId, roomId, now }));
  return answerTalk(call, talk, room, form);
}

// A process of the user's own remembers its rooms itself.
function roomOf({ world }: Pick<HandlerContext, 'world'>, agent: HostedAgent, roomId: string | undefined) {
  return roomId === undefined || upstreamOf(world, agent) !== undefined
    ? undefined
    : findRoom(world.db, agent.id, roomId);
}

// What a message.send says, or what is wrong with it; undefined for other methods.
function messageIn({
  method,
  params = {},
}: Bridged['body']): { text: string; roomId?: string | undefined } | { wrong: string } | undefined {
  if (method !== 'message.send') return undefined;
  const read = schema.messageParams.safeParse(params);
  if (read.success) return read.data;
  const [problem] = problemsOf(read.error.issues, params, schema.messageParams);
  return { wrong: problem === undefined ? 'Invalid params' : `Invalid params: params.${problemLine(problem)}` };
}

function answered(id: string | number | null = null, result: Record<string, unknown>): Answer {
  return ok({ jsonrpc: '2.0', id, result });
}

function failed(id: string | number | null = null, code: number, message: string): Answer {
  return ok({ jsonrpc: '2.0', id, error: { code, message } });
}
