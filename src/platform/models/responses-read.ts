// A request for a response, read as a conversation: with what earlier responses were about, where it names them.

import type { HandlerContext } from '../../http/endpoint.js';
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

import { type Placed, readEarlier } from './responses-earlier.js';
import type { InputItem, ResponseBody } from './responses-schema.js';

/** The items in a request's own body, in their long form. */
export function ownItems({ input }: Pick<ResponseBody, 'input'>): InputItem[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input;
}

/**
 * The conversation that a response continues.
 *
 * @throws ApiError VALIDATION_ERROR for what names nothing that is kept, for more than a request may take from earlier
 *   responses, and for calls and results that do not fit
 */
export function readResponse({
  world,
  identified,
  body,
}: Pick<HandlerContext<unknown, unknown, ResponseBody>, 'world' | 'identified' | 'body'>): Conversation {
  // A payer is known only after the price is: what others keep is not for the payer.
  const earlier = readEarlier({ world, organizationId: identified?.organizationId ?? null });
  const before = body.previous_response_id == null ? [] : earlier.chain(body.previous_response_id);
  const own = ownItems(body).map((item, index): Placed => ({ item, path: `input[${index}]` }));
  return conversationOf(body, [...before, ...earlier.resolved(own)]);
}

function conversationOf(body: ResponseBody, items: readonly Placed[]): Conversation {
  const names = pairTools(items.flatMap(toolSteps));
  const tools = (body.tools ?? []).flatMap(({ type, name = '', parameters, strict }, index): Tool[] => {
    const field = `tools[${index}].parameters`;
    return type === 'function' ? [{ name, parameters: { schema: parameters, field, isStrict: strict === true } }] : [];
  });
  const toolChoice = checkedChoice(choiceOf(body.tool_choice), tools);

  const instructions: Message[] = body.instructions == null ? [] : [{ role: 'system', text: body.instructions }];
  const messages = [...instructions, ...joinedCalls(items).map((item) => messageOf(item, names))];
  const attachments = items
    .flatMap(({ item: { content } }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => !['input_text', 'output_text', 'text', 'refusal'].includes(type));

  return {
    model: body.model,
    messages,
    tools,
    toolChoice,
    isParallel: body.parallel_tool_calls !== false,
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
  if (format?.type === 'json_schema') {
    const { schema, strict } = format;
    return { type: 'json_schema', schema: { schema, field: 'text.format.schema', isStrict: strict === true } };
  }
  return { type: format?.type ?? 'text' };
}

// The tool calls and the text of one answer are one step of the conversation.
function joinedCalls(items: readonly Placed[]): InputItem[] {
  const joined: InputItem[] = [];
  for (const { item } of items) {
    const before = joined.at(-1);
    const isAnswer = before?.type === 'function_call' || before?.role === 'assistant';
    if (item.type === 'function_call' && isAnswer) continue;
    if (['message', 'function_call', 'function_call_output'].includes(item.type ?? 'message')) joined.push(item);
  }
  return joined;
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

function toolSteps({ item, path }: Placed): ToolStep[] {
  const { type, call_id: id = '', name = '' } = item;
  if (type === 'function_call') return [{ kind: 'call', id, name, path: `${path}.call_id` }];
  return type === 'function_call_output' ? [{ kind: 'result', id, path: `${path}.call_id` }] : [];
}
