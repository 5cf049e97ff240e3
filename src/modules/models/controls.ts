// Controls of replies: queue the next replies of models, whatever the prompt.

import * as z from 'zod';
import { checkReply, type Reply, replyFields } from '../../config/replies.js';
import { ApiError } from '../../core/errors.js';
import { checkInput } from '../../http/validate.js';
import { iso } from '../../http/wire.js';
import type { World } from '../../world/world.js';
import { clearQueued, insertQueued, listQueued, type QueuedRow } from './store.js';

export const replyRequest = z
  .strictObject({
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Model that gives the reply; `*` matches any text; by default any model'),
    ...replyFields.unwrap().shape,
    times: z.int().min(1).max(1_000_000).optional().describe('Number of times that the reply is used; by default once'),
  })
  .superRefine(checkReply);

export type ReplyRequest = z.input<typeof replyRequest>;

/** A reply that is to come. */
export interface OrderedReply {
  id: string;
  /** null: any model. */
  model: string | null;
  /** How often it is still to come. */
  times: number;
  reply: Reply;
  createdAt: string;
}

const mostQueued = 1_000;

export type ReplyControls = ReturnType<typeof createReplyControls>;

/** The reply controls of a world. */
export function createReplyControls(world: World) {
  return {
    /** List the queued replies of models, oldest first. */
    list: (): OrderedReply[] => listQueued(world.db).map(view),
    /**
     * Orders the next answer of a model, before all fixtures: of chat completions and responses alike.
     *
     * @param request its model (default: any), what it says, and how it comes: `firstDelay` and `delay` in virtual
     *   milliseconds or as "2s" (`clock: 'wall'` for real time), `stallAfter`, `malformedAt` and `error.after` in chunks
     * @example
     * controls.replies.add({ text: 'Sunny', chunkSize: 2, delay: '100ms' })
     * controls.replies.add({ model: 'gpt-*', error: 'MODEL_UNAVAILABLE', times: 3 })
     * controls.replies.add({ toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris' } }] })
     * @throws ApiError VALIDATION_ERROR; CONFLICT when a thousand wait already
     */
    add(request: ReplyRequest): OrderedReply {
      const { model, times = 1, ...reply } = checkInput(replyRequest, request, { strict: true, warn: () => {} });
      return world.db.transaction(() => {
        if (listQueued(world.db).length >= mostQueued)
          throw new ApiError('CONFLICT', { message: `${mostQueued} replies wait already: remove them first` });
        const seq = world.nextNumber('replies');
        const row: QueuedRow = {
          seq,
          id: `reply_${seq}`,
          model: model ?? null,
          reply: JSON.stringify(reply),
          times,
          created_at: world.clock.now(),
        };
        insertQueued(world.db, row);
        return view(row);
      });
    },
    /** Calls off all that were ordered. */
    clear: (): { removed: number } => ({ removed: clearQueued(world.db) }),
  };
}

function view({ id, model, reply, times, created_at: createdAt }: QueuedRow): OrderedReply {
  return { id, model, times, reply: JSON.parse(reply) as Reply, createdAt: iso(createdAt) };
}
