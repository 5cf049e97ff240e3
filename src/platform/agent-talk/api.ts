// Endpoints of a hosted agent's own API: its state, its conversations and their messages.

import { type ApiError, type ErrorCode, found, isAbout } from '../../core/errors.js';
import type { AssumptionId } from '../../http/assumptions.js';
import { type Endpoint, endpoint, type HandlerContext } from '../../http/endpoint.js';
import { type Answer, type LaterAnswer, ok } from '../../http/response.js';
import { iso } from '../../http/wire.js';
import { agentParams, base, ownHostedAgent, read, write } from '../hosted-agents/access.js';
import type { HostedAgent } from '../hosted-agents/store.js';
import { conversationErrors } from '../models/errors.js';
import { bridgeEndpoints, statusOf } from './bridge-api.js';
import * as schema from './schema.js';
import { type AgentConversation, findConversation, listConversations, listMessages } from './store.js';
import { answerTalk, beginConversation, type ReadTalk, readTalk, requireRunning, type TalkForm } from './talk.js';
import { passOn, upstreamOf } from './upstream.js';

const api = `${base}/{agentId}/api`;
const messages = `${api}/conversations/{conversationId}/messages`;

type OfAgent = HandlerContext<{ agentId: string }>;
type OfConversation = HandlerContext<{ agentId: string; conversationId: string }>;
type Said = HandlerContext<{ agentId: string; conversationId: string }, unknown, { text: string }>;

const saying = {
  permission: write,
  params: schema.conversationParams,
  body: schema.messageBody,
  example: { text: 'Hello' },
  flatAs: (error: ApiError) => (isAbout(error, 'text') ? { error: 'text is required' } : {}),
  errors: ['CONFLICT', ...conversationErrors] satisfies ErrorCode[],
  assumptions: ['hostedAgents.talk', 'ai.replies', 'ai.prices'] satisfies AssumptionId[],
  prepare: prepareSaid,
};

export const talkEndpoints: Endpoint[] = [
  ...bridgeEndpoints,
  endpoint({
    id: 'hostedAgents.health',
    method: 'GET',
    harmless: true,
    path: `${api}/health`,
    summary: 'Ask a hosted agent whether it is well',
    permission: read,
    params: agentParams,
    responses: { 200: { description: 'It is', schema: schema.healthAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['hostedAgents.talk'],
    handle: (call) => asked(call, () => ok({ status: 'ok' })),
  }),
  endpoint({
    id: 'hostedAgents.status',
    method: 'GET',
    harmless: true,
    path: `${api}/status`,
    summary: 'Ask a hosted agent for its name, and whether it can answer',
    permission: read,
    params: agentParams,
    responses: { 200: { description: 'It can', schema: schema.statusAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['hostedAgents.talk'],
    handle: (call) => asked(call, (agent) => ok({ ...statusOf(agent) })),
  }),
  endpoint({
    id: 'hostedAgents.conversations',
    method: 'GET',
    harmless: true,
    path: `${api}/conversations`,
    summary: 'List the conversations with a hosted agent, newest first',
    permission: read,
    params: agentParams,
    responses: { 200: { description: 'The conversations', schema: schema.conversationsAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['hostedAgents.talk'],
    handle: (call) =>
      asked(call, ({ id }) => ok({ conversations: listConversations(call.world.db, id).map(presentConversation) })),
  }),
  endpoint({
    id: 'hostedAgents.createConversation',
    method: 'POST',
    path: `${api}/conversations`,
    summary: 'Begin a conversation with a hosted agent',
    permission: write,
    params: agentParams,
    body: schema.newConversation,
    bodyOptional: true,
    example: { title: 'Plans' },
    responses: { 200: { description: 'The conversation', schema: schema.conversationAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['hostedAgents.talk'],
    handle: (call) =>
      asked(call, (agent) => {
        const { world, body, now } = call;
        const conversation = beginConversation(world, { agent, title: body.title, now });
        return ok({ conversation: presentConversation(conversation) });
      }),
  }),
  endpoint({
    id: 'hostedAgents.messages',
    method: 'GET',
    harmless: true,
    path: messages,
    summary: 'List the messages of a conversation with a hosted agent, oldest first',
    permission: read,
    params: schema.conversationParams,
    responses: { 200: { description: 'The messages', schema: schema.messagesAnswer } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    assumptions: ['hostedAgents.talk'],
    handle: (call) =>
      asked(call, () => {
        const all = listMessages(call.world.db, place(call).conversation.seq);
        return ok({ messages: all.map(({ id, role, text }) => ({ id, role, text })) });
      }),
  }),
  endpoint({
    id: 'hostedAgents.sendMessage',
    method: 'POST',
    path: messages,
    summary: 'Say something to a hosted agent in a conversation, and get its answer',
    ...saying,
    responses: { 200: { description: 'The answer', schema: schema.messageAnswer } },
    handle: (call) =>
      said(call, call.prepared, ({ name }) => ({
        wantsStream: false,
        whole: (text) => ({ text, agentName: name }),
      })),
  }),
  endpoint({
    id: 'hostedAgents.streamMessage',
    method: 'POST',
    path: `${messages}/stream`,
    summary: 'Say something to a hosted agent in a conversation, and get its answer as server-sent events',
    ...saying,
    responses: {
      200: {
        description: 'The answer, piece by piece',
        contentTypes: ['text/event-stream'],
        events: schema.talkEvents,
      },
    },
    handle: (call) => said(call, call.prepared, () => ({ wantsStream: true, whole: () => ({}) })),
  }),
];

function prepareSaid(call: Said): ReadTalk {
  const agent = runningAgent(call);
  // A process of the user's own keeps its conversations itself.
  const earlier = upstreamOf(call.world, agent) === undefined ? place(call).conversation : undefined;
  return readTalk(call.world, { agent, text: call.body.text, earlier });
}

// What the process behind an agent answers, or the emulator in its place.
function asked(call: OfAgent, answer: (agent: HostedAgent) => Answer): Answer | LaterAnswer {
  const agent = runningAgent(call);
  return passOn(call, agent) ?? answer(agent);
}

function said(call: Said, talk: ReadTalk, form: (agent: HostedAgent) => TalkForm): Answer | LaterAnswer {
  const agent = runningAgent(call);
  const passed = passOn(call, agent, { spoken: { talk, textIn: ({ text }) => text } });
  return passed ?? answerTalk(call, talk, place(call).conversation, form(agent));
}

/** @throws ApiError NOT_FOUND; CONFLICT for an agent that does not run */
function runningAgent(call: OfAgent): HostedAgent {
  const agent = ownHostedAgent(call);
  requireRunning(agent, call.now);
  return agent;
}

function place(call: OfConversation): { agent: HostedAgent; conversation: AgentConversation } {
  const agent = runningAgent(call);
  const conversation = findConversation(call.world.db, agent.id, call.params.conversationId);
  return { agent, conversation: found(conversation, 'Conversation not found') };
}

function presentConversation({ id, title, room_id, created_at, updated_at }: AgentConversation) {
  return { id, title, roomId: room_id, createdAt: iso(created_at), updatedAt: iso(updated_at) };
}
