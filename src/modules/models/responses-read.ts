// A request for a response, read as a conversation: with what earlier responses were about, where it names them.

import { type ApiError, invalid } from '../../core/errors.js';
import { storedJson } from '../../db/stored-json.js';
import type { World } from '../../world/world.js';
import {
  type Conversation,
  checkedChoice,
  type Format,
  inputTokensOf,
  type Message,
  pairTools,
  type Tool,
  type ToolStep,
} from './conversation.js';
import type { InputItem, ResponseBody } from './responses-schema.js';
import { findResponse, findResponseOfItem } from './store.js';

/** The caller; null before authentication, when only the price is asked for. */
interface Asking {
  world: World;
  organizationId: string | null;
}

interface Placed {
  item: InputItem;
  path: string;
}

const longestChain = 500;

/** The items in a request's own body, in their long form. */
export function ownItems({ input }: Pick<ResponseBody, 'input'>): InputItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
}

/**
 * The conversation that a response continues.
 *
 * @throws ApiError VALIDATION_ERROR for what names nothing that is kept, and for calls and results that do not fit
 */
export function readResponse(asking: Asking, body: ResponseBody): Conversation {
  const earlier = body.previous_response_id == null ? [] : itemsOfChain(asking, body.previous_response_id);
  const own = ownItems(body).map((item, index): Placed => ({ item, path: `input[${index}]` }));
  const items = [...earlier, ...own.map((placed) => resolved(asking, placed))];
  return conversationOf(body, items);
}

function conversationOf(body: ResponseBody, items: readonly Placed[]): Conversation {
  const names = pairTools(items.flatMap(toolSteps));
  const functions = (body.tools ?? []).filter(({ type }) => type === 'function');
  const tools = functions.map(({ name = '', parameters }): Tool => ({ name, parameters }));
  const instructions: Message[] = body.instructions == null ? [] : [{ role: 'system', text: body.instructions }];
  const messages = [...instructions, ...joinedCalls(items).map((item) => messageOf(item, names))];
  const attachments = items
    .flatMap(({ item: { content } }) => (Array.isArray(content) ? content : []))
    .filter(isAttached);
  return {
    model: body.model,
    messages,
    tools,
    toolChoice: checkedChoice(choiceOf(body.tool_choice), tools),
    format: formatOf(body.text?.format),
    maxTokens: body.max_output_tokens ?? undefined,
    stop: [],
    count: 1,
    inputTokens: inputTokensOf(
      [...messages.map(({ text }) => text), ...items.map(argumentsOf).filter((text) => text !== '')],
      attachments.length,
      body.tools ?? [],
    ),
  };
}

// A choice among the provider's own tools is none among functions.
function choiceOf(choice: ResponseBody['tool_choice']): Conversation['toolChoice'] {
  if (typeof choice === 'string') return choice;
  return choice?.type === 'function' && choice.name !== undefined ? { name: choice.name } : 'auto';
}

function formatOf(format: NonNullable<ResponseBody['text']>['format']): Format {
  if (format?.type === 'json_schema') return { type: 'json_schema', schema: format.schema };
  return { type: format?.type ?? 'text' };
}

function itemsOfChain(asking: Asking, first: string): Placed[] {
  const { world, organizationId } = asking;
  const items: Placed[][] = [];
  let id: string | null = first;
  while (id !== null && items.length < longestChain) {
    const row = findResponse(world.db, organizationId, id);
    if (row === undefined) throw unknownId('previous_response_id', 'a response', first);
    const all = [
      ...storedJson<InputItem[]>(row.input, 'ai_responses.input'),
      ...storedJson<InputItem[]>(row.output, 'ai_responses.output'),
    ];
    items.unshift(all.map((item) => resolved(asking, { item, path: 'previous_response_id' })));
    id = row.previous_id;
  }
  return items.flat();
}

function resolved({ world, organizationId }: Asking, placed: Placed): Placed {
  const { item, path } = placed;
  if (item.type !== 'item_reference') return placed;
  const wanted = item.id ?? '';
  const row = findResponseOfItem(world.db, organizationId, wanted);
  const found = row && storedJson<InputItem[]>(row.output, 'ai_responses.output').find(({ id }) => id === wanted);
  if (found === undefined) throw unknownId(`${path}.id`, 'an item', wanted);
  return { item: found, path };
}

function unknownId(path: string, what: string, id: string): ApiError {
  return invalid({
    path,
    message: `must name ${what} that is kept: the last 500 are, except with store: false`,
    received: JSON.stringify(id.slice(0, 60)),
  });
}

// The tool calls and the text of one answer are one step of the conversation.
function joinedCalls(items: readonly Placed[]): InputItem[] {
  const joined: InputItem[] = [];
  for (const { item } of items) {
    const before = joined.at(-1);
    const isMore = item.type === 'function_call' && before !== undefined && isAnswer(before);
    if (!isMore && isSpoken(item)) joined.push(item);
  }
  return joined;
}

function isAnswer({ type, role }: InputItem): boolean {
  return type === 'function_call' || role === 'assistant';
}

function isSpoken({ type = 'message' }: InputItem): boolean {
  return type === 'message' || type === 'function_call' || type === 'function_call_output';
}

function messageOf(item: InputItem, names: Map<string, string>): Message {
  const { type, role, call_id: callId = '', output } = item;
  if (type === 'function_call') return { role: 'assistant', text: '' };
  if (type === 'function_call_output') {
    const tool = names.get(callId);
    return { role: 'tool', text: outputText(output), ...(tool !== undefined && { tool }) };
  }
  return { role: role === 'developer' ? 'system' : (role ?? 'user'), text: textOf(item.content) };
}

function textOf(content: InputItem['content']): string {
  if (typeof content === 'string') return content;
  return content?.map((part) => part.text ?? part.refusal ?? '').join('') ?? '';
}

function outputText(output: unknown): string {
  if (typeof output === 'string') return output;
  return Array.isArray(output) ? output.map((part: { text?: unknown }) => String(part?.text ?? '')).join('') : '';
}

function argumentsOf({ item: { name = '', arguments: given } }: Placed): string {
  return typeof given === 'string' ? `${name} ${given}` : '';
}

function isAttached({ type }: { type: string }): boolean {
  return !['input_text', 'output_text', 'text', 'refusal'].includes(type);
}

function toolSteps({ item, path }: Placed): ToolStep[] {
  const { type, call_id: id = '', name = '' } = item;
  if (type === 'function_call') return [{ kind: 'call', id, name, path: `${path}.call_id` }];
  return type === 'function_call_output' ? [{ kind: 'result', id, path: `${path}.call_id` }] : [];
}
