// A request for a message, read as a conversation.

import { ApiError, invalid } from '../../core/errors.js';
import { describe } from '../../core/problems.js';
import {
  type Conversation,
  checkedChoice,
  type Format,
  inputTokensOf,
  type Message,
  type Tool,
} from './conversation.js';
import { type Block, type InnerBlock, isObject } from './messages-blocks.js';
import { type CountBody, isCustom, type MessageBody, type MessagesBody } from './messages-schema.js';

/** The tools of Anthropic that its servers run; clients run the others themselves. */
const ranByServers = /^(web_search|web_fetch|code_execution|tool_search|mcp_toolset)/;

/**
 * The name by which a model is known here.
 *
 * @example fullName('claude-sonnet-4-5') // 'anthropic/claude-sonnet-4-5'
 */
export function fullName(model: string): string {
  return model.startsWith('claude-') ? `anthropic/${model}` : model;
}

/**
 * The conversation that a message continues.
 *
 * @throws ApiError VALIDATION_ERROR where calls of tools and their results do not fit together
 */
export function readMessages(body: MessagesBody): Conversation {
  const { tool_choice: choice } = body;
  const tools = toolsOf(body);
  return {
    ...readAsked(body),
    tools,
    toolChoice: choiceOf(body, tools),
    isParallel: choice?.disable_parallel_tool_use !== true,
    format: formatOf(body),
    maxTokens: body.max_tokens,
    stop: body.stop_sequences ?? [],
    count: 1,
  };
}

/**
 * The part of a conversation that every request has, with its tokens.
 *
 * @throws ApiError VALIDATION_ERROR where calls of tools and their results do not fit together
 */
export function readAsked(body: CountBody): Pick<Conversation, 'model' | 'messages' | 'inputTokens'> {
  const { messages: sent, thread } = body;
  if (thread !== undefined && thread !== null) throw unthreaded();
  const names = pairedTools(sent);

  const system = systemOf(body);
  const messages = [...system, ...sent.flatMap((message) => messagesOf(message, names))];
  const blocks = sent.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  const calls = blocks.flatMap(({ type, name = '', input }) =>
    type === 'tool_use' ? [`${name} ${JSON.stringify(input)}`] : [],
  );
  const shown = [...blocks, ...blocks.flatMap(({ content }) => (Array.isArray(content) ? content : []))];

  const documents = shown.map(documentText).filter((text) => text !== '');
  const texts = [...messages.map(({ text }) => text), ...calls, ...documents];
  const inputTokens = inputTokensOf(texts, shown.filter(isAttached).length, body.tools ?? []);
  // The end of a conversation with the assistant's words is the beginning of the answer, and none of its own.
  const isBegun = messages.at(-1)?.role === 'assistant';
  return { model: fullName(body.model), messages: isBegun ? messages.slice(0, -1) : messages, inputTokens };
}

// By these details Anthropic's SDK knows that it must send the whole conversation each time.
function unthreaded(): ApiError {
  return new ApiError('VALIDATION_ERROR', {
    message: 'thread is not supported: send the whole conversation in messages',
    details: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  });
}

function systemOf({ system }: CountBody): Message[] {
  const text = typeof system === 'string' ? system : (system ?? []).map((one) => one.text).join('\n\n');
  return text === '' ? [] : [{ role: 'system', text }];
}

// The results of tools are messages of their own, before what the user says beside them.
function messagesOf({ role, content }: MessageBody, names: Map<string, string>): Message[] {
  if (typeof content === 'string') return [{ role, text: content }];
  const results = content.flatMap((block): Message[] => {
    if (block.type !== 'tool_result') return [];
    const tool = names.get(block.tool_use_id ?? '');
    return [{ role: 'tool', text: resultText(block), ...(tool !== undefined && { tool }) }];
  });
  const others = content.filter(({ type }) => type !== 'tool_result');
  if (others.length === 0 && results.length > 0) return results;
  return [...results, { role, text: others.map(textOf).join('') }];
}

function resultText({ content }: Block): string {
  return typeof content === 'string' ? content : Array.isArray(content) ? content.map(textOf).join('') : '';
}

function textOf({ type, text = '' }: Pick<InnerBlock, 'type' | 'text'>): string {
  return type === 'text' ? text : '';
}

// The text of a document is read by the model, but is not what the user says.
function documentText({ type, source, content, title }: Block | InnerBlock): string {
  if (type === 'search_result') return `${title ?? ''} ${textsIn(content)}`;
  if (type !== 'document' || source === undefined) return '';
  if (source.type === 'text') return source.data ?? '';
  return source.type === 'content' ? textsIn(source.content) : '';
}

function textsIn(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

function isAttached({ type, source }: Block | InnerBlock): boolean {
  if (type === 'image' || type === 'container_upload') return true;
  return type === 'document' && source?.type !== 'text' && source?.type !== 'content';
}

/**
 * The names of the tools, by the ids of their calls. Results stand in the user's turn right after the calls, all of them.
 *
 * @throws ApiError VALIDATION_ERROR
 */
function pairedTools(messages: readonly MessageBody[]): Map<string, string> {
  const names = new Map<string, string>();
  /** The calls of the assistant's last turn, and those of them that have no result yet, with their places. */
  let called = new Set<string>();
  const open = new Map<string, string>();
  let last: MessageBody['role'] = 'user';
  /** The user's turn has had something else than results. */
  let isPastResults = false;
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'system') continue;
    if (role === 'assistant' && last === 'user') {
      checkAnswered(open);
      called = new Set();
    }
    if (role !== last) isPastResults = false;
    if (role === 'user' && typeof content === 'string') isPastResults = true;
    last = role;
    for (const [n, block] of (typeof content === 'string' ? [] : content).entries()) {
      const path = `messages[${index}].content[${n}]`;
      const { type, id = '', name = '', tool_use_id: of = '' } = block;
      if (role === 'user' && type !== 'tool_result') isPastResults = true;
      if (type === 'tool_use') {
        if (names.has(id)) throw misplaced(`${path}.id`, 'must not be that of another tool_use', id);
        names.set(id, name);
        called.add(id);
        open.set(id, path);
      } else if (type === 'tool_result') {
        if (!called.has(of)) throw misplaced(`${path}.tool_use_id`, 'must be the id of a tool_use right before it', of);
        if (isPastResults) throw misplaced(path, 'must stand before the other blocks of its message', of);
        open.delete(of);
      }
    }
  }
  checkAnswered(open);
  return names;
}

function checkAnswered(open: ReadonlyMap<string, string>): void {
  const [unanswered] = open;
  if (unanswered === undefined) return;
  const [id, path] = unanswered;
  throw misplaced(path, 'must be followed by its tool_result in the next message', id);
}

function misplaced(path: string, message: string, id: string): Error {
  return invalid({ path, message, received: describe(id) });
}

function toolsOf({ tools }: MessagesBody): Tool[] {
  return (tools ?? []).flatMap(({ type, name, input_schema: schema }, index): Tool[] => {
    if (name === undefined || ranByServers.test(type ?? '')) return [];
    const field = `tools[${index}].input_schema`;
    return [{ name, parameters: { schema: isCustom({ type }) ? schema : undefined, field, isStrict: false } }];
  });
}

function choiceOf({ tools, tool_choice: choice }: MessagesBody, offered: readonly Tool[]): Conversation['toolChoice'] {
  const { type, name = '' } = choice ?? { type: 'auto' };
  if (type === 'any') return checkedChoice('required', offered);
  if (type !== 'tool') return type;
  // A choice among the tools that servers run is none among the client's.
  const isOther = (tools ?? []).some((tool) => tool.name === name) && !offered.some((tool) => tool.name === name);
  return isOther ? 'auto' : checkedChoice({ name }, offered);
}

function formatOf({ output_config: config, output_format: old }: MessagesBody): Format {
  const format = config?.format ?? old;
  if (format == null) return { type: 'text' };
  const field = config?.format == null ? 'output_format.schema' : 'output_config.format.schema';
  return { type: 'json_schema', schema: { schema: format.schema, field, isStrict: false } };
}

/** The tools that the emulator’s models call only where a reply says so. */
export function foreignTools({ tools }: MessagesBody): string[] {
  return (tools ?? []).filter((tool) => !isCustom(tool)).map(({ type }) => String(type));
}
