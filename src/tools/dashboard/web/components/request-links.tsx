// Requests in a few lines, each with the way to it in the timeline.

import type { JournalEntry } from '../../../journal/journal-entry.js';
import { hrefOf } from '../route.js';
import { Status } from './parts.js';

const mostLinks = 50;

/** Requests, each with the way to it in the timeline. */
export function RequestLinks({ requests }: { requests: readonly JournalEntry[] }) {
  return (
    <ul class="notes">
      {requests.slice(0, mostLinks).map(({ seq, method, path, status }) => (
        <li key={seq} class="lead">
          <Status of={status} />
          <a href={hrefOf({ view: 'timeline', item: `request:${seq}` })}>
            <code>
              {method} {path}
            </code>
          </a>
        </li>
      ))}
      {requests.length > mostLinks && <li class="faint">and {requests.length - mostLinks} more</li>}
    </ul>
  );
}
