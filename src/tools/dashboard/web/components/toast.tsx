// The last message, at the foot of the page, where it covers nothing: what was done, or what went wrong.

import { signal } from '@preact/signals';
import { refresh } from '../live.js';

interface Message {
  text: string;
  isError: boolean;
}

const message = signal<Message | undefined>(undefined);
const shownMs = 5_000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message in the place of the last one, for some seconds; an error until it is closed. */
export function toast(text: string, { isError = false } = {}): void {
  clearTimeout(timer);
  message.value = { text, isError };
  if (!isError) timer = setTimeout(close, shownMs);
}

function close(): void {
  message.value = undefined;
}

/** Runs something, reads anew what the page shows, and says what came of it. */
export async function attempt(run: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await run();
    refresh();
    if (done !== undefined) toast(done);
    return true;
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), { isError: true });
    return false;
  }
}

export function Toast() {
  const shown = message.value;
  return (
    <footer>
      <div role="status" aria-live="polite">
        {shown !== undefined && (
          <div class={shown.isError ? 'bad' : ''}>
            <span>{shown.text}</span>
            <button type="button" class="quiet" aria-label="Close the message" onClick={close}>
              ✕
            </button>
          </div>
        )}
      </div>
    </footer>
  );
}
