// The line of progress of `explore`: rewritten at a terminal, and seldom told elsewhere.

import { renderedForPeople, writeRendered } from '../print.js';
import { stderrScreen } from '../terminal.js';
import { cut, padded } from '../width.js';

export interface ProgressLine {
  show(text: string): void;
  /** Prints a line that stays. */
  note(text: string): void;
  /** Clears it. */
  end(): void;
}

const seldomMs = 15_000;

export function createProgress(): ProgressLine {
  const { isTerminal, columns } = stderrScreen();
  let last = -Infinity;
  let isShown = false;
  const rewrite = (text: string): void =>
    writeRendered(`\r${renderedForPeople(padded(cut(text, columns - 1), columns - 1))}`);
  const line = (text: string): void => writeRendered(`${renderedForPeople(text)}\n`);
  const clear = (): void => {
    if (!isShown) return;
    rewrite('');
    writeRendered('\r');
  };
  return {
    show(text) {
      if (isTerminal) {
        isShown = true;
        return rewrite(text);
      }
      const now = performance.now();
      if (now - last < seldomMs) return;
      last = now;
      line(text);
    },
    note(text) {
      clear();
      line(text);
    },
    end: clear,
  };
}
