// Budgets of work. One thing in a request can cause the same work many times (each reference reads what it refers to,
// each repetition makes the whole anew), so a bound on the request's length says nothing of the work: that is counted
// while it is done, and refused once there is too much of it.

import { ApiError, type FieldProblem } from './errors.js';

/** The most work that one request may cause, and how its refusal says so. */
export interface WorkBound {
  most: number;
  /** The things that are counted, in the plural: `items`. */
  of: string;
  /** The field that causes the work; a function where it is long in the making, or changes. */
  path: string | (() => string);
  /** Default: VALIDATION_ERROR. PAYLOAD_TOO_LARGE is for what is bytes, such as what a file unpacks to. */
  code?: 'VALIDATION_ERROR' | 'PAYLOAD_TOO_LARGE';
}

/** Counts the work of one request. */
export interface Budget {
  /**
   * Counts work; to be called before it is done.
   *
   * @param amount how much of what the bound counts
   * @param path the field that causes this part of it, if not that of the bound
   * @throws ApiError that names the field and the bound, once all of it together is more than the bound
   */
  spend(amount: number, path?: string): void;
}

/**
 * A budget of work.
 *
 * @example
 * const items = createBudget({ most: 20_000, of: 'items', path: 'input' });
 * items.spend(response.items.length, `input[${index}].id`);
 */
export function createBudget({ most, of, path: usual, code = 'VALIDATION_ERROR' }: WorkBound): Budget {
  let spent = 0;
  return {
    spend(amount, given) {
      spent += amount;
      if (spent <= most) return;
      const path = given ?? (typeof usual === 'string' ? usual : usual());
      const problem: FieldProblem = {
        path,
        message: `asks for too much work: one request may cause at most ${most.toLocaleString('en')} ${of}`,
      };
      throw new ApiError(code, {
        message: `Invalid request data: ${path} ${problem.message}`,
        details: [problem],
      });
    },
  };
}
