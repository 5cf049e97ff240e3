// How an exploration ends before anything was tried.

import { tailOf } from '../../tools/explore/output.js';
import { endInterrupted } from '../interrupt.js';
import { fail } from '../print.js';
import type { ProgressLine } from './progress.js';

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
