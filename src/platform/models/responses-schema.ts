// The wire shapes of responses.

import * as z from 'zod';
import { anything, unchecked } from '../../http/wire.js';
import { commonFields, functionName, isOfStream, notOfStream, tokenCount } from './chat-schema.js';

const id = z.string().min(1).max(1_000);

const part = z.lazy(() =>
  z.object({ type: z.string().max(100), text: z.string().optional(), refusal: z.string().optional() }),
);
const content = z.union([z.string(), z.array(part)]);

/** The kinds of items that are known; others are passed over. */
const item = z.lazy(() =>
  z
    .object({
      type: z.string().max(100).optional(),
      role: z.enum(['user', 'assistant', 'system', 'developer']).optional(),
      content: content.nullish(),
      id: z.string().max(1_000).nullish(),
      call_id: id.optional(),
      name: z.string().max(1_000).optional(),
      ...unchecked('arguments', 'output'),
    })
    .superRefine(({ type, role, content: said, call_id: call, name, arguments: given, output, id: own }, context) => {
      const need = (path: string, isThere: boolean, message = 'is required'): void => {
        if (!isThere) context.addIssue({ code: 'custom', path: [path], message });
      };
      if (type === undefined || type === 'message') {
        need('role', role !== undefined);
        need('content', said !== undefined && said !== null);
      }
      if (type === 'function_call' || type === 'function_call_output') need('call_id', call !== undefined);
      if (type === 'function_call') {
        need('name', name !== undefined);
        need('arguments', typeof given === 'string', 'must be a string: JSON as text');
      }
      if (type === 'function_call_output')
        need('output', typeof output === 'string' || Array.isArray(output), 'must be a string, or a list of parts');
      if (type === 'item_reference') need('id', typeof own === 'string');
    }),
);

export type InputItem = z.output<typeof item>;

const tool = z.lazy(() =>
  z
    .object({
      type: z.string().min(1).max(100),
      name: functionName.optional(),
      description: z.string().nullish(),
      ...unchecked('parameters', 'strict'),
    })
    .refine(({ type, name }) => type !== 'function' || name !== undefined, { path: ['name'], message: 'is required' }),
);

const toolChoice = z.lazy(() =>
  z.union([
    z.enum(['auto', 'none', 'required']),
    z.object({ type: z.string().max(100), name: functionName.optional() }),
  ]),
);

const format = z.lazy(() =>
  z.union([
    z.object({ type: z.enum(['text', 'json_object']) }),
    z.object({
      type: z.literal('json_schema'),
      name: z.string(),
      ...unchecked('schema', 'strict', 'description'),
    }),
  ]),
);

export const responseBody = z.lazy(() =>
  z
    .object({
      ...commonFields,
      input: z.union([z.string(), z.array(item).min(1)]),
      instructions: z.string().nullish(),
      previous_response_id: id.nullish().meta({
        description:
          'The response that this one goes on from; with it and references to items, a request takes at most 50,000 items and 8,000,000 characters from earlier responses',
      }),
      max_output_tokens: tokenCount,
      max_tool_calls: anything,
      tools: z.array(tool).max(1_000).nullish(),
      tool_choice: toolChoice.nullish(),
      text: z.object({ format: format.nullish(), verbosity: anything }).nullish(),
      ...unchecked('truncation', 'reasoning', 'include', 'background', 'conversation', 'context_management'),
      stream_options: z.object({ include_obfuscation: anything }).nullish(),
      prompt: anything,
    })
    .refine(isOfStream, notOfStream),
);

export type ResponseBody = z.output<typeof responseBody>;

const outputItem = z.lazy(() =>
  z.union([
    z
      .object({
        type: z.literal('message'),
        id: z.string(),
        role: z.literal('assistant'),
        status: z.enum(['in_progress', 'completed', 'incomplete']),
        content: z.array(
          z.union([
            z.object({ type: z.literal('output_text'), text: z.string(), annotations: z.array(z.unknown()) }).loose(),
            z.object({ type: z.literal('refusal'), refusal: z.string() }),
          ]),
        ),
      })
      .loose(),
    z
      .object({
        type: z.literal('function_call'),
        id: z.string(),
        call_id: z.string(),
        name: z.string(),
        arguments: z.string(),
        status: z.enum(['in_progress', 'completed', 'incomplete']),
      })
      .loose(),
  ]),
);

export const responseAnswer = z.lazy(() =>
  z
    .object({
      id: z.string(),
      object: z.literal('response'),
      created_at: z.int(),
      status: z.enum(['completed', 'incomplete']),
      error: z.null(),
      incomplete_details: z.object({ reason: z.string() }).nullable(),
      model: z.string(),
      output: z.array(outputItem),
      usage: z
        .object({
          input_tokens: z.int(),
          input_tokens_details: z.object({ cached_tokens: z.int() }),
          output_tokens: z.int(),
          output_tokens_details: z.object({ reasoning_tokens: z.int() }),
          total_tokens: z.int(),
        })
        .nullable(),
    })
    .loose(),
);
