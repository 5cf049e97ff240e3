// One entry of the timeline in full.

import type { AheadEntry, TimelineEntry } from '../../timeline.js';
import { Actions } from '../components/actions.js';
import { jumpTo } from '../components/clock-bar.js';
import { Badge, Instant, KeyValues, Section } from '../components/parts.js';
import { RequestWorld } from '../request-world.js';
import { hrefOf } from '../route.js';
import { resultText } from '../text.js';
import { RequestParts } from './request-detail.js';
import { SubjectLink } from './subject-link.js';
import { worldOf } from './timeline-data.js';

export function EntryParts({ entry, isAhead }: { entry: TimelineEntry | AheadEntry; isAhead: boolean }) {
  const { kind, result, tone, at, subject } = entry;
  const { requestId = null, detail = null } = entry as Partial<TimelineEntry>;
  const isRequest = kind === 'request' && requestId !== null;
  return (
    <>
      <p class="lead">
        {result !== '' && <Badge tone={isAhead ? 'ahead' : tone}>{resultText(result)}</Badge>} <Instant at={at} />
      </p>
      {isAhead && (
        <Section title="Make it happen">
          <Actions label="Time" actions={jumpTo(at, 'Jump to this')} />
        </Section>
      )}
      {isRequest ? (
        <RequestWorld.Provider value={worldOf(entry)}>
          <RequestParts requestId={requestId} />
        </RequestWorld.Provider>
      ) : (
        <KeyValues
          entries={[
            ['Kind', kind],
            ['More', detail],
            ['Concerns', subject === null ? null : <SubjectLink kind={kind} id={subject} />],
            [
              'Request',
              requestId === null ? null : <a href={hrefOf({ view: 'timeline', filter: requestId })}>{requestId}</a>,
            ],
          ]}
        />
      )}
    </>
  );
}
