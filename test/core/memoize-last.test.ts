// Functions that remember what they answered.

import { expect, it, vi } from 'vitest';
import { memoizeBy, memoizeLast, memoizeMany } from '../../src/core/memoize-last.js';

it('memoizeLast answers once what is asked again', () => {
  const answer = vi.fn((word: string) => word.length);
  const last = memoizeLast(answer);
  expect(['one', 'one', 'three', 'one'].map(last)).toEqual([3, 3, 5, 3]);
  expect(answer).toHaveBeenCalledTimes(3);
});

it('memoizeLast forgets all when there are too many', () => {
  const answer = vi.fn((word: string) => ({ word }));
  const many = memoizeMany(2, answer);
  const first = many('one');
  expect(many('two')).toEqual({ word: 'two' });
  expect(many('one')).toBe(first);
  many('three');
  expect(many('one')).not.toBe(first);
  expect(answer).toHaveBeenCalledTimes(4);
});

it('memoizeLast answers alike what has the same key', () => {
  const answer = vi.fn(({ name, age }: { name: string; age: number }) => `${name} is ${age}`);
  const named = memoizeBy(5, ({ name }: { name: string; age: number }) => name, answer);
  expect(named({ name: 'Ada', age: 36 })).toBe('Ada is 36');
  expect(named({ name: 'Ada', age: 37 })).toBe('Ada is 36');
  expect(named({ name: 'Bob', age: 1 })).toBe('Bob is 1');
  expect(answer).toHaveBeenCalledTimes(2);
});
