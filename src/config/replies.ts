// Replies of models: which, to what, in which pieces and how quickly. In the settings, and in files of the user's own.

import * as z from 'zod';
import { readRegex, regexProblem } from '../core/safe-regex.js';
import { duration } from './duration.js';

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

// A regular expression stands between slashes; everything else is a text.
function checkRegex(value: string, context: z.RefinementCtx): void {
  const regex = readRegex(value);
  if (regex === undefined) return;
  const problem = regex.source.length > 1_000 ? 'is longer than 1,000 characters' : regexProblem(regex);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
}

const toolCall = z.lazy(() =>
  z.strictObject({
    name: z.string().min(1).max(200).describe('The function that is called'),
    arguments: z
      .union([z.record(z.string(), z.unknown()), text])
      .default({})
      .describe('A text is sent as it is, though it be no JSON'),
    id: z.string().min(1).max(200).optional().describe('Without it one that follows from the seed'),
  }),
);

const failure = z.lazy(() =>
  z.strictObject({
    code: z.enum(replyErrors).default('GENERATION_FAILED').describe('Which error'),
    message: z.string().min(1).max(2_000).optional().describe('Without it the usual words of the code'),
    retryAfter: z.int().min(0).max(86_400).optional().describe('Seconds'),
    after: pieces.optional().describe('How many chunks of a stream come first; without it the error is the answer'),
  }),
);

/** What a reply may say of itself. */
export const replyFields = z.lazy(() =>
  z.strictObject({
    text: text.optional().describe('What the model says'),
    value: z.unknown().optional().describe('Sent as the text of its JSON'),
    chunks: z.array(text).min(1).max(10_000).optional().describe('The text in exactly these pieces'),
    refusal: text.min(1).optional().describe('The model declines, in these words'),
    toolCalls: z.array(toolCall).min(1).max(128).optional().describe('The functions that it calls'),
    finishReason: z
      .enum(['stop', 'length', 'tool_calls', 'content_filter'])
      .optional()
      .describe('Without it what follows from the reply'),
    error: z
      .union([z.enum(replyErrors), failure])
      .optional()
      .describe('A code, or more about it'),
    chunkSize: chunkSize.optional().describe('Tokens in a chunk of a stream'),
    delay: pause.optional().describe('Before each chunk but the first'),
    firstDelay: pause.optional().describe('Before the first chunk; without a stream, before the answer'),
    clock: clock.optional().describe('What delays are counted in; virtual time stands still when the clock does'),
    stallAfter: pieces.optional().describe('After so many chunks nothing more comes'),
    malformedAt: z.int().min(1).max(longest).optional().describe('Which chunk of a stream is cut in half'),
  }),
);

const contents = ['text', 'value', 'chunks', 'refusal'] as const;

/** Tells of a reply with two contents, and of one that says nothing. */
export function checkReply(reply: Record<string, unknown>, context: z.RefinementCtx): void {
  const named = contents.filter((name) => reply[name] !== undefined);
  if (named.length > 1) {
    const message = `contradicts ${named[0]}: a reply has one of ${contents.join(', ')}`;
    context.addIssue({ code: 'custom', path: [named[1] ?? ''], message });
  }
  if (Object.keys(replyFields.unwrap().shape).every((name) => reply[name] === undefined))
    context.addIssue({
      code: 'custom',
      message: `must say something: ${Object.keys(replyFields.unwrap().shape).join(', ')}`,
    });
}

export const replyObject = z.lazy(() => replyFields.unwrap().superRefine(checkReply));
const reply = z.lazy(() => z.union([text, replyObject]).describe('A text, or an object that says more'));

/** A reply in its long form. Without content it is the usual one, in another pace. */
export type Reply = z.output<typeof replyObject>;

const match = z.lazy(() =>
  z.strictObject({
    model: z.string().min(1).max(200).optional().describe('A model, or an agent’s id; `*` is any text'),
    text: wantedText
      .optional()
      .describe('What the user said last: the whole text, with `*` for any text, or a /regular expression/'),
    turn: z.int().min(1).max(longest).optional().describe('The first message of the user is turn 1'),
    step: z.int().min(1).max(longest).optional().describe('Of a turn: 1, and one more for each answer in it'),
  }),
);

/** What is answered to what. */
export const replyFixture = z.lazy(() =>
  z
    .strictObject({
      match: match.prefault({}).describe('What a request must say; all of it must fit'),
      reply: reply.optional().describe('What is answered each time'),
      steps: z
        .array(reply)
        .min(1)
        .max(1_000)
        .optional()
        .describe('One for each answer to the same message of the user: calls of tools, then what follows from them'),
      sequence: z
        .array(reply)
        .min(1)
        .max(10_000)
        .optional()
        .describe('The next one each time it fits; the last one stays'),
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
      folder: z
        .string()
        .min(1)
        .nullable()
        .default(null)
        .describe('Where your own files of replies lie, relative to the working directory; null: in replies'),
      fixtures: z
        .array(replyFixture)
        .max(1_000)
        .default([])
        .describe('Replies that stand before those of files: the first that fits counts'),
      chunkSize: chunkSize.default(1).describe('Tokens in a chunk of a stream'),
      delay: pause.default(0).describe('Before each chunk but the first'),
      firstDelay: pause.default(0).describe('Before the first chunk; without a stream, before the answer'),
      clock: clock.default('virtual').describe('What delays are counted in'),
    })
    .prefault({})
    .describe('What models answer'),
);

/** The usual pace of replies. */
export type Pacing = Pick<z.output<typeof replies>, 'chunkSize' | 'delay' | 'firstDelay' | 'clock'>;

/** Takes the short form of a reply for what it is short for. */
export function longForm(short: z.output<typeof reply>): Reply {
  return typeof short === 'string' ? { text: short } : short;
}
