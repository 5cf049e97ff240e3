// A button that copies a text, and says itself that it has.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { set } from '../set.js';
import { attempt } from './toast.js';

const saidMs = 2_000;

interface CopyProps {
  /** The text that is copied; for a long text, the function that makes it. */
  text: string | (() => string | Promise<string>);
  /** The thing that is copied, for screen readers: 'the key'. */
  of?: string;
  /** The label of the button. */
  children?: string;
}

export function Copy({ text, of, children = 'Copy' }: CopyProps) {
  const isDone = useSignal(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const press = async (): Promise<void> => {
    if (!(await attempt(async () => write(typeof text === 'string' ? text : await text())))) return;
    clearTimeout(timer.current);
    isDone.value = true;
    timer.current = setTimeout(() => set(isDone, false), saidMs);
  };
  const word = isDone.value ? 'Copied' : children;
  return (
    <button
      type="button"
      class={of === undefined ? '' : 'quiet'}
      aria-label={of === undefined ? undefined : `${word} ${of}`}
      onClick={press}
    >
      {word}
    </button>
  );
}

// Only pages of this machine and of https may use the clipboard; elsewhere the text is selected.
async function write(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
