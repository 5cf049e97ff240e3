// Short messages at the edge: what was done, and what went wrong.

import { signal } from '@preact/signals';

interface Message {
  id: number;
  text: string;
  isError: boolean;
}

const messages = signal<readonly Message[]>([]);
const shownMs = 5_000;
let last = 0;

/** Shows a message for some seconds; an error until it is closed. */
export function toast(text: string, { isError = false } = {}): void {
  const id = ++last;
  messages.value = [...messages.value.slice(-3), { id, text, isError }];
  if (!isError) setTimeout(() => close(id), shownMs);
}

function close(id: number): void {
  messages.value = messages.value.filter((message) => message.id !== id);
}

/** Runs something, and says what came of it. */
export async function attempt(run: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await run();
    if (done !== undefined) toast(done);
    return true;
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), { isError: true });
    return false;
  }
}

/** Copies a text. Only pages of this machine and of https may use the clipboard; elsewhere the text is selected. */
export function copy(text: string): void {
  void attempt(async () => {
    if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }, 'Copied');
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {messages.value.map(({ id, text, isError }) => (
        <div key={id} class={`toast ${isError ? 'bad' : ''}`}>
          <span>{text}</span>
          <button type="button" class="quiet" aria-label="Close the message" onClick={() => close(id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
