// Puts together what a page shows, as `innerText` does: white space is collapsed as lines are laid out, and what begins or ends
// a block begins a new line.

export interface ShownText {
  /** @param isKept whether white space is shown as it is */
  text(text: string, isKept: boolean): void;
  /** The end of a line, or the space between two cells. */
  literal(text: string): void;
  /** At least so many ends of lines before what comes next, if something came before. */
  breaks(count: number): void;
  result(): string;
}

export function createShownText(): ShownText {
  const parts: string[] = [];
  let breaks = 0;
  let space = '';
  let isLineStart = true;

  function append(text: string): void {
    if (breaks > 0 && parts.length > 0) parts.push('\n'.repeat(breaks));
    breaks = 0;
    parts.push(text);
  }

  return {
    text(text, isKept) {
      if (text === '') return;
      if (isKept) {
        append(space + text);
        space = '';
        isLineStart = text.endsWith('\n');
        return;
      }
      const collapsed = text.replace(/[ \t\n\f]+/g, ' ');
      if (collapsed.startsWith(' ') && !isLineStart) space = ' ';
      const shown = collapsed.slice(collapsed.startsWith(' ') ? 1 : 0, collapsed.endsWith(' ') ? -1 : undefined);
      if (shown === '') return;
      append(space + shown);
      space = collapsed.endsWith(' ') ? ' ' : '';
      isLineStart = false;
    },
    literal(text) {
      append(text);
      space = '';
      isLineStart = true;
    },
    breaks(count) {
      breaks = Math.max(breaks, count);
      space = '';
      isLineStart = true;
    },
    // A space that keeps a line together is a space to those who search.
    result: () => parts.join('').replaceAll('\u00a0', ' '),
  };
}
