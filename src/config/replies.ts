// Replies of models: their conditions, content, chunks and timing, in the settings and in reply files.

import * as z from 'zod';
import { duration } from '../core/duration-schemas.js';
import { readRegex, regexProblem } from '../core/safe-regex.js';
import { path } from './path.js';

const hourMs = 3_600_000;
const longest = 1_000_000;

/** The errors that a model may answer with. */
export const replyErrors = [
  'CONTENT_POLICY',
  'CONTEXT_LENGTH',
  'MODEL_UNAVAILABLE',
  'GENERATION_FAILED',
  'RATE_LIMITED',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
] as const;

const text = z.string().max(longest);
const pause = duration.refine((ms) => ms <= hourMs, { message: 'must be at most an hour' });
const pieces = z.int().min(0).max(longest);
const chunkSize = z.int().min(1).max(longest);
const clock = z.enum(['virtual', 'wall']);

const wantedText = z.string().min(1).max(100_000).superRefine(checkRegex);

// A regular expression is written between slashes; anything else is a text.
function checkRegex(value: string, context: z.RefinementCtx): void {
  const regex = readRegex(value);
  if (regex === undefined) return;
  const problem = regex.source.length > 1_000 ? 'is longer than 1,000 characters' : regexProblem(regex);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
}

const toolCall = z.lazy(() =>
  z.strictObject({
    name: z.string().min(1).max(200).describe('Name of the function to call'),
    arguments: z
      .union([z.record(z.string(), z.unknown()), text])
      .default({})
      .describe('Arguments; a string is sent unchanged, even if it is not valid JSON'),
    id: z.string().min(1).max(200).optional().describe('Id of the call; by default derived from the seed'),
  }),
);

const failure = z.lazy(() =>
  z.strictObject({
    code: z.enum(replyErrors).default('GENERATION_FAILED').describe('Which error'),
    message: z.string().min(1).max(2_000).optional().describe('Error message; by default the usual one of the code'),
    retryAfter: z.int().min(0).max(86_400).optional().describe('Seconds'),
    after: pieces.optional().describe('Number of chunks before the error; by default the error is the whole response'),
  }),
);

/** The fields of a reply. */
export const replyFields = z.lazy(() =>
  z.strictObject({
    text: text.optional().describe('Text of the response'),
    value: z.unknown().optional().describe('Value that is sent as JSON text'),
    chunks: z.array(text).min(1).max(10_000).optional().describe('The text, in exactly these chunks'),
    refusal: text.min(1).optional().describe('Text with which the model refuses'),
    toolCalls: z.array(toolCall).min(1).max(128).optional().describe('Functions that the model calls'),
    finishReason: z
      .enum(['stop', 'length', 'tool_calls', 'content_filter'])
      .optional()
      .describe('Finish reason; by default derived from the reply'),
    error: z
      .union([z.enum(replyErrors), failure])
      .optional()
      .describe('An error code, or an object with details'),
    chunkSize: chunkSize.optional().describe('Number of tokens per chunk of a stream'),
    delay: pause.optional().describe('Delay before each chunk after the first'),
    firstDelay: pause.optional().describe('Delay before the first chunk or, without streaming, before the response'),
    clock: clock.optional().describe('Clock of the delays: virtual time stops while the clock is frozen'),
    stallAfter: pieces.optional().describe('Number of chunks after which the stream stalls'),
    malformedAt: z.int().min(1).max(longest).optional().describe('Number of the chunk that is cut in half'),
  }),
);

const contents = ['text', 'value', 'chunks', 'refusal'] as const;

/** Reports a reply with two contents, and an empty one. */
export function checkReply(reply: Record<string, unknown>, context: z.RefinementCtx): void {
  const named = contents.filter((name) => reply[name] !== undefined);
  if (named.length > 1) {
    const message = `contradicts ${named[0]}: a reply has one of ${contents.join(', ')}`;
    context.addIssue({ code: 'custom', path: [named[1] ?? ''], message });
  }
  // Not by `unwrap`, which makes the whole schema anew for each reply.
  const fields = Object.keys(replyFields._zod.innerType.shape);
  if (fields.every((name) => reply[name] === undefined))
    context.addIssue({ code: 'custom', message: `must say something: ${fields.join(', ')}` });
}

export const replyObject = z.lazy(() => replyFields.unwrap().superRefine(checkReply));
const reply = z.lazy(() => z.union([text, replyObject]).describe('A text, or an object'));

/** A reply in its long form. Without content it is the usual reply with another timing. */
export type Reply = z.output<typeof replyObject>;

const match = z.lazy(() =>
  z.strictObject({
    model: z.string().min(1).max(200).optional().describe('Model, or id of an agent; `*` matches any text'),
    text: wantedText
      .optional()
      .describe('The user’s last message: the whole text, where `*` matches any text, or a /regular expression/'),
    turn: z.int().min(1).max(longest).optional().describe('Number of the user’s message in the conversation, from 1'),
    step: z.int().min(1).max(longest).optional().describe('Number of the response within the turn, from 1'),
  }),
);

/** A reply with the requests that it is for. */
export const replyFixture = z.lazy(() =>
  z
    .strictObject({
      match: match.prefault({}).describe('Conditions on the request; all of them must match'),
      reply: reply.optional().describe('Reply to every matching request'),
      steps: z
        .array(reply)
        .min(1)
        .max(1_000)
        .optional()
        .describe('Replies to one message of the user, in order: tool calls, then the replies to their results'),
      sequence: z
        .array(reply)
        .min(1)
        .max(10_000)
        .optional()
        .describe('Replies to successive matching requests; the last one repeats'),
    })
    .refine(
      (fixture) => [fixture.reply, fixture.steps, fixture.sequence].filter((kind) => kind !== undefined).length === 1,
      { message: 'must have one of reply, steps and sequence' },
    ),
);

export type ReplyFixture = z.output<typeof replyFixture>;
export type ReplyMatch = ReplyFixture['match'];

/** A file of replies. */
export const replyFile = z.lazy(() =>
  z.strictObject({
    $schema: z.string().max(1_000).optional(),
    replies: z.array(replyFixture).max(10_000),
  }),
);

export const replies = z.lazy(() =>
  z
    .strictObject({
      folder: path
        .nullable()
        .default(null)
        .describe(
          'Directory of your own reply files, relative to the settings file; null: replies in the root directory',
        ),
      fixtures: z
        .array(replyFixture)
        .max(1_000)
        .default([])
        .describe('Replies that take precedence over those in files; the first match applies'),
      chunkSize: chunkSize.default(1).describe('Number of tokens per chunk of a stream'),
      delay: pause.default(0).describe('Delay before each chunk after the first'),
      firstDelay: pause.default(0).describe('Delay before the first chunk or, without streaming, before the response'),
      clock: clock.default('virtual').describe('Clock of the delays'),
    })
    .prefault({})
    .describe('Replies of models'),
);

/** Expands the short form of a reply. */
export function longForm(short: z.output<typeof reply>): Reply {
  return typeof short === 'string' ? { text: short } : short;
}
