// One HTTP request to an emulator. Not fetch: that gives up on an answer after five minutes, is slow to load, and on Node
// 20 waits for ever where the connection is closed at once.

import type { IncomingMessage } from 'node:http';

export interface Sending {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** Ends it, also while the body comes. */
  signal?: AbortSignal | undefined;
}

/** The answer, as soon as its headers are there. */
export async function request(url: string, { body, ...options }: Sending): Promise<IncomingMessage> {
  const { request: open } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  // The path is sent unchanged: URL would turn `faults/.` into `faults/`, and so remove all instead of one.
  const path = url.replace(/^https?:\/\/[^/]*/i, '');
  return new Promise((resolve, reject) => {
    open(url, { agent: false, path, ...options })
      .on('response', resolve)
      .on('error', reject)
      .end(body);
  });
}

/** The whole body. */
export async function textOf(answer: IncomingMessage): Promise<string> {
  answer.setEncoding('utf8');
  let text = '';
  for await (const piece of answer) text += piece;
  return text;
}

export interface StreamEvent {
  id: string | undefined;
  data: string;
}

/** The events of a stream, as they come. */
export async function* eventsOf(answer: IncomingMessage): AsyncGenerator<StreamEvent> {
  answer.setEncoding('utf8');
  let rest = '';
  for await (const piece of answer) {
    const events = (rest + piece).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const lines = event.split('\n');
      const valuesOf = (field: string): string[] =>
        lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2));
      const data = valuesOf('data');
      if (data.length > 0) yield { id: valuesOf('id').at(-1), data: data.join('\n') };
    }
  }
}
