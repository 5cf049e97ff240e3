// Conversations: the input of a model, in one form for chat and responses.

import { invalid } from '../../core/errors.js';
import { nearest } from '../../core/nearest.js';
import type { World } from '../../world/world.js';
import type { SentSchema } from './schemas/strict.js';
import { countTokens } from './tokens.js';

type Role = 'system' | 'user' | 'assistant' | 'tool';

/** One message of a conversation, reduced to its text. */
export interface Message {
  role: Role;
  text: string;
  /** The tool whose result a message of a tool is. */
  tool?: string;
}

/** A function that the model may call. */
export interface Tool {
  name: string;
  /** A JSON Schema, as the client sent it. */
  parameters: SentSchema;
}

/** The form that the answer must have. */
export type Format = { type: 'text' } | { type: 'json_object' } | { type: 'json_schema'; schema: SentSchema };

export interface Conversation {
  /** The model, or the agent, by the name that the client has for it. */
  model: string;
  messages: Message[];
  tools: Tool[];
  toolChoice: 'auto' | 'none' | 'required' | { name: string };
  /** Whether the model may call several tools at once. */
  isParallel: boolean;
  format: Format;
  /** The most tokens of an answer, where the request limits them. */
  maxTokens: number | undefined;
  /** Texts before which an answer ends. */
  stop: string[];
  /** The number of requested answers. */
  count: number;
  /** Tokens of the question. */
  inputTokens: number;
}

/** The place of an answer in a conversation, which selects its reply. */
export interface Situation {
  model: string;
  /** The user's last message. */
  text: string;
  /** How many messages the user has sent. */
  turn: number;
  /** 1, and one more for each answer since then. */
  step: number;
}

const perMessage = 4;
const perAttachment = 85;

/** The part of a conversation that selects a reply. */
export interface Asked {
  model: string;
  messages: readonly Message[];
}

/** The place of the next answer in a conversation. */
export function situationOf({ model, messages }: Asked): Situation {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const answers = messages.slice(last + 1).filter(({ role }) => role === 'assistant');
  const turn = messages.filter(({ role }) => role === 'user').length;
  return { model, text: messages[last]?.text ?? '', turn, step: answers.length + 1 };
}

/** The tokens of a model's input. */
export function inputTokensOf(texts: readonly string[], attachments: number, tools: readonly unknown[]): number {
  const offered = tools.length === 0 ? 0 : countTokens(JSON.stringify(tools));
  const spoken = texts.reduce((sum, text) => sum + perMessage + countTokens(text), 0);
  return spoken + attachments * perAttachment + offered;
}

/** A call of a tool, or its result, with its place in the request. */
export interface ToolStep {
  kind: 'call' | 'result';
  id: string;
  /** The name of the tool; a result has none. */
  name?: string;
  /** Its path in the body, for messages. */
  path: string;
}

/**
 * The names of the tools that have results, by the id of their call.
 *
 * @throws ApiError VALIDATION_ERROR for a result without its call, and for a call without its result
 */
export function pairTools(steps: readonly ToolStep[]): Map<string, string> {
  const names = new Map<string, string>();
  const open = new Map<string, string>();
  for (const { kind, id, name = '', path } of steps) {
    if (kind === 'call') {
      names.set(id, name);
      open.set(id, path);
    } else if (!names.has(id)) {
      throw invalid({ path, message: 'must be the id of a tool call that stands before it', received: quoted(id) });
    } else open.delete(id);
  }
  const [unanswered] = open;
  if (unanswered === undefined) return names;
  const [id, path] = unanswered;
  throw invalid({ path, message: `must be followed by the result of its tool call ${quoted(id)}` });
}

/**
 * The tool that must be called, if one must.
 *
 * @throws ApiError VALIDATION_ERROR where the request does not offer it
 */
export function checkedChoice(choice: Conversation['toolChoice'], tools: readonly Tool[]): Conversation['toolChoice'] {
  if (choice === 'required' && tools.length === 0)
    throw invalid({ path: 'tool_choice', message: 'wants a tool, and no tools are offered', received: '"required"' });
  if (typeof choice === 'string' || tools.some(({ name }) => name === choice.name)) return choice;
  throw invalid({
    path: 'tool_choice',
    message: 'must name one of the tools',
    received: quoted(choice.name),
    suggestion: nearest(
      choice.name,
      tools.map(({ name }) => name),
    ),
  });
}

function quoted(id: string): string {
  return JSON.stringify(id.slice(0, 60));
}

/** Warns of fields that are accepted and have no effect, where they request something. */
export function warnIgnored(body: object, names: readonly string[], warn: (text: string) => void): void {
  const values = body as Record<string, unknown>;
  const asked = names.filter((name) => (values[name] ?? false) !== false);
  if (asked.length > 0) warn(`not emulated, so without effect: ${asked.join(', ')}`);
}

/** A name that OpenAI accepts for a function. */
const usualName = /^[\w-]{1,64}$/;

/** Warns of tools that no model here calls, and of names that other servers accept. */
export function warnTools(
  tools: readonly { type: string; name?: string | undefined; function?: { name: string } | undefined }[] | null = [],
  warn: (text: string) => void,
): void {
  const all = tools ?? [];
  const others = all.map(({ type }) => type).filter((type) => type !== 'function');
  if (others.length > 0) warn(`tools that are not emulated are never called: ${others.join(', ').slice(0, 200)}`);
  const names = all.map((tool) => tool.function?.name ?? tool.name ?? '').filter((name) => name !== '');
  const unusual = names.find((name) => !usualName.test(name));
  if (unusual !== undefined)
    warn(`OpenAI refuses the tool name ${quoted(unusual)}: it takes up to 64 letters, digits, _ and -`);
}

/** The caller and its world; the organization is null before authentication, when only the price is needed. */
export interface Asking {
  world: World;
  organizationId: string | null;
}
