// The blocks of messages, in the form of Anthropic: texts, pictures, documents, calls of tools and their results.

import * as z from 'zod';
import { anything, nullish, unchecked } from '../../http/wire.js';

const word = z.string().min(1).max(1_000);
const callId = z.string().regex(/^[\w-]{1,1000}$/, { error: 'must have letters, digits, _ and - only' });

type Add = (path: PropertyKey[], message: string) => void;

/** Adds problems of a value, each at a place in it. */
export const problemsTo =
  (context: z.RefinementCtx): Add =>
  (path, message) =>
    context.addIssue({ code: 'custom', path, message });

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

const source = z.lazy(() =>
  z.object({
    type: z.enum(['base64', 'url', 'text', 'content', 'file']),
    media_type: z.string().max(200).optional(),
    data: z.string().optional(),
    url: z.string().max(10_000).optional(),
    content: anything,
    file_id: word.optional(),
  }),
);

type Source = z.output<typeof source>;

/** The fields of the blocks of all types: a block is checked by its type. */
const blockFields = {
  text: z.string().optional(),
  source: source.optional(),
  title: nullish(z.string()),
  context: nullish(z.string()),
  ...unchecked('citations', 'cache_control'),
};

/** A block inside a result, or inside a document. */
const innerFields = z.lazy(() =>
  z.object({
    type: z.string().min(1).max(100),
    ...blockFields,
    content: anything,
    tool_name: z.string().max(1_000).optional(),
    ...unchecked('url', 'encrypted_content', 'page_age', 'retrieved_at', 'file_id'),
  }),
);

export type InnerBlock = z.output<typeof innerFields>;

const innerBlock = z.lazy(() =>
  innerFields.unwrap().superRefine((one, context) => checkShown(one, problemsTo(context))),
);

/** What the platform's servers have done, which comes back in a conversation, is accepted as it is. */
const otherTypes = [
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
];

/** The types of blocks that a message of a role may have. */
export const blocksOf: Record<'user' | 'assistant' | 'system', readonly string[]> = {
  user: ['text', 'image', 'document', 'search_result', 'container_upload', 'tool_result'],
  assistant: ['text', 'tool_use', 'thinking', 'redacted_thinking', 'container_upload', ...otherTypes],
  system: ['text'],
};

const ofResults = ['text', 'image', 'document', 'search_result', 'tool_reference'];
const blockTypes = [...new Set([...blocksOf.user, ...blocksOf.assistant])] as [string, ...string[]];

const fields = z.lazy(() =>
  z.object({
    type: z.enum(blockTypes),
    ...blockFields,
    id: callId.optional(),
    name: word.optional(),
    ...unchecked('input', 'caller', 'toolset_name', 'server_name'),
    tool_use_id: callId.optional(),
    content: z.union([z.string(), z.array(innerBlock), z.object({ type: word }).loose()]).nullish(),
    is_error: nullish(z.boolean()),
    thinking: z.string().optional(),
    signature: z.string().optional(),
    data: z.string().optional(),
    file_id: word.optional(),
  }),
);

export type Block = z.output<typeof fields>;

export const block = z.lazy(() => fields.unwrap().superRefine((one, context) => checkBlock(one, problemsTo(context))));

function checkBlock(one: Block, add: Add): void {
  const { type, input, content } = one;
  const need = (...names: (keyof Block)[]): void => {
    for (const name of names) if (one[name] === undefined) add([name], 'is required');
  };
  checkShown(one, add);
  if (type === 'tool_use') {
    need('id', 'name', 'input');
    if (input !== undefined && !isObject(input)) add(['input'], 'must be an object: the arguments of the tool');
  } else if (type === 'tool_result') {
    need('tool_use_id');
    if (content == null || typeof content === 'string') return;
    const strange = Array.isArray(content) ? content.findIndex((inner) => !ofResults.includes(inner.type)) : -1;
    if (!Array.isArray(content)) add(['content'], 'must be a text, or a list of blocks');
    else if (strange !== -1) add(['content', strange, 'type'], `must be one of ${ofResults.join(', ')}`);
  } else if (type === 'thinking') need('thinking', 'signature');
  else if (type === 'redacted_thinking') need('data');
}

// The blocks that may also stand in the result of a tool.
function checkShown({ type, text, source: from }: Pick<InnerBlock, 'type' | 'text' | 'source'>, add: Add): void {
  if (type === 'text' && text === undefined) add(['text'], 'is required');
  if (type === 'text' && text?.trim() === '') add(['text'], 'must not be empty or white space only');
  if (type !== 'image' && type !== 'document') return;
  if (from === undefined) add(['source'], 'is required');
  else if (type === 'image') checkImage(from, add);
  else checkDocument(from, add);
}

function checkImage(from: Source, add: Add): void {
  const { type, media_type: mediaType = '' } = from;
  if (type === 'text' || type === 'content') add(['source', 'type'], 'must be one of base64, url, file for an image');
  if (type === 'base64' && !imageTypes.includes(mediaType))
    add(['source', 'media_type'], `must be one of ${imageTypes.join(', ')}`);
  checkSource(from, add);
}

function checkDocument(from: Source, add: Add): void {
  const { type, media_type: mediaType, content } = from;
  if (type === 'base64' && mediaType !== 'application/pdf') add(['source', 'media_type'], 'must be application/pdf');
  if (type === 'text' && mediaType !== 'text/plain') add(['source', 'media_type'], 'must be text/plain');
  if (type === 'text' && from.data === undefined) add(['source', 'data'], 'is required: the text');
  if (type === 'content' && typeof content !== 'string' && !Array.isArray(content))
    add(['source', 'content'], 'must be a text, or a list of blocks');
  checkSource(from, add);
}

function checkSource({ type, data = '', url = '', file_id: fileId }: Source, add: Add): void {
  // A mistake shows at the beginning, and the whole may be megabytes.
  if (type === 'base64' && !/^[A-Za-z0-9+/]+={0,2}$/.test(data.slice(0, 1_000)))
    add(['source', 'data'], 'must be base64, without data: before it');
  if (type === 'url' && !/^https?:\/\/[^\s/]/.test(url)) add(['source', 'url'], 'must begin with http:// or https://');
  if (type === 'file' && fileId === undefined) add(['source', 'file_id'], 'is required');
}

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
