// Reads server-sent events out of bytes as they come, each byte once.

import { StringDecoder } from 'node:string_decoder';
import type { SseEvent } from './response.js';

export interface EventReader {
  /** The events and comments that end in a piece, or before it. */
  read(piece: Buffer): SseEvent[];
}

/**
 * Begins to read a stream.
 *
 * @example createEventReader().read(Buffer.from('event: chunk\ndata: {}\n\n')) // [{ event: 'chunk', data: '{}' }]
 */
export function createEventReader(): EventReader {
  const decoder = new StringDecoder('utf8');
  let line: string[] = [];
  let wasReturn = false;
  let fields: { id?: string; event?: string; data: string[] } = { data: [] };

  function endLine(events: SseEvent[]): void {
    const text = line.join('');
    line = [];
    if (text === '') {
      const { data, ...rest } = fields;
      if (data.length > 0) events.push({ ...rest, data: data.join('\ndata: ') });
      fields = { data: [] };
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return void events.push({ data: '', comment: text.slice(1) });
    const name = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? '' : text.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') fields.data.push(value);
    else if (name === 'event' || name === 'id') fields[name] = value;
  }

  return {
    read(piece) {
      const events: SseEvent[] = [];
      for (const part of decoder.write(piece).split(/(\r\n|\n|\r)/)) {
        if (part === '') continue;
        // The two characters of one end of a line may come apart.
        const isRest = wasReturn && part === '\n';
        wasReturn = part === '\r';
        if (isRest) continue;
        if (part === '\n' || part === '\r' || part === '\r\n') endLine(events);
        else line.push(part);
      }
      return events;
    },
  };
}
