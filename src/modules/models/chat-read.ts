// A request for a chat completion, read as a conversation.

import type { ChatBody, ChatMessage } from './chat-schema.js';
import {
  type Conversation,
  checkedChoice,
  type Format,
  inputTokensOf,
  type Message,
  pairTools,
  type ToolStep,
} from './conversation.js';

/**
 * The conversation that a chat completion continues.
 *
 * @throws ApiError VALIDATION_ERROR where calls of tools and their results do not fit together
 */
export function readChat(body: ChatBody): Conversation {
  const { messages, tools, stop } = body;
  const names = pairTools(messages.flatMap(toolSteps));
  const attachments = messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(isAttached);
  const calls = messages.flatMap((message) => (message.tool_calls ?? []).map((call) => call.function));
  const texts = messages.map(textOf);
  const spoken = [...texts, ...calls.map((call) => `${call.name} ${call.arguments}`)];
  const offered = (tools ?? []).flatMap(({ type, function: tool }) =>
    type === 'function' && tool !== undefined ? [{ name: tool.name, parameters: tool.parameters }] : [],
  );
  const choice = body.tool_choice ?? 'auto';
  return {
    model: body.model,
    messages: messages.map((message, index) => messageOf(message, texts[index] ?? '', names)),
    tools: offered,
    toolChoice: checkedChoice(typeof choice === 'string' ? choice : (choice.function ?? 'auto'), offered),
    format: formatOf(body.response_format),
    maxTokens: body.max_completion_tokens ?? body.max_tokens ?? undefined,
    stop: stopsOf(stop),
    count: body.n ?? 1,
    inputTokens: inputTokensOf(spoken, attachments.length, tools ?? []),
  };
}

function messageOf({ role, tool_call_id: id }: ChatMessage, text: string, names: Map<string, string>): Message {
  if (role === 'developer') return { role: 'system', text };
  if (role !== 'tool' && role !== 'function') return { role, text };
  const tool = names.get(id ?? '');
  return { role: 'tool', text, ...(tool !== undefined && { tool }) };
}

function textOf({ content, refusal }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return content?.map((part) => part.text ?? '').join('') ?? refusal ?? '';
}

function isAttached({ type }: { type: string }): boolean {
  return type !== 'text' && type !== 'refusal';
}

function toolSteps(message: ChatMessage, index: number): ToolStep[] {
  const { role, tool_calls: calls, tool_call_id: id } = message;
  const place = `messages[${index}]`;
  if (role === 'tool') return [{ kind: 'result', id: id ?? '', path: `${place}.tool_call_id` }];
  return (calls ?? []).map((call, n) => ({
    kind: 'call',
    id: call.id,
    name: call.function.name,
    path: `${place}.tool_calls[${n}]`,
  }));
}

function stopsOf(stop: ChatBody['stop']): string[] {
  const all = typeof stop === 'string' ? [stop] : (stop ?? []);
  return all.filter((text) => text !== '');
}

function formatOf(format: ChatBody['response_format']): Format {
  if (format?.type === 'json_schema') return { type: 'json_schema', schema: format.json_schema.schema };
  return { type: format?.type ?? 'text' };
}
