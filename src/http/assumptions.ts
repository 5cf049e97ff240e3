// The ledger of guesses: where the platform's contract is silent, what is answered, and which setting changes it. The
// texts are in fixtures/assumptions.json.

import ledger from '../../fixtures/assumptions.json' with { type: 'json' };

export type AssumptionId = keyof typeof ledger;

export interface Assumption {
  /** detail: a header or a text; body: the shape of a response; operation: the whole operation. */
  level: 'detail' | 'body' | 'operation';
  text: string;
  /** The setting that changes it. */
  setting?: string;
}

export const assumptions = ledger as Record<AssumptionId, Assumption>;
