// Fault rules in words.

import { durationText } from '../text.js';

/** Parts of a rule in a line; whatever they are. */
export function partsText(parts: Record<string, unknown>, none: string): string {
  const texts = Object.entries(parts).map(([name, value]) => {
    if (name === 'times') return value === 1 ? 'once' : `${String(value)} times`;
    if ((name === 'delay' || name === 'expiresIn') && typeof value === 'number')
      return `${name} ${durationText(value)}`;
    return `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`;
  });
  return texts.length === 0 ? none : texts.join(', ');
}
