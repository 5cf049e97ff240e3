// The speaker of a conversation, a model or an agent, and its usual reply when no reply is set: it repeats what it was
// asked, and says how to set a reply.

import type { Reply } from '../../config/replies.js';
import { ApiError } from '../../core/errors.js';
import { isTree } from '../../core/tree.js';
import type { HandlerContext } from '../../http/endpoint.js';
import { visible } from '../agents/access.js';
import { type Conversation, situationOf, type Tool } from './conversation.js';
import { type Model, modelOfKind, unknownModel } from './models.js';
import { valueFor } from './schemas/make.js';
import type { SentSchema } from './schemas/strict.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Answering {
  model: Model;
  speaker: Speaker | undefined;
}

/**
 * The model, or the agent, of that name.
 *
 * @throws ApiError NOT_FOUND for an agent that the caller may not see, and for models where the settings say so;
 *   VALIDATION_ERROR for a model that does not chat
 */
export function answeringOf(call: HandlerContext, name: string): Answering {
  const { world, warn } = call;
  if (!uuid.test(name)) return { model: modelOfKind({ world, warn }, name, 'chat'), speaker: undefined };
  const agent = visible(call, name.toLowerCase());
  return { model: { ...unknownModel(world, agent.id), owner: agent.username }, speaker: agent };
}

/** The model whose prices apply; an agent need not exist for that. */
export function pricedModel({ world }: Pick<HandlerContext, 'world'>, name: string): Model {
  return uuid.test(name) ? unknownModel(world, name) : modelOfKind({ world, warn: () => {} }, name, 'chat');
}

/** An agent that answers in place of a model. */
export interface Speaker {
  name: string;
  bio: string[];
}

const shownLength = 200;

/** The usual reply to a conversation: the same for the same one. */
export function usualReply(conversation: Conversation, speaker: Speaker | undefined, now: number): Reply {
  const { toolChoice, tools, format } = conversation;
  const wanted = typeof toolChoice === 'object' ? tools.find(({ name }) => name === toolChoice.name) : tools[0];
  if (wanted !== undefined && toolChoice !== 'auto' && toolChoice !== 'none')
    return { toolCalls: [{ name: wanted.name, arguments: argumentsOf(wanted, now) }] };
  if (format.type === 'json_schema') return { value: sampleOf(format.schema, now) };
  const text = usualText(conversation, speaker, now);
  return format.type === 'json_object' ? { value: { reply: text } } : { text };
}

function usualText(conversation: Conversation, speaker: Speaker | undefined, now: number): string {
  const { model, messages, tools } = conversation;
  const { text } = situationOf(conversation);
  const last = messages.at(-1);
  const name = speaker === undefined ? model : speaker.name;
  const said = text === '' ? `You said nothing to ${name}.` : `You said ${JSON.stringify(shortened(text))} to ${name}.`;
  const asked =
    last?.role === 'tool' ? `The tool ${last.tool ?? ''} answered ${JSON.stringify(shortened(last.text))}.` : said;
  const call = last?.role === 'tool' ? '' : callOf(tools, now);
  return [
    speaker === undefined ? '' : `I am ${speaker.name}: ${shortened(speaker.bio.join(' '))} `,
    asked,
    ' Nobody has told the emulator what to answer, so it answers this.',
    ` To choose the answer, put {"replies": [{${matchFor(text)}"reply": "…"}]} into a JSON file in the folder replies,`,
    ' or order the next one with POST /_emulator/replies {"text": "…"}.',
    call,
  ].join('');
}

// A tool for which no call can be made is no error here, because the client did not ask for this example.
function callOf([offered]: readonly Tool[], now: number): string {
  if (offered === undefined) return '';
  try {
    const call = { name: offered.name, arguments: argumentsOf(offered, now) };
    return ` To have it call a tool, reply with {"toolCalls": [${JSON.stringify(call)}]}.`;
  } catch (error) {
    if (error instanceof ApiError) return '';
    throw error;
  }
}

function argumentsOf({ parameters }: Tool, now: number): Record<string, unknown> {
  const { schema, field } = parameters;
  if (schema === undefined || schema === null) return {};
  const sample = valueFor(schema, field, { type: 'object' }, now);
  return isTree(sample) ? sample : {};
}

// The `match` of a fixture that fits this text; for a long text it holds the beginning.
function matchFor(text: string): string {
  if (text === '') return '';
  const short = shortened(text, '*');
  return `"match": {"text": ${JSON.stringify(short)}}, `;
}

function shortened(text: string, end = '…'): string {
  const characters = [...text.slice(0, 2 * shownLength + 2)];
  return characters.length > shownLength ? `${characters.slice(0, shownLength).join('')}${end}` : text;
}

// Values that conform to the schemas of a request.

type Sent = Pick<SentSchema, 'schema' | 'field'>;

/** A value that conforms to a schema. @param now what times show, in milliseconds */
export function sampleOf({ schema, field }: Sent, now: number): unknown {
  return valueFor(schema, field, {}, now);
}
