// The nearest known word: close enough to be meant, or nothing.

import { expect, it } from 'vitest';
import { nearest } from '../../src/core/nearest.js';

it.each([
  ['prot', ['port', 'host'], 'port'],
  ['nmae', ['port', 'name'], 'name'],
  ['fasst', ['instant', 'fast', 'realistic'], 'fast'],
  ['projectName', ['project', 'project_name'], 'project_name'],
  ['DATA_DIR', ['data-dir'], 'data-dir'],
  ['elizaclod', ['spec', 'elizacloud'], 'elizacloud'],
  ['port', ['port'], 'port'],
  ['Port', ['prot', 'port'], 'port'],
])('the nearest word %s of %j is %s', (word, candidates, right) => {
  expect(nearest(word, candidates)).toBe(right);
});

it.each([
  ['nope', ['spec', 'elizacloud-v1']],
  ['x', ['a', 'b']],
  ['ab', ['cd']],
  ['', ['a']],
  ['port', []],
  ['p', ['port']],
])('the word %j has no nearest one in %j', (word, candidates) => {
  expect(nearest(word, candidates)).toBeUndefined();
});

it('the nearest word is the closest, and of two as close the first', () => {
  expect(nearest('stats', ['start', 'status', 'state'])).toBe('status');
  expect(nearest('cat', ['car', 'bat'])).toBe('car');
});

it('the nearest word is found quickly, whatever the word’s length', () => {
  expect(nearest('x'.repeat(1_000_000), ['port', 'x'.repeat(250)])).toBe('x'.repeat(250));
});
