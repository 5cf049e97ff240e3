// The text of an HTML page: without tags, a paragraph for each block.

const blocks = /^(p|div|br|hr|li|ul|ol|dl|dt|dd|tr|td|th|table|h[1-6]|section|article|header|footer|main|title|pre)$/;
const hidden = /^(script|style|template)$/;
const entities: Record<string, string> = { nbsp: ' ', amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'" };

/** What a page says. Goes through it once, whatever it is. */
export function pageText(html: string): string {
  const lower = html.toLowerCase();
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const tag = html.indexOf('<', at);
    if (tag === -1) break;
    parts.push(html.slice(at, tag));
    const name = /^<\/?([a-z][a-z0-9]{0,20})/.exec(lower.slice(tag, tag + 24))?.[1];
    const isComment = html.startsWith('<!', tag);
    if (name === undefined && !isComment) {
      parts.push('<');
      at = tag + 1;
      continue;
    }
    const end = html.startsWith('<!--', tag) ? after(html, '-->', tag) : after(html, '>', tag);
    if (name !== undefined && blocks.test(name)) parts.push('\n');
    const isHidden = name !== undefined && hidden.test(name) && html[tag + 1] !== '/';
    at = isHidden ? after(lower, `</${name}`, end) : end;
    // What is left of an end tag goes with the next one.
    if (isHidden) at = after(html, '>', at);
  }
  parts.push(html.slice(at));
  return parts
    .join('')
    .replace(/&(nbsp|amp|lt|gt|quot|apos|#39);/g, (_, name: string) => entities[name] ?? ' ')
    .split('\n')
    .map((line) => line.replace(/[ \t\r]+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n\n');
}

// What never ends goes to the end.
function after(text: string, wanted: string, from: number): number {
  const found = text.indexOf(wanted, from);
  return found === -1 ? text.length : found + wanted.length;
}
