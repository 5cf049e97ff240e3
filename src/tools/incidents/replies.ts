// What models said in a recording: the next replies of a world, in order, and the streams that broke off.

import { isTree, type Tree } from '../../core/tree.js';
import { counted } from '../../core/words.js';
import type { ReplyRequest } from '../../platform/models/control.js';
import { removed } from './callers.js';
import { answerOf, type Exchange, isStream, succeeded, treeIn } from './exchange.js';
import { type Fact, factOf } from './facts.js';
import { textOf } from './fields.js';

const ofModels = /^(chat\.completions|chat\.ui|messages\.create|responses\.create)$/;
const longest = 100_000;
const mostReplies = 1_000;

/** The replies that the recorded requests take, in their order. */
export function repliesOf(exchanges: readonly Exchange[], tookEffect: (exchange: Exchange) => boolean): ReplyRequest[] {
  const taken = exchanges.filter((one) => ofModels.test(one.operation ?? '') && (succeeded(one) || tookEffect(one)));
  const replies = taken.map((one) => (succeeded(one) ? replyIn(one) : undefined));
  const last = replies.findLastIndex((reply) => reply !== undefined);
  // What nobody saw takes a reply as well.
  return replies.slice(0, Math.min(last + 1, mostReplies)).map((reply) => reply ?? { text: removed });
}

/** What a recording says of models. */
export function saidIn(exchanges: readonly Exchange[]): Fact[] {
  const entries = exchanges.filter((one) => ofModels.test(one.operation ?? '') && replyIn(one) !== undefined);
  if (entries.length === 0) return [];
  const text = `What models said in ${counted(entries.length, 'answer')} comes again, in this order`;
  const shown = entries.slice(0, 20).map(({ index }) => index);
  return [factOf('seen', text, shown, '/data/replies')];
}

/** How many events of a model's reply came before its stream broke off; undefined: it came whole, or is none. */
export function brokenAfter(exchange: Exchange): number | undefined {
  const { operation, text, failure } = exchange;
  if (!ofModels.test(operation ?? '') || !succeeded(exchange) || !isStream(exchange)) return undefined;
  // Some recorders hold no bodies of streams.
  if (text === null || (text === '' && failure === undefined)) return undefined;
  const events = eventsIn(text);
  return events.some(isEnd) ? undefined : Math.max(1, events.length);
}

function replyIn(exchange: Exchange): ReplyRequest | undefined {
  if (exchange.text === null) return undefined;
  const events = isStream(exchange) ? eventsIn(exchange.text) : [];
  const whole = isStream(exchange) ? events.map(({ response }) => response).find(isTree) : answerOf(exchange);
  const pieces = isStream(exchange) ? events.map(pieceIn).filter((piece) => piece !== '') : textsIn(whole);
  const calls = isStream(exchange) ? streamedCalls(events) : callsIn(whole);
  const finish = [whole, ...events].flatMap((one) => finishIn(one) ?? []).at(-1);
  // The reply was longer than what came of it.
  if (brokenAfter(exchange) !== undefined) pieces.push(' …');
  const text = pieces.join('');
  if (whole === undefined && !isStream(exchange)) return undefined;
  return {
    ...(isStream(exchange) && pieces.length > 0 && text.length <= longest
      ? { chunks: pieces.slice(0, 10_000) }
      : { text: text.slice(0, longest) }),
    ...(calls.length > 0 && { toolCalls: calls.slice(0, 128) }),
    ...(finish !== undefined && { finishReason: finish }),
  };
}

/** The objects that the events of a stream carry; an end without one counts as `{done: true}`. */
function eventsIn(text: string | null): Tree[] {
  return (text ?? '').split(/\r?\n\r?\n/).flatMap((block): Tree[] => {
    const data = [...block.matchAll(/^data: ?(.*)$/gm)].map(([, line]) => line).join('\n');
    const event = data === '[DONE]' ? { done: true } : treeIn(data);
    return event === undefined ? [] : [event];
  });
}

const ends = /^(message_stop|finish|error|response\.(completed|incomplete|failed))$/;
const isEnd = ({ done, type, error }: Tree): boolean =>
  done === true || ends.test(textOf(type)) || (error !== undefined && error !== null);

const listed = (value: unknown): Tree[] => (Array.isArray(value) ? value.filter(isTree) : []);

/** The piece of text that an event carries: of chat, of messages, of responses, of the UI. */
function pieceIn({ type, choices, delta }: Tree): string {
  if (/text.delta$/.test(textOf(type)) && typeof delta === 'string') return delta;
  const own = listed(choices)[0]?.delta ?? delta;
  return isTree(own) ? textOf(own.content) || textOf(own.text) : '';
}

/** The texts of a whole answer. */
function textsIn(answer: Tree | undefined): string[] {
  const message = listed(answer?.choices)[0]?.message;
  if (isTree(message)) return [textOf(message.content)];
  const blocks = [...listed(answer?.content), ...listed(answer?.output).flatMap(({ content }) => listed(content))];
  return blocks.map(({ text }) => textOf(text));
}

type Call = NonNullable<ReplyRequest['toolCalls']>[number];

function callOf(id: unknown, name: unknown, given: unknown): Call[] {
  if (textOf(name) === '') return [];
  const sent = treeIn(typeof given === 'string' ? given : JSON.stringify(given ?? {}));
  return [{ name: textOf(name), arguments: sent ?? textOf(given), ...(textOf(id) !== '' && { id: textOf(id) }) }];
}

/** The calls of a whole answer. */
function callsIn(answer: Tree | undefined): Call[] {
  const message = listed(answer?.choices)[0]?.message;
  const ofChat = isTree(message) ? listed(message.tool_calls) : [];
  return [
    ...ofChat.flatMap(({ id, function: called }) => (isTree(called) ? callOf(id, called.name, called.arguments) : [])),
    ...listed(answer?.content).flatMap(({ id, name, input }) => callOf(id, name, input)),
    ...listed(answer?.output).flatMap(({ call_id, name, arguments: sent }) => callOf(call_id, name, sent)),
  ];
}

/** The calls of a stream, whose arguments come in pieces. */
function streamedCalls(events: readonly Tree[]): Call[] {
  const calls = new Map<unknown, { id: unknown; name: unknown; sent: string }>();
  const add = (key: unknown, id: unknown, name: unknown, piece: unknown): void => {
    const known = calls.get(key);
    calls.set(key, { id: known?.id ?? id, name: known?.name ?? name, sent: (known?.sent ?? '') + textOf(piece) });
  };
  for (const { type, choices, delta, index, content_block: block, item, toolCallId, toolName, input } of events) {
    const ofChat = listed(choices)[0]?.delta;
    for (const { index: place, id, function: called } of listed(isTree(ofChat) ? ofChat.tool_calls : undefined))
      if (isTree(called)) add(place, id, called.name, called.arguments);
    if (isTree(block) && block.type === 'tool_use') add(index, block.id, block.name, '');
    if (isTree(delta) && delta.type === 'input_json_delta') add(index, undefined, undefined, delta.partial_json);
    if (type === 'response.output_item.done' && isTree(item)) add(item.id, item.call_id, item.name, item.arguments);
    if (type === 'tool-input-available') add(toolCallId, toolCallId, toolName, JSON.stringify(input));
  }
  return [...calls.values()].flatMap(({ id, name, sent }) => callOf(id, name, sent === '' ? {} : sent));
}

/** Why a reply ended, where it did so before its time. */
function finishIn(one: Tree | undefined): 'length' | 'content_filter' | undefined {
  const { stop_reason, incomplete_details: cut } = isTree(one?.delta) ? one.delta : (one ?? {});
  const said = listed(one?.choices)[0]?.finish_reason ?? stop_reason ?? (isTree(cut) ? cut.reason : undefined);
  if (/^(length|max_tokens|max_output_tokens)$/.test(textOf(said))) return 'length';
  return /^(content_filter|refusal)$/.test(textOf(said)) ? 'content_filter' : undefined;
}
