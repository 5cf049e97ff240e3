// The line of progress of `explore`: rewritten at a terminal, and seldom told elsewhere.

import { tailOf } from '../../tools/explore/output.js';
import { endInterrupted } from '../interrupt.js';
import { cut, padded } from '../layout.js';
import { fail, renderedForPeople, stderrScreen, writeRendered } from '../print.js';

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

// How an exploration ends before anything was tried.

/** It was interrupted. */
export function endEarly({ end }: ProgressLine): never {
  end();
  endInterrupted('nothing was tried yet.');
}

/** The command cannot be explored, as what it printed may say. */
export function refuse({ end }: ProgressLine, reason: string, output: string): never {
  end();
  fail(2, [reason, ...tailOf(output, 30).map((line) => `  ${line}`)], { code: 'NOT_STARTED' });
}
