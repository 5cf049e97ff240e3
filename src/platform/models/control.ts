// Control operations of replies: queue the next replies of models, whatever the prompt.

import * as z from 'zod';
import { checkReply, type Reply, replyFields } from '../../config/replies.js';
import { listed, operation } from '../../control/operation.js';
import { formatDuration } from '../../core/duration.js';
import { ApiError } from '../../core/errors.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { clearQueued, countQueued, insertQueued, listQueued, type QueuedRow } from './store.js';

export const replyRequest = z.lazy(() =>
  z
    .strictObject({
      model: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('Model that gives the reply; `*` matches any text; by default any model'),
      ...replyFields.unwrap().shape,
      times: z
        .int()
        .min(1)
        .max(1_000_000)
        .optional()
        .describe('Number of times that the reply is used; by default once'),
    })
    .superRefine(checkReply),
);

export type ReplyRequest = z.input<typeof replyRequest>;

export const queuedReply = z.lazy(() =>
  z.object({
    id: z.string(),
    model: z.string().nullable().describe('null: any model'),
    times: z.int().describe('How many more times it is used'),
    reply: z.record(z.string(), z.unknown()),
    createdAt: z.string(),
    warning: z.string().nullable().describe('What keeps it from coming as ordered, and what to do next; null: nothing'),
  }),
);

/** A reply that is queued. */
export type OrderedReply = Omit<z.output<typeof queuedReply>, 'reply'> & { reply: Reply };

const mostQueued = 1_000;

export const replyOperations = {
  /** Lists the queued replies of models, oldest first. */
  list: operation({
    id: 'control.replies.list',
    route: 'GET /replies',
    summary: 'List the queued replies of models, oldest first',
    output: listed('replies', queuedReply),
    command: {
      line: 'replies list',
      columns: 'id reply times? model?',
      examples: [['replies', 'replies that are still queued']],
    },
    run: ({ world }): OrderedReply[] => listQueued(world.db).map((row) => view(world, row)),
  }),
  /**
   * Queues the next reply of a model, which comes before all fixtures, for chat completions and responses alike.
   *
   * @param request its model (default: any), what it says, and how it comes: `firstDelay` and `delay` in virtual
   *   milliseconds or as "2s" (`clock: 'wall'` for real time), `stallAfter`, `malformedAt` and `error.after` in chunks
   * @example
   * controls.replies.add('Sunny')
   * controls.replies.add({ text: 'Sunny', chunkSize: 2, delay: '100ms' })
   * controls.replies.add({ model: 'gpt-*', error: 'MODEL_UNAVAILABLE', times: 3 })
   * controls.replies.add({ toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }] })
   * @throws ApiError VALIDATION_ERROR; CONFLICT when a thousand wait already
   */
  add: operation({
    id: 'control.replies.add',
    route: 'POST /replies',
    summary: 'Queue a model’s next reply: its text, its timing, or its error',
    body: replyRequest,
    shorthand: 'text',
    errors: ['CONFLICT'],
    output: queuedReply,
    created: true,
    command: {
      line: 'replies add [reply]',
      document: 'reply',
      wordIs: 'text',
      needs: 'replies add needs the reply of the model: `cloudemu replies add --text "Hello"`',
      examples: [
        ['replies add "Sunny"', 'the next reply'],
        ['replies add --text "Sunny" --delay 100ms', 'token by token'],
        ['replies add --model "gpt-*" --error MODEL_UNAVAILABLE --times 3', 'the next three replies are errors'],
        [`replies add --tool-calls '[{"name": "look", "arguments": {"at": 1}}]'`, 'the next reply calls a tool'],
        ['replies add --first-delay 30s --clock wall', 'the usual reply, delayed'],
      ],
    },
    run: ({ world }, request: string | ReplyRequest): OrderedReply =>
      queueReply(world, typeof request === 'string' ? { text: request } : request),
  }),
  /** Removes all queued replies. */
  clear: operation({
    id: 'control.replies.clear',
    route: 'DELETE /replies',
    summary: 'Remove all queued replies',
    output: z.lazy(() => z.object({ removed: z.int() })),
    command: { line: 'replies clear', examples: [['replies clear', 'after a test']] },
    run: ({ world }): { removed: number } => ({ removed: clearQueued(world.db) }),
  }),
};

/**
 * Queues a reply.
 *
 * @throws ApiError CONFLICT when a thousand wait already
 */
export function queueReply(world: World, { model, times = 1, ...reply }: ReplyRequest): OrderedReply {
  return world.db.transaction(() => {
    if (countQueued(world.db) >= mostQueued)
      throw new ApiError('CONFLICT', { message: `${mostQueued} replies wait already: remove them first` });
    const seq = world.nextNumber('replies');
    const row: QueuedRow = {
      seq,
      id: `reply_${seq}`,
      model: model ?? null,
      reply: reply as Reply,
      times,
      created_at: world.clock.now(),
    };
    insertQueued(world.db, row);
    return view(world, row);
  });
}

function view(world: World, { id, model, reply, times, created_at: createdAt }: QueuedRow): OrderedReply {
  return { id, model, times, reply, createdAt: iso(createdAt), warning: frozenWarning(world, reply) };
}

// Under a frozen clock a delay never passes by itself.
function frozenWarning({ clock, config: { replies } }: World, reply: Reply): string | null {
  const delay = Math.max(reply.firstDelay ?? replies.firstDelay, reply.delay ?? replies.delay);
  if (delay === 0 || (reply.clock ?? replies.clock) === 'wall' || !clock.view().frozen) return null;
  return `The clock is frozen, so its delay does not pass: advance time when it was asked for (\`cloudemu clock advance ${formatDuration(delay)}\`), or order it with clock "wall"`;
}
