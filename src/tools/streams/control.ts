// Control operations of streams: what was sent through them so far, and how they ended.

import * as z from 'zod';
import { listed, operation } from '../../control/operation.js';
import { parsedJson } from '../../core/json.js';
import { isTree } from '../../core/tree.js';
import { type StreamRecord, streamsOf } from '../../http/open-streams.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';

const streamStates = ['open', 'complete', 'aborted', 'lost'] as const;

export const stream = z.lazy(() =>
  z.object({
    requestId: z.string(),
    operation: z.string().nullable(),
    state: z
      .enum(streamStates)
      .describe('complete: all was sent; aborted: the client went away before; lost: a fault broke it off'),
    events: z.int().describe('How many events were sent'),
    text: z
      .string()
      .describe(
        'Their text so far, without secrets; in a list 300 characters: the last of an open stream, the first of an ended one',
      ),
    isCut: z.boolean().describe('Whether the text lacks what came later: its first 32 KB are kept'),
    openedAt: z.string().describe('Virtual time, ISO 8601'),
    lastAt: z.string().nullable(),
    endedAt: z.string().nullable(),
  }),
);

/** A stream that a request opened. */
export type OpenedStream = z.output<typeof stream>;

const listedText = 300;

const streamQuery = z.lazy(() =>
  z.object({
    request: z.string().optional().describe('Only the stream of this request, with all of its text'),
  }),
);

export const streamOperations = {
  /**
   * Lists the open streams and the last 50 that have ended, the newest first, each with a part of its text.
   *
   * @param query.request the X-Request-Id of a stream: only that one, with all of its text
   * @example controls.streams.list().filter(({ state }) => state === 'open')
   */
  list: operation({
    id: 'control.streams.list',
    route: 'GET /streams',
    summary: 'List streams that clients opened, with what was sent: open ones, and the last 50 that ended',
    query: streamQuery,
    output: listed('streams', stream),
    command: {
      line: 'requests streams',
      untrusted: 'streams',
      columns: 'openedAt state operation? events text requestId',
      examples: [
        ['requests streams', 'what models and logs send at the moment'],
        ['requests streams --request req_7820e0a… --json', 'all that a model has said so far'],
      ],
    },
    run: ({ world }, { request }: { request?: string | undefined } = {}): OpenedStream[] =>
      streamsOf(world)
        .all()
        .filter(({ requestId }) => request === undefined || requestId === request)
        .map((record) => view(world, record, request === undefined ? listedText : Infinity))
        .reverse(),
  }),
};

function view({ redactor }: World, record: StreamRecord, most: number): OpenedStream {
  const { data, end, openedAt, lastAt, ...rest } = record;
  const text = redactor.text(textOf(data));
  return {
    ...rest,
    state: end?.how ?? 'open',
    text: end === null ? text.slice(-most) : text.slice(0, most),
    openedAt: iso(openedAt),
    lastAt: lastAt === null ? null : iso(lastAt),
    endedAt: end === null ? null : iso(end.at),
  };
}

interface Piece {
  type?: unknown;
  delta?: unknown;
  choices?: { delta?: { content?: unknown } | null }[];
  error?: { message?: unknown } | null;
}

/** Joined before secrets are looked for: one may lie in several pieces. */
function textOf(data: readonly string[]): string {
  const texts = data.map(pieceText);
  const said = texts.filter((text) => text !== undefined).join('');
  return said === '' ? data.join('\n') : said;
}

// undefined: it is no piece of what is said.
function pieceText(data: string): string | undefined {
  const value = parsedJson(data);
  if (!isTree(value)) return undefined;
  const piece: Piece = value;
  const [choice] = Array.isArray(piece.choices) ? piece.choices : [];
  const content = [
    choice?.delta?.content,
    piece.type === 'response.output_text.delta' ? piece.delta : undefined,
    piece.error?.message === undefined ? undefined : `\n${String(piece.error.message)}`,
  ].find((text) => typeof text === 'string');
  return typeof content === 'string' ? content : undefined;
}
