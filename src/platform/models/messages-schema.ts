// The wire shapes of messages, in the form of Anthropic.

import * as z from 'zod';
import { anything, nullish, unchecked } from '../../http/wire.js';
import { modelName } from './chat-schema.js';
import { block, blocksOf, isObject, problemsTo } from './messages-blocks.js';

/** The name of a tool, as Anthropic accepts it. */
const toolName = z.string().regex(/^[\w-]{1,128}$/, { error: 'must have 1 to 128 letters, digits, _ and -' });

const message = z.lazy(() =>
  z
    .object({
      role: z.enum(['user', 'assistant', 'system']),
      content: z.union([z.string(), z.array(block)]),
    })
    .superRefine(({ role, content }, context) => {
      if (typeof content === 'string') return;
      const known = blocksOf[role];
      const strange = content.findIndex(({ type }) => !known.includes(type));
      if (strange === -1) return;
      const message = `must be one of ${known.join(', ')} in a message of the ${role}`;
      context.addIssue({ code: 'custom', path: ['content', strange, 'type'], message });
    }),
);

export type MessageBody = z.output<typeof message>;

const tool = z.lazy(() =>
  z
    .object({
      type: nullish(z.string().min(1).max(100)),
      name: toolName.optional(),
      description: z.string().optional(),
      input_schema: anything.meta({ description: 'A JSON Schema of type "object"' }),
      strict: nullish(z.boolean()),
      ...unchecked('cache_control', 'defer_loading', 'allowed_callers', 'eager_input_streaming', 'input_examples'),
      ...unchecked(
        'max_uses',
        'allowed_domains',
        'blocked_domains',
        'user_location',
        'citations',
        'max_content_tokens',
      ),
      ...unchecked('max_characters', 'display_width_px', 'display_height_px', 'display_number', 'mcp_server_name'),
      ...unchecked('default_config', 'configs'),
    })
    .superRefine(({ type, name, input_schema: schema }, context) => {
      if (!isCustom({ type })) return;
      const add = problemsTo(context);
      if (name === undefined) add(['name'], 'is required');
      if (!isObject(schema)) {
        add(['input_schema'], schema === undefined ? 'is required' : 'must be an object');
        return;
      }
      if (schema.type !== 'object') add(['input_schema', 'type'], 'must be "object"');
      const refused = ['oneOf', 'allOf', 'anyOf'].find((one) => Object.hasOwn(schema, one));
      if (refused !== undefined) add(['input_schema', refused], 'is not allowed at the top');
    }),
);

/** Whether a tool is the client's own: others are those of Anthropic, by their types. */
export function isCustom({ type }: { type?: string | null | undefined }): boolean {
  return type == null || type === 'custom';
}

const toolChoice = z.lazy(() =>
  z
    .object({
      type: z.enum(['auto', 'any', 'none', 'tool']),
      name: toolName.optional(),
      disable_parallel_tool_use: nullish(z.boolean()),
    })
    .refine(({ type, name }) => type !== 'tool' || name !== undefined, { path: ['name'], message: 'is required' }),
);

const thinking = z.lazy(() =>
  z
    .object({
      type: z.enum(['enabled', 'disabled', 'adaptive']),
      budget_tokens: z.int().min(1_024).optional(),
      display: anything,
    })
    .refine(({ type, budget_tokens: budget }) => type !== 'enabled' || budget !== undefined, {
      path: ['budget_tokens'],
      message: 'is required',
    }),
);

const spoken = z.string().regex(/\S/, { error: 'must not be empty or white space only' });
const outputFormat = z.lazy(() => z.object({ type: z.literal('json_schema'), schema: anything }));
const textBlock = z.lazy(() =>
  z.object({ type: z.literal('text'), text: spoken, citations: anything, cache_control: anything }),
);

/** What a request says, and what is counted of it. */
const askedFields = {
  model: modelName,
  messages: z.array(message).min(1),
  system: z.union([z.string(), z.array(textBlock)]).nullish(),
  tools: nullish(z.array(tool).max(1_000)),
  tool_choice: nullish(toolChoice),
  thinking: nullish(thinking),
  output_config: nullish(z.object({ format: nullish(outputFormat), effort: anything, task_budget: anything })),
  output_format: nullish(outputFormat),
  ...unchecked('cache_control', 'context_management', 'thread', 'mcp_servers', 'speed'),
};

interface Asked {
  messages: MessageBody[];
  system?: string | z.output<typeof textBlock>[] | null | undefined;
  tools?: z.output<typeof tool>[] | null | undefined;
  cache_control?: unknown;
}

function checkAsked(asked: Asked, context: z.RefinementCtx): void {
  const { messages, tools } = asked;
  const add = problemsTo(context);
  // The last message of the assistant may be empty: it is the beginning of the answer.
  const empty = messages.findIndex(({ content, role }, index) => {
    if (role === 'assistant' && index === messages.length - 1) return false;
    return typeof content === 'string' ? content.trim() === '' : content.length === 0;
  });
  if (empty !== -1) add(['messages', empty, 'content'], 'must not be empty or white space only');
  const last = messages.at(-1);
  if (last?.role === 'assistant' && /\s$/.test(lastTextOf(last)))
    add(['messages', messages.length - 1, 'content'], 'must not end in white space where the answer goes on from it');
  const marked = cachedParts(asked);
  if (marked > mostCached) add(['cache_control'], `must be at most ${mostCached} of all blocks (got ${marked})`);
  const names = new Set<string>();
  for (const [index, { name }] of (tools ?? []).entries()) {
    if (name === undefined) continue;
    if (names.has(name)) add(['tools', index, 'name'], 'must not be that of another tool');
    names.add(name);
  }
}

const mostCached = 4;

/** The number of blocks and tools with a cache_control; one for the whole request counts like a block. */
function cachedParts({ messages, system, tools, cache_control: whole }: Asked): number {
  const blocks = [...messages.map(({ content }) => content), system].flatMap((part) =>
    Array.isArray(part) ? part : [],
  );
  const inner = blocks.flatMap((one) => ('content' in one && Array.isArray(one.content) ? one.content : []));
  return [...blocks, ...inner, ...(tools ?? []), { cache_control: whole }].filter((one) => one.cache_control != null)
    .length;
}

function lastTextOf({ content }: MessageBody): string {
  return typeof content === 'string' ? content : (content.at(-1)?.text ?? '');
}

const stopSequence = z.string().min(1).max(1_000).regex(/\S/, { error: 'must not be white space only' });

export const messagesBody = z.lazy(() =>
  z
    .object({
      ...askedFields,
      max_tokens: z.int().min(0).max(10_000_000),
      stop_sequences: nullish(z.array(stopSequence).max(16)).meta({
        description: 'Texts before which the answer ends: at most 16, of at most 1,000 characters each',
      }),
      stream: nullish(z.boolean()),
      temperature: nullish(z.number().min(0).max(1)),
      top_p: nullish(z.number().min(0).max(1)),
      top_k: nullish(z.int().min(0)),
      metadata: nullish(z.object({ user_id: nullish(z.string().max(256)) })),
      ...unchecked('service_tier', 'container', 'inference_geo', 'diagnostics'),
    })
    .superRefine(checkAsked),
);

/** What Anthropic's SDK adds where its methods of `beta` are used. */
export const messagesQuery = z.lazy(() => z.object({ beta: z.string().max(100).optional() }));

export type MessagesBody = z.output<typeof messagesBody>;

export const countBody = z.lazy(() => z.object(askedFields).superRefine(checkAsked));

export type CountBody = z.output<typeof countBody>;

export const tokensAnswer = z.lazy(() => z.object({ input_tokens: z.int() }));

const answeredBlock = z.lazy(() =>
  z.union([
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({
      type: z.literal('tool_use'),
      id: z.string(),
      name: z.string(),
      input: z.record(z.string(), z.unknown()),
    }),
  ]),
);

/** Why a message ends. */
export const stopReason = z.enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal']);

export const messageAnswer = z.lazy(() =>
  z
    .object({
      id: z.string(),
      type: z.literal('message'),
      role: z.literal('assistant'),
      model: z.string(),
      content: z.array(answeredBlock),
      stop_reason: stopReason.nullable(),
      stop_sequence: z.string().nullable(),
      usage: z.object({ input_tokens: z.int(), output_tokens: z.int() }).loose(),
    })
    .loose(),
);
