// The timeline: what happened, now, and what is still to come.

import { computed, useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AheadEntry, TimelineEntry } from '../../timeline.js';
import { type Column, isSlim, List } from '../components/list.js';
import { Badge, Empty, Filter, Problem, ViewHead, When } from '../components/parts.js';
import { Sample } from '../components/sample.js';
import { useKeys } from '../keys.js';
import { clock, now } from '../live.js';
import { go, route } from '../route.js';
import { set } from '../set.js';
import { distanceText, durationText, resultText, timeText } from '../text.js';
import { ahead, holds, isRead, past, problem, useTimeline } from './timeline-data.js';
import { EntryDetail } from './timeline-detail.js';
import { type Lane, lanes, lanesOf, TimelineStrip } from './timeline-strip.js';

type Row = { past: TimelineEntry } | { ahead: AheadEntry } | 'now';

const kindNames: Record<TimelineEntry['kind'] | AheadEntry['kind'], string> = {
  request: 'Request',
  container: 'Container',
  job: 'Job',
  credits: 'Credits',
  clock: 'Clock',
  marker: 'World',
  expiry: 'Expiry',
  window: 'Limit',
};

const filter = computed(() => route.value.filter);
const words = computed(() =>
  filter.value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Whether a row came of the same request as the open one, or is a step of what that one concerns. */
function areRelated(open: Exclude<Row, 'now'>, row: Exclude<Row, 'now'>): boolean {
  const [of, { kind, subject }] = ['past' in open ? open.past : open.ahead, 'past' in row ? row.past : row.ahead];
  const requestId = 'past' in open ? open.past.requestId : null;
  if (requestId !== null && 'past' in row && row.past.requestId === requestId) return true;
  return subject !== null && subject === of.subject && (kind === 'container' || kind === 'job');
}

// The request whose id is the filter.
const isNamed = ({ kind, requestId }: TimelineEntry): boolean => kind === 'request' && requestId === filter.value;

const entryOf = (row: Exclude<Row, 'now'>): TimelineEntry | AheadEntry => ('past' in row ? row.past : row.ahead);

const keyOf = (row: Row): string => (row === 'now' ? 'now' : 'past' in row ? row.past.id : `ahead:${row.ahead.id}`);

export function Timeline() {
  useTimeline();
  const hidden = useSignal<readonly Lane[]>([]);
  const onlyProblems = useSignal(false);
  const held = useSignal<readonly TimelineEntry[] | undefined>(undefined);
  const follows = useSignal(true);
  // A forecast that has come true is shown above now at once, before the emulator has sent the result.
  const due = useComputed(() => {
    const instant = now.value ?? Number.NEGATIVE_INFINITY;
    return ahead.value.filter(({ at }) => Date.parse(at) <= instant).length;
  });
  const rows = useComputed((): readonly Row[] => {
    const list = words.value;
    const isShown = (entry: TimelineEntry | AheadEntry): boolean =>
      lanesOf(entry).some((lane) => !hidden.value.includes(lane));
    const problems = onlyProblems.value;
    const before = (held.value ?? past.value).filter(
      (entry) =>
        isShown(entry) && (!problems || entry.tone === 'bad' || entry.tone === 'warning') && holds(entry, list),
    );
    const after = ahead.value.filter(
      (entry) => isShown(entry) && (!problems || entry.tone === 'bad') && holds(entry, list),
    );
    const rowOf = (entry: AheadEntry): Row => ({ ahead: entry });
    const come = new Set(ahead.value.slice(0, due.value));
    return [
      ...before.map((entry): Row => ({ past: entry })),
      ...after.filter((entry) => come.has(entry)).map(rowOf),
      'now',
      ...after.filter((entry) => !come.has(entry)).map(rowOf),
    ];
  });
  const shown = rows.value;
  const inPast = useComputed(() => rows.value.flatMap((row) => (row !== 'now' && 'past' in row ? [row.past] : [])));
  const inFuture = useComputed(() => rows.value.flatMap((row) => (row !== 'now' && 'ahead' in row ? [row.ahead] : [])));
  // The list scrolls to the row that was picked on the strip.
  const picked = useSignal('');
  // A new world has its first credits, and nothing else.
  const isNew = isRead.value && ahead.value.length === 0 && past.value.every(({ kind }) => kind === 'credits');
  const nowIndex = shown.indexOf('now');
  const waiting = held.value === undefined ? 0 : past.value.length - held.value.length;
  const pause = (): void => {
    held.value = held.value === undefined ? past.value : undefined;
  };
  useKeys([
    { key: ' ', does: 'Pause, or go on', run: pause },
    { key: 'n', does: 'Back to now', run: () => set(follows, true) },
  ]);
  const open = shown.find((row) => keyOf(row) === route.value.item);
  // A link to a request leads to all that belongs to it, and opens the request itself.
  const named = /^req_/.test(filter.value)
    ? shown.find((row) => row !== 'now' && 'past' in row && isNamed(row.past))
    : undefined;
  const namedKey = named === undefined ? '' : keyOf(named);
  useEffect(() => {
    if (namedKey !== '' && route.peek().item === '')
      go({ item: namedKey, filter: route.peek().filter }, { replace: true });
  }, [namedKey]);
  const pick = (key: string): void => {
    picked.value = key;
    follows.value = false;
    go({ item: key, filter: route.value.filter });
  };
  const pickedIndex = picked.value === '' ? -1 : shown.findIndex((row) => keyOf(row) === picked.value);
  const toggle = (lane: Lane): void => {
    hidden.value = hidden.value.includes(lane) ? hidden.value.filter((one) => one !== lane) : [...hidden.value, lane];
  };
  return (
    <>
      <ViewHead title="Timeline" note="Everything that happened, and what is still to come.">
        <Filter
          value={route.value.filter}
          placeholder="Filter: 402, containers.get, my-app"
          onInput={(text) => go({ item: route.value.item, filter: text }, { replace: true })}
        />
        <button type="button" aria-pressed={held.value !== undefined} onClick={pause}>
          {held.value === undefined ? 'Pause' : `Go on${waiting > 0 ? ` (${waiting} new)` : ''}`}
        </button>
      </ViewHead>
      <fieldset class="chips" aria-label="What to show">
        {lanes.map(([lane, title]) => (
          <button key={lane} type="button" aria-pressed={!hidden.value.includes(lane)} onClick={() => toggle(lane)}>
            {title}
          </button>
        ))}
        <button type="button" aria-pressed={onlyProblems.value} onClick={() => set(onlyProblems, !onlyProblems.value)}>
          Only problems
        </button>
        {!follows.value && (
          <button type="button" class="to-now" onClick={() => set(follows, true)}>
            ↓ Now
          </button>
        )}
      </fieldset>
      <Problem text={problem.value} />
      {!isNew && (
        <TimelineStrip
          past={inPast.value}
          ahead={inFuture.value}
          hidden={hidden.value}
          open={open === undefined || open === 'now' ? undefined : keyOf(open)}
          onOpen={pick}
        />
      )}
      <div class="split">
        <List
          label="Timeline"
          rows={isNew ? [] : shown}
          columns={columns}
          keyOf={keyOf}
          open={open === undefined ? undefined : keyOf(open)}
          onOpen={(row) => row !== 'now' && go({ item: keyOf(row), filter: route.value.filter })}
          classOf={(row) =>
            row === 'now'
              ? 'now-row'
              : `${'ahead' in row ? 'ahead-row' : ''} ${open !== undefined && open !== 'now' && areRelated(open, row) ? 'related' : ''}`
          }
          pin={
            follows.value
              ? { index: nowIndex, at: 0.7 }
              : pickedIndex === -1
                ? undefined
                : { index: pickedIndex, at: 0.4 }
          }
          onScrolledAway={() => {
            follows.value = false;
            picked.value = '';
          }}
          empty={<FirstSteps />}
        />
        {open !== undefined && open !== 'now' && (
          <EntryDetail
            key={keyOf(open)}
            {...('past' in open ? { entry: open.past } : { entry: open.ahead, isAhead: true })}
            onClose={() => go({ item: '', filter: route.value.filter })}
          />
        )}
      </div>
    </>
  );
}

const columns: readonly Column<Row>[] = [
  { title: 'Time', width: '8.5rem', narrow: '6rem', cell: (row, width) => <At row={row} isShort={isSlim(width)} /> },
  {
    title: 'Kind',
    width: '5rem',
    minor: true,
    cell: (row) => (row === 'now' ? null : <span class="faint">{kindNames[entryOf(row).kind]}</span>),
  },
  {
    title: 'What',
    width: 'minmax(0, 3fr)',
    cell: (row, width) => (row === 'now' ? <NowLine /> : <Title entry={entryOf(row)} isShort={isSlim(width)} />),
  },
  {
    title: 'Result',
    width: '7rem',
    narrow: '6.5rem',
    cell: (row) => {
      if (row === 'now') return null;
      const { result, tone } = entryOf(row);
      return result === '' ? null : <Badge tone={'ahead' in row ? 'ahead' : tone}>{resultText(result)}</Badge>;
    },
  },
  {
    title: 'Details',
    width: 'minmax(0, 2fr)',
    minor: true,
    cell: (row) => (row !== 'now' && 'past' in row ? <span class="faint">{row.past.detail}</span> : null),
  },
  {
    title: 'Took',
    width: '4.5rem',
    minor: true,
    align: 'end',
    cell: (row) =>
      row !== 'now' && 'past' in row && row.past.durationMs !== null ? (
        <span class="faint">{durationText(row.past.durationMs)}</span>
      ) : null,
  },
];

function At({ row, isShort }: { row: Row; isShort: boolean }) {
  const instant = now.value ?? 0;
  if (row === 'now') return <strong>{timeText(instant)}</strong>;
  const { at } = entryOf(row);
  if ('past' in row || Date.parse(at) <= instant) return <When at={at} isShort={isShort} />;
  return (
    <time dateTime={at} title={at}>
      {distanceText(Date.parse(at), instant)}
    </time>
  );
}

function NowLine() {
  return <span class="now-text">now{clock.value?.frozen === true ? ', frozen' : ''}</span>;
}

// A container is named by its project, a request where there is little room by its operation.
function Title({ entry, isShort }: { entry: TimelineEntry | AheadEntry; isShort: boolean }) {
  const { title, subject } = entry;
  const { operation = null, project = null } = entry as Partial<TimelineEntry>;
  const request = entry.kind === 'request' ? /^(\S+) (.*)$/s.exec(title) : null;
  if (request === null) return <>{title}</>;
  if (isShort && operation !== null)
    return (
      <>
        <span class="path">{operation}</span> {project !== null && <strong>{project}</strong>}
      </>
    );
  const [, method, path = ''] = request;
  const [before = '', ...after] = subject === null || project === null ? [path] : path.split(subject);
  return (
    <>
      <span class="method">{method}</span>{' '}
      <span class="path">
        {before}
        {after.length > 0 && <strong title={subject ?? ''}>{project}</strong>}
        {after.join(subject ?? '')}
      </span>
      {after.length === 0 && project !== null && <strong> {project}</strong>}
    </>
  );
}

function FirstSteps() {
  return (
    <Empty title="Nothing has happened yet">
      <p>Send a first request, and it appears here:</p>
      <Sample path="/api/v1/containers" />
      <p>Whatever your client sends, and all that follows from it in time, comes in at the line of now.</p>
    </Empty>
  );
}
