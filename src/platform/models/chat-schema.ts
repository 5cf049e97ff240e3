// The wire shapes of chat completions.

import * as z from 'zod';
import { anything, nullish, unchecked } from '../../http/wire.js';

/** The model, by its id; or an agent. */
export const modelName = z.string().min(1).max(200);

/** Numbers and switches that chat and responses share. */
export const commonFields = {
  model: modelName,
  stream: nullish(z.boolean()),
  temperature: nullish(z.number().min(0).max(2)),
  top_p: nullish(z.number().min(0).max(1)),
  top_logprobs: nullish(z.int().min(0).max(20)),
  user: nullish(z.string().max(10_000)),
  metadata: nullish(z.record(z.string(), z.unknown())),
  store: nullish(z.boolean()),
  parallel_tool_calls: nullish(z.boolean()),
  ...unchecked(
    'service_tier',
    'prompt_cache_key',
    'prompt_cache_retention',
    'prompt_cache_options',
    'safety_identifier',
  ),
  ...unchecked('moderation'),
};

/** The name of a function: what OpenAI accepts, and what others do, such as the dots of Gemini and the slashes of MCP. */
export const functionName = z
  .string()
  .regex(/^[\w.:/-]{1,128}$/, { error: 'must have 1 to 128 letters, digits, _ and - (. : and / with a warning)' })
  .meta({ description: 'OpenAI accepts up to 64 letters, digits, _ and -; more of them, and . : / get a warning' });

export const tokenCount = nullish(z.int().min(1).max(10_000_000));
const stopText = z.string().max(1_000);
const penalty = nullish(z.number().min(-2).max(2));

const part = z.lazy(() =>
  z.object({
    type: z.enum(['text', 'image_url', 'input_audio', 'file', 'refusal']),
    text: z.string().optional(),
  }),
);

const toolCall = z.lazy(() =>
  z.object({
    id: z.string().min(1).max(1_000),
    type: z.literal('function').optional(),
    function: z.object({ name: z.string().min(1).max(1_000), arguments: z.string() }),
  }),
);

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;

const message = z.lazy(() =>
  z
    .object({
      role: z.enum(roles),
      content: nullish(z.union([z.string(), z.array(part)])),
      name: nullish(z.string()),
      refusal: nullish(z.string()),
      tool_calls: nullish(z.array(toolCall).min(1)),
      tool_call_id: nullish(z.string()),
    })
    .superRefine(({ role, content, tool_calls: calls, tool_call_id: id }, context) => {
      const add = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
      if (content === undefined && role !== 'assistant') add('content', 'is required');
      if (content === null && role !== 'assistant' && role !== 'function') add('content', 'must be a text or a list');
      if (role === 'tool' && typeof id !== 'string')
        add('tool_call_id', 'is required: it names the call that it answers');
      if (role !== 'assistant' && (calls ?? []).length > 0) add('tool_calls', 'are for messages of the assistant');
    }),
);

export type ChatMessage = z.output<typeof message>;

const tool = z.lazy(() =>
  z
    .object({
      type: z.string().min(1).max(100),
      function: z
        .object({
          name: functionName,
          description: nullish(z.string()),
          parameters: anything,
          strict: nullish(z.boolean()),
        })
        .optional(),
    })
    .refine((one) => one.type !== 'function' || one.function !== undefined, {
      path: ['function'],
      message: 'is required',
    }),
);

const toolChoice = z.lazy(() =>
  z.union([
    z.enum(['auto', 'none', 'required']),
    z.object({ type: z.string(), function: z.object({ name: z.string() }).optional() }),
  ]),
);

const responseFormat = z.lazy(() =>
  z.union([
    z.object({ type: z.enum(['text', 'json_object']) }),
    z.object({
      type: z.literal('json_schema'),
      json_schema: z.object({ name: z.string(), schema: anything, strict: anything, description: anything }),
    }),
  ]),
);

/** Allows `stream_options` only where `stream` is true, as OpenAI does: a client that forgets `stream` gets an error. */
export function isOfStream({ stream, stream_options: options }: { stream?: unknown; stream_options?: unknown }) {
  return stream === true || options == null;
}

export const notOfStream = { path: ['stream_options'], message: 'is only allowed where stream is true' };

export const chatBody = z.lazy(() =>
  z
    .object({
      ...commonFields,
      messages: z.array(message).min(1),
      max_tokens: tokenCount,
      max_completion_tokens: tokenCount,
      n: nullish(z.int().min(1).max(128)).meta({
        description: 'Number of answers; all of them together have at most 1,000,000 characters and 500,000 tokens',
      }),
      stop: nullish(z.union([stopText, z.array(stopText).max(4)])).meta({
        description: 'Texts before which the answer ends: at most 4, of at most 1,000 characters each',
      }),
      stream_options: nullish(z.object({ include_usage: nullish(z.boolean()), include_obfuscation: anything })),
      tools: nullish(z.array(tool).min(1).max(1_000)),
      tool_choice: nullish(toolChoice),
      response_format: nullish(responseFormat),
      seed: nullish(z.int()),
      frequency_penalty: penalty,
      presence_penalty: penalty,
      logit_bias: nullish(z.record(z.string(), z.number())),
      logprobs: nullish(z.boolean()),
      ...unchecked('modalities', 'audio', 'prediction', 'reasoning_effort', 'verbosity', 'web_search_options'),
      ...unchecked('functions', 'function_call'),
    })
    .refine(isOfStream, notOfStream)
    .refine(({ logprobs, top_logprobs: top }) => logprobs === true || (top ?? 0) === 0, {
      path: ['top_logprobs'],
      message: 'is only allowed where logprobs is true',
    }),
);

export type ChatBody = z.output<typeof chatBody>;

const usage = z.lazy(() =>
  z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }).loose(),
);

const answered = z.lazy(() =>
  z
    .object({
      role: z.literal('assistant'),
      content: z.string().nullable(),
      refusal: z.string().nullable(),
      tool_calls: z
        .array(
          z.object({
            id: z.string(),
            type: z.literal('function'),
            function: z.object({ name: z.string(), arguments: z.string() }),
          }),
        )
        .optional(),
    })
    .loose(),
);

export const chatAnswer = z.lazy(() =>
  z
    .object({
      id: z.string(),
      object: z.literal('chat.completion'),
      created: z.int(),
      model: z.string(),
      choices: z.array(
        z.object({
          index: z.int(),
          message: answered,
          logprobs: z.null(),
          finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']),
        }),
      ),
      usage,
    })
    .loose(),
);
