import { expect, it } from 'vitest';
import { baseUrlOf, notBaseUrl } from '../../src/control/base-url.js';

it.each([
  ['http://127.0.0.1:4747//', 'http://127.0.0.1:4747'],
  ['http://here/_emulators', 'http://here/_emulators'],
  ['HTTPS://here/cloud/w/one/', 'HTTPS://here/cloud/w/one'],
])('a base URL is taken from %s', (given, url) => {
  expect(baseUrlOf(given)).toBe(url);
});

it.each([
  ['here:1/', 'http://here:1'],
  ['localhost', 'http://localhost'],
  ['http:/127.0.0.1:1', 'http://127.0.0.1:1'],
  ['http:127.0.0.1:1', 'http://127.0.0.1:1'],
  ['https//here', 'https://here'],
  ['//here:1', 'http://here:1'],
  ['httpbin:80', 'http://httpbin:80'],
  ['4747', 'http://127.0.0.1:4747'],
  [':4747', 'http://127.0.0.1:4747'],
])('a base URL that is none, %s, is refused with a URL', (given, meant) => {
  expect(baseUrlOf(given)).toBeUndefined();
  expect(notBaseUrl('--url', given)).toMatch(new RegExp(`, got "${given}"; did you mean "${meant}"\\?$`));
});

it.each([
  ['http://here:1?', 'http://here:1'],
  ['http://here:1/w/one/#x', 'http://here:1/w/one'],
  ['http://here:1/_emulator/', 'http://here:1'],
  ['http://here:1/w/one/_emulator/#/timeline', 'http://here:1/w/one'],
  ['http://here:1/_emulator/health?x=1', 'http://here:1'],
])('the address of a page, %s, leads to its base URL', (given, base) => {
  expect(baseUrlOf(given)).toBeUndefined();
  expect(notBaseUrl('--url', given)).toBe(
    `--url must be a URL without a query, a fragment or /_emulator, got "${given}"; did you mean "${base}"?`,
  );
});

it.each(['', 'http://', 'ftp://here', 'http:', 'two words', '99999'])(
  'a base URL without a likely meaning is refused without a suggestion: "%s"',
  (given) => {
    expect(baseUrlOf(given)).toBeUndefined();
    expect(notBaseUrl('url', given)).toBe(`url must be a URL that begins with http:// or https://, got "${given}"`);
  },
);
