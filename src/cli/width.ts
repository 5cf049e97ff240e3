// How many columns of a terminal a text takes.

import { visible } from '../core/visible.js';

const wide =
  /[\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{a4cf}\u{a960}-\u{a97f}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff00}-\u{ff60}\u{ffe0}-\u{ffe6}\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const combining = /[\p{Mn}\p{Me}]/u;

/** The columns of a text as it is printed. */
export function widthOf(text: string): number {
  const shown = visible(text);
  if (/^[\x20-\x7e]*$/.test(shown)) return shown.length;
  let width = 0;
  for (const sign of shown) width += widthOfSign(sign);
  return width;
}

/** The text in at most so many columns, with `…` where it was cut; escapes are not cut in the middle. */
export function cut(text: string, room: number): string {
  if (widthOf(text) <= room) return text;
  let width = 0;
  let kept = '';
  for (const sign of text) {
    width += widthOf(sign);
    if (width > room - 1) break;
    kept += sign;
  }
  return room < 1 ? '' : `${kept}…`;
}

/** The text, filled up with blanks. */
export function padded(text: string, room: number): string {
  return text + ' '.repeat(Math.max(0, room - widthOf(text)));
}

function widthOfSign(sign: string): number {
  if (combining.test(sign)) return 0;
  return wide.test(sign) ? 2 : 1;
}
