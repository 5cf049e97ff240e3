// A message to a hosted agent: the conversation that it continues, and the answer, which is that of a model.

import { ApiError } from '../../core/errors.js';
import type { HandlerContext } from '../../http/endpoint.js';
import type { Answer, LaterAnswer } from '../../http/response.js';
import type { World } from '../../world/world.js';
import { findAgent } from '../agents/store.js';
import { isShared, stateAt } from '../hosted-agents/lifecycle.js';
import type { HostedAgent } from '../hosted-agents/store.js';
import type { Chunking } from '../models/chunking.js';
import { type Conversation, inputTokensOf, type Message } from '../models/conversation.js';
import { type Form, type Frames, generate } from '../models/generate.js';
import { findModel, type Model, unknownModel } from '../models/models.js';
import { longestText } from './schema.js';
import { type AgentConversation, insertConversation, insertMessage, listMessages } from './store.js';

/** The newest messages that the model gets beside the new one. */
const mostRemembered = 50;

/** A message, and where it is said. */
export interface Talk {
  agent: HostedAgent;
  text: string;
  /** The conversation so far; none where nothing is remembered, or a room is new. */
  earlier: AgentConversation | undefined;
}

/** A message that was read with its conversation. */
export interface ReadTalk extends Talk {
  conversation: Conversation;
}

/** Why an agent does not answer; undefined: it does. */
export function silence(agent: HostedAgent, now: number): string | undefined {
  if (isShared(agent)) return undefined;
  const { status } = stateAt(agent, now);
  return status === 'running' ? undefined : `Agent is not running: it is ${status.replace('_', ' ')}`;
}

/** @throws ApiError CONFLICT for an agent that does not run */
export function requireRunning(agent: HostedAgent, now: number): void {
  const why = silence(agent, now);
  if (why !== undefined) throw new ApiError('CONFLICT', { message: why });
}

/** Reads the conversation that a message continues. */
export function readTalk(world: World, talk: Talk): ReadTalk {
  const { agent, text, earlier } = talk;
  const before = earlier === undefined ? [] : listMessages(world.db, earlier.seq, mostRemembered);
  const messages: Message[] = [...before.map((one) => ({ role: one.role, text: one.text })), { role: 'user', text }];
  const inputTokens = inputTokensOf(
    messages.map((message) => message.text),
    0,
    [],
  );
  const conversation: Conversation = {
    model: agent.name,
    messages,
    tools: [],
    toolChoice: 'none',
    isParallel: false,
    format: { type: 'text' },
    maxTokens: undefined,
    stop: [],
    count: 1,
    inputTokens,
  };
  return { ...talk, conversation };
}

/** Begins a conversation, within the caller's transaction. */
export function beginConversation(
  world: World,
  { agent, title, roomId, now }: { agent: HostedAgent; title?: string | undefined; roomId?: string; now: number },
): AgentConversation {
  const seq = world.nextNumber('agent-conversations');
  const conversation: AgentConversation = {
    seq,
    id: world.random.uuid('agent-conversation', seq),
    agent_id: agent.id,
    room_id: roomId ?? world.random.uuid('agent-room', seq),
    title: title ?? 'New conversation',
    created_at: now,
    updated_at: now,
  };
  insertConversation(world.db, conversation);
  return conversation;
}

/** The form of an answer on the wire. */
export interface TalkForm {
  wantsStream: boolean;
  whole(text: string, messageId: string): Record<string, unknown>;
}

/**
 * Answers a message, in the handler's transaction.
 *
 * @param into the conversation that keeps it and the answer; undefined: nobody remembers them
 * @throws ApiError INSUFFICIENT_CREDITS, CONTEXT_LENGTH, and what a reply orders
 */
export function answerTalk(
  call: HandlerContext,
  { agent, text, conversation }: ReadTalk,
  into: AgentConversation | undefined,
  wire: TalkForm,
): Answer | LaterAnswer {
  const { world, now, requestId } = call;
  const messageId = world.random.uuid('agent-answer', requestId);
  if (into !== undefined) addMessage(world, into, { role: 'user', text, at: now });
  const keep = (chunking: Chunking): void => {
    if (into === undefined) return;
    const answer = textOf(chunking).slice(0, longestText);
    addMessage(world, into, { id: messageId, role: 'assistant', text: answer, at: world.clock.now() });
  };
  const form: Form = {
    whole: (chunking) => wire.whole(textOf(chunking), messageId),
    frames: (chunking) => framesOf(world, chunking, messageId),
    keep,
  };
  return generate(call, {
    conversation,
    model: modelOf(world, agent),
    speaker: speakerOf(world, agent),
    wantsStream: wire.wantsStream,
    reason: 'Message to an agent',
    form,
  });
}

function addMessage(
  world: World,
  { seq: conversation_seq }: AgentConversation,
  { id, role, text, at }: { id?: string; role: 'user' | 'assistant'; text: string; at: number },
): void {
  const seq = world.nextNumber('agent-messages');
  const message = { seq, id: id ?? world.random.uuid('agent-message', seq), conversation_seq, role, text };
  insertMessage(world.db, { ...message, created_at: at });
}

function framesOf(world: World, chunking: Chunking, messageId: string): Frames {
  const event = (name: string, data: object) => [{ event: name, data: JSON.stringify(data) }];
  return {
    opening: () => [],
    piece({ part, text }) {
      if (part.kind === 'call') return [];
      return event('chunk', { messageId, chunk: text, text, timestamp: world.clock.now() });
    },
    ending: () => event('done', { messageId, text: textOf(chunking) }),
    failing: ({ message }) => event('error', { message }),
  };
}

// Tools are not offered, so a reply that calls some says nothing by that.
function textOf({ parts }: Chunking): string {
  return parts.flatMap((part) => (part.kind === 'call' ? [] : part.pieces)).join('');
}

/** The model as which an agent's answers cost. */
export function modelOf(world: World, { id, config, name }: HostedAgent): Model {
  const known = typeof config.model === 'string' ? findModel(world, config.model) : undefined;
  return known?.kind === 'chat' ? known : { ...unknownModel(world, id), owner: name };
}

function speakerOf(world: World, { name, character_id, config }: HostedAgent): { name: string; bio: string[] } {
  const character = character_id === null ? undefined : findAgent(world.db, character_id);
  const told = [config.bio].flat().filter((line): line is string => typeof line === 'string');
  return { name, bio: character?.bio ?? told };
}
