// The text of a page is what a browser shows of it; `pages.full.ts` asks one.

import { Tokenizer } from 'htmlparser2';
import { expect, it } from 'vitest';
import { pageText } from '../../../src/platform/knowledge/html.js';
import { byHand, printed } from '../../support/shown-pages.js';

it('the texts of 60 pages are those that Chromium shows', () => {
  const pages = [...printed(), ...byHand()];
  expect(pages.length).toBeGreaterThan(60);
  const wrong = pages
    .map(({ key, html, text }) => ({ key, shown: text, read: pageText(html, { Tokenizer }) }))
    .filter(({ shown, read }) => shown !== read);
  expect(wrong).toEqual([]);
});
