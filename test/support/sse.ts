// Reading server-sent events in tests.

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
