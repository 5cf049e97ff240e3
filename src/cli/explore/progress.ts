// The line of progress of `explore`: rewritten at a terminal, and seldom told elsewhere.

import type { Config } from '../../config/schema.js';
import { tailOf } from '../../tools/explore/output.js';
import { endInterrupted } from '../interrupt.js';
import { cut, padded } from '../layout.js';
import { fail, renderedForPeople, stderrScreen, writeAsIs } from '../print.js';
import { silenceText } from '../tested-command.js';
import type { Once } from './once.js';

export type ProgressLine = ReturnType<typeof createProgress>;

const seldomMs = 15_000;

export function createProgress() {
  const { isTerminal, columns } = stderrScreen();
  let last = -Infinity;
  let isShown = false;
  const rewrite = (text: string): void =>
    writeAsIs(`\r${renderedForPeople(padded(cut(text, columns - 1), columns - 1))}`);
  const line = (text: string): void => writeAsIs(`${renderedForPeople(text)}\n`);
  const clear = (): void => {
    if (!isShown) return;
    rewrite('');
    writeAsIs('\r');
  };
  return {
    show(text: string): void {
      const now = performance.now();
      if (isTerminal) {
        isShown = true;
        rewrite(text);
      } else if (now - last >= seldomMs) {
        last = now;
        line(text);
      }
    },
    /** Prints a line that stays. */
    note(text: string): void {
      clear();
      line(text);
    },
    /** Clears it. */
    end: clear,
  };
}

// How an exploration ends before anything was tried.

/** It was interrupted. */
export function endEarly({ end }: ProgressLine): never {
  end();
  endInterrupted('nothing was tried yet.');
}

/** Ends where a run without faults shows that the command cannot be explored: it fails anyway, or sends nothing. */
export function demandSound(
  { exitCode, output, worlds }: Once,
  words: readonly string[],
  { env }: Config,
  progress: ProgressLine,
  scenario?: string,
): void {
  const without =
    scenario === undefined ? 'Without any fault' : 'Mend the client first, then explore: in the scenario alone';
  if (exitCode !== 0) refuse(progress, `${without} \`${words.join(' ')}\` ends with ${exitCode}:`, output);
  if (worlds.size === 0) refuse(progress, silenceText(env), output);
}

/** The command cannot be explored, as what it printed may say. */
export function refuse({ end }: ProgressLine, reason: string, output: string): never {
  end();
  const tail = tailOf(output, 30).map((line) => `  ${line}`);
  fail(2, tail.length > 0 ? [reason, ...tail] : reason.replace(/:$/, ', and prints nothing.'), { code: 'NOT_STARTED' });
}
