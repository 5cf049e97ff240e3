// Budgets of work: what is over the bound is refused in the words of a validation error.

import { expect, it } from 'vitest';
import { createBudget } from '../../src/core/budget.js';
import { ApiError } from '../../src/core/errors.js';

function refusalOf(act: () => void): ApiError {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('It was not refused');
}

it('a budget takes as much as its bound, in any portions', () => {
  const budget = createBudget({ most: 1_500, of: 'items', path: 'input' });
  budget.spend(1_000);
  budget.spend(0);
  budget.spend(500);
});

it('a budget names the field, the bound and what is counted, as a validation error', () => {
  const budget = createBudget({ most: 1_500, of: 'items', path: 'input' });
  budget.spend(1_500);
  const error = refusalOf(() => budget.spend(1));
  const message = 'asks for too much work: one request may cause at most 1,500 items';
  expect(error.status).toBe(400);
  expect(error.message).toBe(`Invalid request data: input ${message}`);
  expect(error.options.details).toEqual([{ path: 'input', message }]);
});

it('a budget names the part of the input that went over the bound, where it knows it', () => {
  const budget = createBudget({ most: 10, of: 'items', path: 'input' });
  budget.spend(10, 'input[0].id');
  expect(refusalOf(() => budget.spend(1, 'input[7].id')).options.details).toMatchObject([{ path: 'input[7].id' }]);
});

it('a budget refuses bytes as 413 where it is asked to', () => {
  const budget = createBudget({ most: 10, of: 'bytes', path: 'files', code: 'PAYLOAD_TOO_LARGE' });
  expect(refusalOf(() => budget.spend(11)).status).toBe(413);
});
