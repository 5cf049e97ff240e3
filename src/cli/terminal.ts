// The properties of this process's streams: whether a person reads them, how wide they are, whether they show colours.

import type { WriteStream } from 'node:tty';

export interface Screen {
  /** A terminal, at which a person reads. */
  isTerminal: boolean;
  /** Its columns; Infinity where there is none, so that scripts get everything. */
  columns: number;
  hasColours: boolean;
}

const usualColumns = 80;

/** The stream of answers. */
export function stdoutScreen(): Screen {
  return screenOf(process.stdout);
}

/** The stream of messages and of the request log. */
export function stderrScreen(): Screen {
  return screenOf(process.stderr);
}

function screenOf({ isTTY, columns }: WriteStream): Screen {
  const isTerminal = isTTY === true;
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = process.env;
  // The values with which Node and supports-color mean none.
  const isForbidden = NO_COLOR !== '' || FORCE_COLOR === '0' || FORCE_COLOR === 'false';
  return {
    isTerminal,
    // A terminal that does not know its size says 0.
    columns: isTerminal ? columns || usualColumns : Number.POSITIVE_INFINITY,
    hasColours: isTerminal && !isForbidden && TERM !== 'dumb',
  };
}
