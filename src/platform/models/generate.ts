// Replies to conversations: selected, charged, and sent whole, paced, or as a stream.

import type { Reply } from '../../config/replies.js';
import { nextTurn } from '../../core/clock.js';
import { ApiError, invalid } from '../../core/errors.js';
import type { HandlerContext } from '../../http/endpoint.js';
import {
  type Answer,
  bareStream,
  type JsonAnswer,
  type LaterAnswer,
  ok,
  type SseEvent,
  type SseSink,
} from '../../http/response.js';
import {
  type Bill,
  chargeTokens,
  checkLength,
  openBill,
  outputLimit,
  requireCovered,
  upperEstimate,
} from './charges.js';
import { type Chunking, checkSize, type Piece, produce, saidBy } from './chunking.js';
import type { Conversation } from './conversation.js';
import { orderedError } from './errors.js';
import type { Model, Tokens } from './models.js';
import { type End, isInstant, type Pace, play } from './pacing.js';
import { type Chosen, chosenReply } from './replies.js';

import { checkSchemas, type SentSchema } from './schemas/strict.js';
import { type Speaker, usualReply } from './speaker.js';

/** The events of a stream, in the form of an operation. */
export interface Frames {
  /** Before everything else. */
  opening(): SseEvent[];
  piece(piece: Piece): SseEvent[];
  /** After all pieces. */
  ending(): SseEvent[];
  /** In place of the remaining pieces. */
  failing(error: ApiError): SseEvent[];
}

/** The response of an operation, made from a chunking: whole, or as the frames of a stream. */
export interface Form {
  whole(chunking: Chunking, tokens: Tokens): Record<string, unknown>;
  frames(chunking: Chunking, tokens: Tokens): Frames;
  /** The id of the n-th call of a tool; by default one of OpenAI's form. */
  callId?(index: number): string;
  /** Keeps what later requests may name, in a transaction. */
  keep?(chunking: Chunking): void;
}

interface Generation {
  conversation: Conversation;
  model: Model;
  /** The agent that answers. */
  speaker: Speaker | undefined;
  wantsStream: boolean;
  /** The reason in the ledger. */
  reason: string;
  form: Form;
}

/**
 * Answers a conversation, in the handler's transaction.
 *
 * @throws ApiError INSUFFICIENT_CREDITS, CONTEXT_LENGTH, and what a reply orders
 */
export function generate(call: HandlerContext, generation: Generation): Answer | LaterAnswer {
  const { world, now, requestId } = call;
  const { conversation, model, form, wantsStream, reason } = generation;
  checkLength(model, conversation);
  checkSchemas(sentSchemas(conversation), call.warn);
  if ((conversation.maxTokens ?? 0) > model.maxOutput)
    call.warn(`${model.id} answers with at most ${model.maxOutput} tokens, whatever max_tokens says`);
  const upper = upperEstimate(world, model, conversation);
  requireCovered(call, upper.amount);
  const chosen = chosenReply(world, conversation, call.warn);
  const failure = chosen === undefined ? undefined : orderedError(chosen.reply);
  if (failure !== undefined && (failure.after === undefined || !wantsStream)) throw ordered(failure.error, chosen);
  chosen?.take();

  const reply = withContent(chosen?.reply, () => usualReply(conversation, generation.speaker, now));
  const { replies } = world.config;
  const pace: Pace = {
    clock: reply.clock ?? replies.clock,
    begunAt: now,
    first: reply.firstDelay ?? replies.firstDelay,
    each: reply.delay ?? replies.delay,
    stallAfter: reply.stallAfter,
  };
  const isAtOnce = !wantsStream && isInstant(pace);
  const maxTokens = outputLimit(world, model, conversation);
  for (const contradiction of chosen === undefined ? [] : contradictionsOf(chosen.reply, conversation))
    call.warn(`the reply contradicts the request: ${contradiction}`);
  const said = saidBy(reply, conversation);
  checkSize(said, { count: conversation.count, maxTokens });
  const chunking = produce(said, {
    stop: conversation.stop,
    maxTokens,
    chunkSize: isAtOnce ? Infinity : (reply.chunkSize ?? replies.chunkSize),
    callId: form.callId ?? ((index) => `call_${world.random.hex('call', requestId, index).slice(0, 24)}`),
  });
  const tokensAfter = (pieces: number): Tokens => ({
    input: conversation.inputTokens,
    output: chunking.tokensAfter(pieces) * conversation.count,
  });
  if (isAtOnce) {
    const whole = tokensAfter(chunking.count);
    chargeTokens(call, model, whole, reason);
    form.keep?.(chunking);
    return ok(form.whole(chunking, whole));
  }
  const bill = openBill(call, model, upper, reason);
  const { count } = conversation;
  const run: Run = { call, count, chunking, pace, bill, form, reply, tokensAfter, epoch: world.epoch, failure };
  return wantsStream ? bareStream((sink) => streamTo(sink, run)) : later(run);
}

interface Run {
  call: HandlerContext;
  /** The number of requested answers. */
  count: number;
  chunking: Chunking;
  pace: Pace;
  bill: Bill;
  form: Form;
  reply: Reply;
  tokensAfter: (pieces: number) => Tokens;
  /** The world's when the request was handled. */
  epoch: number;
  failure: { error: ApiError; after: number | undefined } | undefined;
}

// Pieces that come at once are sent in few writes, but not all in one: there may be half a million of them, and others
// have their turn in between.
const mostAtOnce = 1_000;

function streamTo(sink: SseSink, run: Run): void {
  const { call, chunking, pace, bill, form, reply, tokensAfter, failure, count: choices } = run;
  const { world } = call;
  const frames = form.frames(chunking, tokensAfter(chunking.count));
  const count = Math.min(chunking.count, failure?.after ?? chunking.count);
  const step = Math.ceil(mostAtOnce / choices);
  let waiting = frames.opening();
  let isOver = false;

  async function send(events: SseEvent[]): Promise<void> {
    const all = [...waiting, ...events];
    waiting = [];
    if (all.length > 0) await sink.send(all);
  }
  function sendPieces(from: number, to: number): Promise<void> {
    const some = chunking.pieces(from, to);
    return send(some.flatMap((piece, i) => damaged(frames.piece(piece), from + i + 1 === reply.malformedAt)));
  }
  async function over(end: End, reached: number): Promise<void> {
    isOver = true;
    if (end !== 'replaced') bill.settle(tokensAfter(reached));
    if (end === 'gone' || end === 'closing') return;
    if (end === 'replaced') await send(frames.failing(overtaken()));
    else if (failure !== undefined) await send(frames.failing(failure.error));
    else {
      world.db.transaction(() => form.keep?.(chunking));
      await send(frames.ending());
    }
    sink.end();
  }

  if (world.epoch !== run.epoch) return void over('replaced', 0);
  if (pace.first > 0 && waiting.length > 0) void send([]);
  const leave = play(world, pace, count, {
    async reach(from, to) {
      for (let at = from; at < to && !isOver; at += step) {
        const until = Math.min(to, at + step);
        if (at !== from) await nextTurn();
        await sendPieces(at, until);
      }
    },
    over,
  });
  sink.onClose(leave);
}

function later(run: Run): LaterAnswer {
  const { call, chunking, pace, bill, form, tokensAfter, epoch } = run;
  const { world } = call;
  const ready = (gone: AbortSignal): Promise<JsonAnswer | ApiError> =>
    new Promise((resolve) => {
      if (world.epoch !== epoch) return resolve(overtaken());
      const leave = play(world, pace, chunking.count, {
        reach() {},
        over(end, reached) {
          if (end === 'replaced') return resolve(overtaken());
          const tokens = tokensAfter(reached);
          bill.settle(tokens);
          if (end === 'closing')
            return resolve(new ApiError('SERVICE_UNAVAILABLE', { message: 'The world ends, and with it this answer' }));
          if (end === 'done') world.db.transaction(() => form.keep?.(chunking));
          resolve(ok(form.whole(chunking, tokens)));
        },
      });
      if (gone.aborted) leave();
      else gone.addEventListener('abort', leave, { once: true });
    });
  return { kind: 'later', ready };
}

// A reply without content is the usual one in another pace, or with another end.
function withContent(reply: Reply | undefined, usual: () => Reply): Reply {
  if (reply === undefined) return usual();
  const { text, value, chunks, refusal, toolCalls } = reply;
  const isEmpty = [text, value, chunks, refusal, toolCalls].every((content) => content === undefined);
  return isEmpty ? { ...usual(), ...reply } : reply;
}

// The error rolls the transaction back, but the queued reply must count as used.
function ordered({ code, message, options }: ApiError, chosen: Chosen | undefined): ApiError {
  return new ApiError(code, { ...options, message, lasting: () => chosen?.take() });
}

function sentSchemas({ format, tools }: Conversation): SentSchema[] {
  if (format.type === 'json_schema' && (format.schema.schema ?? undefined) === undefined)
    throw invalid({ path: format.schema.field, message: 'is required: the JSON Schema of the reply' });
  const parameters = tools.map((tool) => tool.parameters).filter(({ schema }) => (schema ?? undefined) !== undefined);
  return [...(format.type === 'json_schema' ? [format.schema] : []), ...parameters];
}

function damaged(events: SseEvent[], isDamaged: boolean): SseEvent[] {
  if (!isDamaged) return events;
  return events.map((event, i) => (i === 0 ? { ...event, data: event.data.slice(0, event.data.length / 2) } : event));
}

function overtaken(): ApiError {
  return new ApiError('SERVICE_UNAVAILABLE', {
    message: 'The world was reset or restored while this answer was under way: ask again',
    retryAfter: 0,
    headers: { 'Retry-After': '0' },
  });
}

// Warnings of ordered replies that say what no model would, given the request: what a client does with them, it never
// does with a model.

type Asked = Pick<Conversation, 'tools' | 'toolChoice' | 'isParallel'>;

/** How a reply contradicts the request that it answers, a text for each way. */
function contradictionsOf({ toolCalls = [], refusal, ...reply }: Reply, asked: Asked): string[] {
  const { tools, toolChoice, isParallel } = asked;
  const called = [...new Set(toolCalls.map(({ name }) => name))];
  const isOffered = (name: string): boolean => tools.some((tool) => tool.name === name);
  const strangers = called.filter((name) => !isOffered(name));
  const wanted = typeof toolChoice === 'object' ? toolChoice.name : undefined;
  const saysSomething = [reply.text, reply.value, reply.chunks].some((content) => content !== undefined);
  const contradictions: string[] = [];
  if (strangers.length > 0) contradictions.push(`it calls ${listed(strangers)}, which the request does not offer`);
  if (toolChoice === 'none' && called.length > 0) contradictions.push('it calls a tool, and tool_choice is none');
  if (!isParallel && toolCalls.length > 1)
    contradictions.push(`it calls ${toolCalls.length} tools, and parallel_tool_calls is false`);
  // A model may always refuse.
  if (called.length === 0 && saysSomething && refusal === undefined) {
    if (toolChoice === 'required') contradictions.push('it calls no tool, and tool_choice is required');
    if (wanted !== undefined) contradictions.push(`it calls no tool, and tool_choice names ${listed([wanted])}`);
  }
  const others = called.filter((name) => name !== wanted && isOffered(name));
  if (wanted !== undefined && others.length > 0)
    contradictions.push(`it calls ${listed(others)}, and tool_choice names ${listed([wanted])}`);
  return contradictions;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => name.slice(0, 60));
  return [...shown, ...(names.length > shown.length ? ['others'] : [])].join(', ');
}
