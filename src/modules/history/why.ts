// The control operation that says why a request was answered as it was.

import * as z from 'zod';
import { operation } from '../../control/operation.js';
import { ApiError, invalid } from '../../core/errors.js';
import type { Sliced } from '../../core/slices.js';
import { changesIn } from '../../db/history-changes.js';
import type { Entry } from '../../db/history-entry.js';
import { inSlices } from '../../db/history-store.js';
import type { World } from '../../world/world.js';
import { journalOf } from '../journal/journal.js';
import { causesOf, type PastChange } from './causes.js';
import { worldAt } from './fork.js';
import { lookAt } from './look.js';
import { findPoint, historyOf, placeOf } from './places.js';
import { viewPoints } from './points.js';
import { historyPoint } from './schema.js';
import { requestBehind } from './why-expectation.js';

export const whyAnswer = z.lazy(() =>
  z.object({
    requestId: z.string(),
    status: z.int(),
    errorCode: z.string().nullable(),
    reason: z.string().describe('Why it was answered so, in a few words'),
    certain: z
      .boolean()
      .describe('Whether the points are those that the rule has read; false: the history does not hold them'),
    chain: z
      .array(historyPoint.unwrap().extend({ because: z.string().describe('What it has to do with the answer') }))
      .describe('The points that it depended on, the newest first'),
  }),
);

/** Why a request was answered as it was. */
export type WhyAnswer = z.output<typeof whyAnswer>;

export const whyQuestion = z.lazy(() =>
  z.object({
    requestId: z.string().min(1).max(100).optional().describe('The id of the request, or the number of its point'),
    expectation: z
      .string()
      .min(1)
      .max(300)
      .optional()
      .describe('What is not as the scenario expects, instead of a request: `container shop`, `credits spent`'),
  }),
);

/** A request, or what is not as expected. */
export type WhyQuestion = z.input<typeof whyQuestion>;

export const whyOperations = {
  /**
   * Says which earlier points the answer to a request depended on: the charge that took the balance below what was
   * needed, the requests that used a window up, the point at which a key was deleted or a fault added. Nothing is guessed.
   *
   * For something that is not as the scenario expects it answers for the last request that this is about and that failed.
   *
   * @example controls.why({ requestId }).chain[0]?.because
   * @throws ApiError NOT_FOUND, VALIDATION_ERROR, or CONFLICT where the world cannot be exactly as it was
   */
  why: operation({
    id: 'control.why',
    route: 'GET /why',
    summary: 'Say which earlier points the answer to a request depended on',
    query: whyQuestion,
    output: whyAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
    command: {
      line: 'why',
      prints: 'why',
      untrusted: 'whole',
      names: { requestId: 'request' },
      examples: [
        ['why --request req_7820e0a…', 'the charge that emptied the balance, the key that was deleted'],
        ["why --expectation 'container shop'", 'the same for the request behind what is not as expected'],
      ],
    },
    runs: 'sliced',
    *run({ world }, { requestId, expectation }: WhyQuestion): Sliced<WhyAnswer> {
      if ((requestId === undefined) === (expectation === undefined))
        throw invalid({
          path: 'requestId',
          message: expectation === undefined ? 'or `expectation` is needed' : 'cannot be given with `expectation`',
        });
      return yield* whyOf(world, requestId ?? (yield* requestBehind(world, expectation ?? '')));
    },
  }),
};

/**
 * Why a request was answered as it was.
 *
 * @param name its id, or the number of its point
 * @throws ApiError NOT_FOUND, or CONFLICT where the world cannot be exactly as it was
 */
export function* whyOf(world: World, name: string): Sliced<WhyAnswer> {
  const history = historyOf(world);
  const place = yield* findPoint(history, name);
  const { request: id } = place.point;
  const request = (yield* journalOf(world).read()).find(
    (record) => record.kind === 'request' && record.requestId === id,
  );
  if (request?.kind !== 'request')
    throw new ApiError('NOT_FOUND', {
      message: `Point ${place.point.point} is no request that the journal holds: \`cloudemu requests\` lists them`,
    });
  const begun = place.point.from ?? place.entry.seq;
  const earlier: Entry[] = [];
  yield* inSlices(history.entries().after(0), (entry) => {
    if (entry.seq < begun) earlier.push(entry);
    return entry.seq < begun;
  });
  const seqs = new Set(earlier.map(({ seq }) => seq));
  const changes = yield* changesIn(world.db, history.entries(), ({ seq }) => (seqs.has(seq) ? seq : undefined));
  const past: PastChange[] = earlier.reverse().map((entry) => ({ entry, tables: changes.get(entry.seq) ?? [] }));
  const image = yield* worldAt(world, history, placeOf(history, place, 'before'));
  const causes = lookAt.of(world)(image, (before) => causesOf({ request, past, before }));
  const points = yield* viewPoints(
    world,
    history,
    causes.chain.map(({ entry }) => entry),
  );
  const chain = causes.chain.flatMap(({ entry, because }) => {
    const point = points.find((one) => one.point === entry.point?.point);
    return point === undefined ? [] : [{ ...point, because }];
  });
  const { requestId, status, errorCode } = request;
  return { requestId, status, errorCode, reason: causes.reason, certain: causes.isCertain, chain };
}
