// The end of a log, which stays in sight as lines come, until somebody scrolls up.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { timeText } from '../text.js';

export interface Line {
  at: string;
  level: string;
  message: string;
}

const tones: Partial<Record<string, string>> = { warn: 'warning', error: 'bad' };

export function LogTail({ lines }: { lines: readonly Line[] }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  if (lines.length === 0) return <p class="faint">No lines yet</p>;
  return (
    <div
      ref={box}
      class="code"
      role="log"
      aria-label="Log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
      }}
    >
      {lines.map(({ at, level, message }, index) => (
        <div key={`${at}-${index}`} class={tones[level]}>
          <time class="faint" dateTime={at}>
            {timeText(at)}
          </time>{' '}
          {message}
        </div>
      ))}
    </div>
  );
}
