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
  /**
   * The places of an answer that it makes a guess about: a difference from the platform there speaks against it. A place
   * that no assumption of the answer covers is documented. `status 402` (`4xx`; alone: any), `header x-ratelimit-*`, a
   * JSON pointer (`*` is one step or index, `**` any number, none too), `order /data`, `precedence` (which of several
   * errors comes first), or a behaviour over several requests, as `price`. An operation in front, as `agents.list` or
   * `containers.*`, restricts it to that.
   */
  covers: readonly string[];
}

/** An assumption as users see it: what it covers is for the comparison with the platform. */
export type ShownAssumption = Omit<Assumption, 'covers'>;

export const assumptions = ledger as Record<AssumptionId, Assumption>;

/** What users see of an assumption. */
export function shownAssumption(id: AssumptionId): ShownAssumption {
  const { covers: _, ...shown } = assumptions[id];
  return shown;
}

/** Whether an operation rests wholly on a guess. */
export function isGuess(ids: readonly AssumptionId[] | undefined): boolean {
  return ids?.some((id) => assumptions[id].level === 'operation') === true;
}
