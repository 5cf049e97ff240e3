// The colours of words: green, yellow or red.

import { type Colour, type Part, painted } from './print.js';
import { padded } from './width.js';

const byWord: Record<string, Colour> = {
  running: 'green',
  pass: 'green',
  failed: 'red',
  fail: 'red',
  unclear: 'yellow',
};

/** The colour of the cells of a column. */
export function colourOf(column: string): ((cell: string) => Colour | undefined) | undefined {
  return column === 'status' || column === 'verdict' || column === 'state' ? ofStatus : undefined;
}

/** A status in its colour, filled up with blanks. */
export function statusPart(status: string, width = 0): Part {
  const colour = ofStatus(status);
  return colour === undefined ? padded(status, width) : painted(colour, padded(status, width));
}

/** The colour of a status: of an answer as HTTP counts it, or of a container. 0 is no answer. */
function ofStatus(status: string): Colour | undefined {
  if (/^\d+$/.test(status)) return ofNumber(Number(status));
  return byWord[status];
}

function ofNumber(status: number): Colour | undefined {
  if (status >= 500 || status === 0) return 'red';
  if (status >= 400) return 'yellow';
  return status >= 200 && status < 300 ? 'green' : undefined;
}
