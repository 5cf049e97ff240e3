// The endpoint of chats of the AI SDK's UI (`useChat`).

import { ApiError } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import { type Endpoint, endpoint } from '../../http/endpoint.js';
import type { SseEvent } from '../../http/response.js';
import type { World } from '../../world/world.js';
import { upperEstimate } from './charges.js';
import type { CallPart, Chunking, Piece } from './chunking.js';
import { type Conversation, inputTokensOf, type Message } from './conversation.js';
import { conversationErrors } from './errors.js';
import { type Form, type Frames, generate } from './generate.js';
import { findModel } from './models.js';
import { answeringOf, pricedModel } from './speaker.js';
import { type UiChatBody, type UiMessage, type UiPart, uiChatBody, uiChatEvents } from './ui-chat-schema.js';

/** The model of a chat that names none. */
const usualModel = 'gpt-4o-mini';

export const uiChatEndpoints: Endpoint[] = [
  endpoint({
    id: 'chat.ui',
    method: 'POST',
    path: '/api/v1/chat',
    summary: 'Get the reply to a chat of the AI SDK’s UI (useChat) as its stream of message parts',
    permission: { name: 'chat', level: 'write' },
    limit: 'chat',
    priceSettings: ['inputTokens', 'outputTokens', 'tokenMarkup'],
    price: async (call) => {
      const model = pricedModel(call, modelOf(call.world, call.body));
      return upperEstimate(call.world, model, readUiChat(call.world, call.body)).amount;
    },
    body: uiChatBody,
    example: { messages: [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'ping' }] }] },
    responses: {
      200: { description: 'The reply', contentTypes: ['text/event-stream'], events: uiChatEvents },
    },
    errors: conversationErrors,
    assumptions: ['ai.ui', 'ai.replies', 'ai.prices', 'ai.models'],
    answerHeaders: (status): Record<string, string> =>
      status === 200 ? { 'x-vercel-ai-ui-message-stream': 'v1' } : {},
    prepare: ({ world, body }) => readUiChat(world, body),
    handle(call) {
      const { world, body, requestId, prepared: conversation } = call;
      return generate(call, {
        conversation,
        ...answeringOf(call, modelOf(world, body)),
        wantsStream: true,
        reason: 'Chat',
        form: uiChatForm(`msg_${world.random.hex('ui', requestId).slice(0, 24)}`),
      });
    },
  }),
];

// The AI SDK sends the id of the chat, which is random: it is a model only if there is one of that name.
function modelOf(world: World, { model, tier, id }: UiChatBody): string {
  const known = [tier, id].find((name) => name !== undefined && findModel(world, name) !== undefined);
  return model ?? known ?? usualModel;
}

function readUiChat(world: World, body: UiChatBody): Conversation {
  const { messages: sent } = body;
  if (sent.length === 0) {
    const message = 'Messages array cannot be empty';
    const details = [{ path: 'messages', message: 'must not be empty', received: describe(sent) }];
    throw new ApiError('VALIDATION_ERROR', { message, details });
  }
  const messages = sent.flatMap(messagesOf);

  const parts = sent.flatMap((message) => message.parts ?? []);
  const calls = parts.filter((part) => toolOf(part) !== undefined);
  const texts = [...messages.map(({ text }) => text), ...calls.map((part) => `${toolOf(part)} ${json(part.input)}`)];
  const files = parts.filter(({ type }) => type === 'file').length;
  return {
    model: modelOf(world, body),
    messages,
    tools: [],
    toolChoice: 'auto',
    isParallel: true,
    format: { type: 'text' },
    maxTokens: undefined,
    stop: [],
    count: 1,
    inputTokens: inputTokensOf(texts, files, []),
  };
}

// The results of the tools that an answer calls are parts of that answer.
function messagesOf({ role, parts, content }: UiMessage): Message[] {
  const said = typeof content === 'string' ? content : (content ?? []).join('');
  const text = parts?.map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('') ?? said;
  const results = (parts ?? []).flatMap((part): Message[] => {
    const tool = toolOf(part);
    const { output, errorText } = part;
    const isAnswered = tool !== undefined && (output !== undefined || errorText !== undefined);
    return isAnswered ? [{ role: 'tool', text: errorText ?? json(output), tool }] : [];
  });
  return [{ role, text }, ...results];
}

function toolOf({ type, toolName }: UiPart): string | undefined {
  if (type === 'dynamic-tool') return toolName;
  return type.startsWith('tool-') ? type.slice(5) : undefined;
}

function json(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

// Answers as the message stream of the AI SDK's UI.

/**
 * Answers as the parts of a UI message.
 *
 * @param messageId the id of the message
 */
function uiChatForm(messageId: string): Form {
  return {
    whole: () => {
      throw new Error('a UI message is always streamed');
    },
    frames: (chunking) => frames(chunking, messageId),
    // The next request sends the whole conversation again.
  };
}

function part(type: string, fields: Record<string, unknown> = {}): SseEvent {
  return { data: JSON.stringify({ type, ...fields }) };
}

function frames({ finish }: Chunking, messageId: string): Frames {
  const done: SseEvent = { data: '[DONE]' };
  return {
    opening: () => [part('start', { messageId }), part('start-step')],
    piece: (piece) => (piece.part.kind === 'call' ? ofCall(piece, piece.part) : ofText(piece)),
    ending: () => [part('finish-step'), part('finish', { finishReason: finish.replace('_', '-') }), done],
    failing: ({ message }) => [part('error', { errorText: message }), done],
  };
}

function ofText({ partIndex, text, isFirst, isLast }: Piece): SseEvent[] {
  const id = { id: `text-${partIndex}` };
  return [
    ...(isFirst ? [part('text-start', id)] : []),
    part('text-delta', { ...id, delta: text }),
    ...(isLast ? [part('text-end', id)] : []),
  ];
}

function ofCall({ text, isFirst, isLast }: Piece, { id, name, pieces }: CallPart): SseEvent[] {
  const call = { toolCallId: id };
  return [
    ...(isFirst ? [part('tool-input-start', { ...call, toolName: name })] : []),
    part('tool-input-delta', { ...call, inputTextDelta: text }),
    ...(isLast ? [inputOf({ ...call, toolName: name }, pieces.join(''))] : []),
  ];
}

function inputOf(call: object, text: string): SseEvent {
  try {
    return part('tool-input-available', { ...call, input: JSON.parse(text) });
  } catch {
    return part('tool-input-error', { ...call, input: text, errorText: 'The arguments are no JSON' });
  }
}
