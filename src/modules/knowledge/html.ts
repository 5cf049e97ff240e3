// The text of HTML pages.

import type { Sliced } from '../../core/slices.js';

const blocks = /^(p|div|br|hr|li|ul|ol|dl|dt|dd|tr|td|th|table|h[1-6]|section|article|header|footer|main|title|pre)$/;
const hidden = /^(script|style|template)$/;
const tagsAtOnce = 2_000;
const linesAtOnce = 2_000;

/**
 * The text of an HTML page, in one pass whatever it holds: 1 MB of unclosed tags takes 70 ms, and 7.8 s and the whole
 * stack in html-to-text 10.0.
 *
 * @param decode what the library for character references does with a text
 */
export function* pageText(html: string, decode: (text: string) => string): Sliced<string> {
  const lower = html.toLowerCase();
  const parts: string[] = [];
  // References are decoded in runs of text: a tag ends one.
  let run = '';
  let at = 0;
  for (let seen = 1; at < html.length; seen++) {
    if (seen % tagsAtOnce === 0) yield;
    const tag = html.indexOf('<', at);
    if (tag === -1) break;
    run += html.slice(at, tag);
    const name = /^<\/?([a-z][a-z0-9]{0,20})/.exec(lower.slice(tag, tag + 24))?.[1];
    const isComment = html.startsWith('<!', tag) || html.startsWith('<?', tag);
    if (name === undefined && !isComment) {
      run += '<';
      at = tag + 1;
      continue;
    }
    parts.push(decode(run));
    run = '';
    const end = html.startsWith('<!--', tag) ? after(html, '-->', tag) : after(html, '>', tag);
    if (name !== undefined && blocks.test(name)) parts.push('\n');
    const isHidden = name !== undefined && hidden.test(name) && html[tag + 1] !== '/';
    at = isHidden ? after(lower, `</${name}`, end) : end;
    // The rest of the end tag is skipped.
    if (isHidden) at = after(html, '>', at);
  }
  parts.push(decode(run + html.slice(at)));
  return yield* linesOf(parts.join(''));
}

function* linesOf(text: string): Sliced<string> {
  const lines: string[] = [];
  for (let from = 0, seen = 1; from <= text.length; seen++) {
    if (seen % linesAtOnce === 0) yield;
    const end = text.indexOf('\n', from);
    const to = end === -1 ? text.length : end;
    const line = text
      .slice(from, to)
      .replace(/[ \t\r\u00a0]+/g, ' ')
      .trim();
    if (line !== '') lines.push(line);
    from = to + 1;
  }
  return lines.join('\n\n');
}

// The position after a text; the end where it is missing.
function after(text: string, wanted: string, from: number): number {
  const found = text.indexOf(wanted, from);
  return found === -1 ? text.length : found + wanted.length;
}
