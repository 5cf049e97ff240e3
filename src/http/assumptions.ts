// The list of assumptions: what the emulator does where the platform's contract is silent, and the setting for it. The
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

/** Whether an operation rests wholly on a guess. */
export function isGuess(ids: readonly AssumptionId[] | undefined): boolean {
  return ids?.some((id) => assumptions[id].level === 'operation') === true;
}
