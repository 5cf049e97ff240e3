// Any value as a tree that opens and closes: what no view knows is shown so, never as a blank page.

import type { ComponentChildren } from 'preact';

const mostOpen = 3;
const mostShown = 200;

/** A value, opened where it is small. */
export function Json({ value, depth = 0, name }: { value: unknown; depth?: number; name?: string }) {
  const label = name === undefined ? null : <span class="faint">{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div>
        {label}
        <Leaf value={value} />
      </div>
    );
  const entries = Object.entries(value);
  const kind = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  if (entries.length === 0)
    return (
      <div>
        {label}
        <span class="faint">{Array.isArray(value) ? '[ ]' : '{ }'}</span>
      </div>
    );
  return (
    <details open={depth < mostOpen && entries.length <= 50}>
      <summary>
        {label}
        <span class="faint">{kind}</span>
      </summary>
      <div>
        {entries.slice(0, mostShown).map(([key, one]) => (
          <Json key={key} name={key} value={one} depth={depth + 1} />
        ))}
        {entries.length > mostShown && <p class="faint">and {entries.length - mostShown} more</p>}
      </div>
    </details>
  );
}

function Leaf({ value }: { value: unknown }): ComponentChildren {
  const kind = value === null ? 'null' : typeof value;
  return (
    <span class={kind === 'string' ? 'good' : 'ahead'}>
      {kind === 'string' ? String(value) : JSON.stringify(value)}
    </span>
  );
}

/** A body: as a tree if it is JSON, else as it is. */
export function Body({ text }: { text: string | null }) {
  if (text === null || text === '') return <p class="faint">No body</p>;
  try {
    return (
      <div class="code">
        <Json value={JSON.parse(text)} />
      </div>
    );
  } catch {
    return <pre class="code">{text}</pre>;
  }
}
