// Reading server-sent events in tests, and not reading them.

import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { Emulator } from '../../src/index.js';

export interface SseMessage {
  id: string | undefined;
  data: any;
}

export interface SseReader {
  /** Everything that has come so far. */
  messages: SseMessage[];
  /** Resolves when at least so many messages have come. */
  until(count: number): Promise<SseMessage[]>;
  ended: Promise<void>;
  close(): void;
}

/** Opens a stream and collects its events. */
export async function openStream(url: string, headers: Record<string, string>): Promise<SseReader> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  if (response.status !== 200 || response.body === null) throw new Error(`the stream answered ${response.status}`);
  const messages: SseMessage[] = [];
  let wake = (): void => {};
  const ended = (async () => {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
        const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (data !== undefined) messages.push({ id: /^id: (.*)$/m.exec(block)?.[1], data: JSON.parse(data) });
        }
        wake();
      }
    } catch (error) {
      if (!abort.signal.aborted) throw error;
    }
    wake();
  })();
  return {
    messages,
    async until(count) {
      while (messages.length < count) await new Promise<void>((resolve) => (wake = resolve));
      return messages;
    },
    ended,
    close: () => abort.abort(),
  };
}

/** Opens the journal's stream and reads nothing of it, until `readOn` reads what there is and returns its ids. */
export async function openIdle(emulator: Pick<Emulator, 'port'>): Promise<{ readOn(): Promise<string[]> }> {
  const sent = request({ host: '127.0.0.1', port: emulator.port, path: '/_emulator/requests/stream' }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.pause();
  // A connection that is reset closes at once, whatever was not read yet.
  const over = new Promise((resolve) => response.once('close', resolve));
  response.on('error', () => {});
  return {
    async readOn() {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.resume();
      await over;
      return [...text.matchAll(/^id: (\d+)\n(?=data: .*\n\n)/gm)].map((match) => match[1] ?? '');
    },
  };
}

/** Sends so many requests with bodies of 8 KB over twenty connections. */
export async function loadWith(emulator: Pick<Emulator, 'port' | 'apiKey'>, count: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  const headers = { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'y'.repeat(8_000) });
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const sent = request({
        port: emulator.port,
        host: '127.0.0.1',
        path: '/api/v1/api-keys',
        method: 'POST',
        headers,
        agent,
      });
      const [response] = (await once(sent.end(body), 'response')) as [IncomingMessage];
      await once(response.resume(), 'end');
    }
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  agent.destroy();
}
