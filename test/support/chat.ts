// Asking for chat completions in tests, and reading their streams as bytes.

import { type Answer, call, type Platform } from './emulator.js';

export const path = '/api/v1/chat/completions';
export const model = 'gpt-4o-mini';

export const question = (content: string, fields: object = {}): object => ({
  model,
  messages: [{ role: 'user', content }],
  ...fields,
});

/** A completion that is not streamed, or the whole text of one that is. */
export function ask(emulator: Platform, content: string, fields: object = {}, headers = {}): Promise<Answer> {
  return call(emulator, 'POST', path, question(content, fields), headers);
}

export interface OpenChat {
  /** The contents that have come. */
  contents: string[];
  /** Everything that has come. */
  text: () => string;
  /** Resolves when at least so many contents have come. */
  until(count: number): Promise<void>;
  /** Resolves when the stream is over, with how it ended. */
  ended: Promise<'whole' | 'broken'>;
  leave(): void;
}

/** Opens a stream of chat. */
export async function openChat(emulator: Platform, content: string, fields: object = {}): Promise<OpenChat> {
  const abort = new AbortController();
  const response = await emulator.fetch(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${emulator.apiKey}` },
    body: JSON.stringify(question(content, { stream: true, ...fields })),
    signal: abort.signal,
  });
  if (response.status !== 200) throw new Error(`the chat answered ${response.status}: ${await response.text()}`);
  const contents: string[] = [];
  let text = '';
  let wake = (): void => {};
  const ended = (async () => {
    const decoder = new TextDecoder();
    let read = 0;
    try {
      for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
        text += decoder.decode(bytes, { stream: true });
        const blocks = text.slice(read).split('\n\n').slice(0, -1);
        read += blocks.reduce((sum, block) => sum + block.length + 2, 0);
        for (const block of blocks) contents.push(...contentsOf(block));
        wake();
      }
      return 'whole';
    } catch {
      return 'broken';
    } finally {
      wake();
    }
  })();
  return {
    contents,
    text: () => text,
    async until(count) {
      while (contents.length < count) await new Promise<void>((resolve) => (wake = resolve));
    },
    ended,
    leave: () => abort.abort(),
  };
}

function contentsOf(block: string): string[] {
  try {
    const chunk = JSON.parse(block.replace(/^data: /, ''));
    return chunk.choices.flatMap((choice: any) => choice.delta.content || []);
  } catch {
    return [];
  }
}

/** The balance of an organization, in credits. */
export function creditsOf(emulator: Platform, id = emulator.organizationId): number {
  return emulator.controls.organizations.list().find((one) => one.id === id)?.credits ?? 0;
}
