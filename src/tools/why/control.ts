// The control operation that says why a request was answered as it was.

import { operation } from '../../control/operation.js';
import { invalid } from '../../core/errors.js';
import { requestBehind } from './expectation.js';
import { whyOf } from './explain.js';
import { type WhyAnswer, type WhyQuestion, whyAnswer, whyQuestion } from './schema.js';

export const whyOperations = {
  /**
   * Says which earlier point has decided the answer to a request: the charge that took the balance below what was needed,
   * the request that used a window up, the point at which a key was deleted or a fault added. Nothing is guessed: it sends
   * the request again in a world that begins before the point, and there it has to end otherwise.
   *
   * For something that is not as the scenario expects it answers for the last request that this is about and that failed.
   *
   * @example (await controls.why({ requestId })).chain[0]?.because
   * @throws ApiError NOT_FOUND, VALIDATION_ERROR, or CONFLICT where the world cannot be exactly as it was
   */
  why: operation({
    id: 'control.why',
    route: 'GET /why',
    summary: 'Say which earlier point has decided the answer to a request',
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
    runs: 'async',
    async run({ world }, { requestId, expectation }: WhyQuestion): Promise<WhyAnswer> {
      if ((requestId === undefined) === (expectation === undefined))
        throw invalid({
          path: 'requestId',
          message: expectation === undefined ? 'or `expectation` is needed' : 'cannot be given with `expectation`',
        });
      return whyOf(world, requestId ?? requestBehind(world, expectation ?? ''));
    },
  }),
};
