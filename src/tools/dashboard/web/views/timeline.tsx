// The timeline: what happened, now, and what is still to come.

import { computed, type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AheadEntry, TimelineEntry } from '../../timeline.js';
import { Sample } from '../components/actions.js';
import { type Column, isSlim, List } from '../components/list.js';
import { Frame } from '../components/list-view.js';
import { Badge, Empty, Filter, Toggle, When } from '../components/parts.js';
import { useKeys } from '../keys.js';
import { clock, now } from '../live.js';
import { filter, go, route } from '../route.js';
import { set } from '../set.js';
import { distanceText, durationText, resultText, timeText } from '../text.js';
import { ahead, holds, isRead, past, problem, useTimeline } from './timeline-data.js';
import { EntryParts } from './timeline-detail.js';
import { type Lane, lanes, lanesOf, TimelineStrip } from './timeline-strip.js';

type Row = { past: TimelineEntry } | { ahead: AheadEntry } | 'now';

const kindNames: Record<TimelineEntry['kind'] | AheadEntry['kind'], string> = {
  request: 'Request',
  container: 'Container',
  agent: 'Agent',
  job: 'Job',
  credits: 'Credits',
  clock: 'Clock',
  marker: 'World',
  expiry: 'Expiry',
  window: 'Limit',
};

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
  return subject !== null && subject === of.subject && ['container', 'agent', 'job'].includes(kind);
}

// The request whose id is the filter.
const isNamed = ({ kind, requestId }: TimelineEntry): boolean => kind === 'request' && requestId === filter.value;

const entryOf = (row: Exclude<Row, 'now'>): TimelineEntry | AheadEntry => ('past' in row ? row.past : row.ahead);

const keyOf = (row: Row): string => (row === 'now' ? 'now' : 'past' in row ? row.past.id : `ahead:${row.ahead.id}`);

interface Choice {
  hidden: Signal<readonly Lane[]>;
  onlyProblems: Signal<boolean>;
  /** The past as it was when it was paused. */
  held: Signal<readonly TimelineEntry[] | undefined>;
}

interface Chosen {
  rows: readonly Row[];
  before: readonly TimelineEntry[];
  after: readonly AheadEntry[];
}

/** The entries that are not filtered out, and their rows: the past, the line of now, and what is to come. */
function useChosen({ hidden, onlyProblems, held }: Choice): ReadonlySignal<Chosen> {
  // A forecast that has come true is shown above now at once, before the emulator has sent the result.
  const due = useComputed(() => {
    const instant = now.value ?? Number.NEGATIVE_INFINITY;
    return ahead.value.filter(({ at }) => Date.parse(at) <= instant).length;
  });
  return useComputed(() => {
    const isShown = (entry: TimelineEntry | AheadEntry, tones: readonly string[]): boolean =>
      (!onlyProblems.value || tones.includes(entry.tone)) &&
      lanesOf(entry).some((lane) => !hidden.value.includes(lane)) &&
      holds(entry, words.value);
    const before = (held.value ?? past.value).filter((entry) => isShown(entry, ['bad', 'warning']));
    const after = ahead.value.filter((entry) => isShown(entry, ['bad']));
    const come = new Set(ahead.value.slice(0, due.value));
    const rows: Row[] = after.map((entry) => ({ ahead: entry }));
    rows.splice(after.filter((entry) => come.has(entry)).length, 0, 'now');
    return { rows: [...before.map((entry): Row => ({ past: entry })), ...rows], before, after };
  });
}

// A link to a request leads to all that belongs to it, and opens the request itself.
function useNamedRequest(rows: readonly Row[]): void {
  const named = /^req_/.test(filter.value)
    ? rows.find((row) => row !== 'now' && 'past' in row && isNamed(row.past))
    : undefined;
  const key = named === undefined ? '' : keyOf(named);
  useEffect(() => {
    if (key !== '' && route.peek().item === '') go({ item: key, filter: route.peek().filter }, { replace: true });
  }, [key]);
}

export function Timeline() {
  useTimeline();
  const hidden = useSignal<readonly Lane[]>([]);
  const onlyProblems = useSignal(false);
  const held = useSignal<readonly TimelineEntry[] | undefined>(undefined);
  const follows = useSignal(true);
  const { rows, before, after } = useChosen({ hidden, onlyProblems, held }).value;
  // The list scrolls to the row that was picked on the strip.
  const picked = useSignal('');
  // A new world has its first credits, and nothing else.
  const isNew = isRead.value && ahead.value.length === 0 && past.value.every(({ kind }) => kind === 'credits');
  const waiting = held.value === undefined ? 0 : past.value.length - held.value.length;
  const pause = (): void => {
    held.value = held.value === undefined ? past.value : undefined;
  };
  useKeys([
    { key: ' ', does: 'Pause, or go on', run: pause },
    { key: 'n', does: 'Back to now', run: () => set(follows, true) },
  ]);
  useNamedRequest(rows);
  const addressed = rows.find((row) => keyOf(row) === route.value.item);
  const open = addressed === 'now' ? undefined : addressed;
  const openKey = open && keyOf(open);
  const openRow = (key: string): void => go({ item: key, filter: filter.value });
  const pick = (key: string): void => {
    picked.value = key;
    follows.value = false;
    openRow(key);
  };
  const pinned = follows.value ? 'now' : picked.value;
  const index = rows.findIndex((row) => keyOf(row) === pinned);
  return (
    <Frame
      title="Timeline"
      note="Everything that happened, and what is still to come."
      error={problem.value}
      tools={
        <>
          <Filter text={filter} placeholder="Filter: 402, containers.get, my-app" />
          <button type="button" aria-pressed={held.value !== undefined} onClick={pause}>
            {held.value === undefined ? 'Pause' : `Go on${waiting > 0 ? ` (${waiting} new)` : ''}`}
          </button>
        </>
      }
      list={
        <List
          label="Timeline"
          rows={isNew ? [] : rows}
          columns={columns}
          keyOf={keyOf}
          open={openKey}
          onOpen={(row) => row !== 'now' && openRow(keyOf(row))}
          classOf={(row) => classOf(row, open)}
          pin={index === -1 ? undefined : { index, at: follows.value ? 0.7 : 0.4 }}
          onScrolledAway={() => {
            follows.value = false;
            picked.value = '';
          }}
          empty={<FirstSteps />}
        />
      }
      pane={
        open && {
          title: entryOf(open).title,
          content: <EntryParts entry={entryOf(open)} isAhead={'ahead' in open} />,
        }
      }
    >
      <Chips hidden={hidden} onlyProblems={onlyProblems} follows={follows} />
      {!isNew && <TimelineStrip past={before} ahead={after} hidden={hidden.value} open={openKey} onOpen={pick} />}
    </Frame>
  );
}

function classOf(row: Row, open: Exclude<Row, 'now'> | undefined): string {
  if (row === 'now') return 'now';
  return `${'ahead' in row ? 'ahead' : ''} ${open !== undefined && areRelated(open, row) ? 'related' : ''}`;
}

function Chips({ hidden, onlyProblems, follows }: Omit<Choice, 'held'> & { follows: Signal<boolean> }) {
  const toggle = (lane: Lane): void => {
    hidden.value = hidden.value.includes(lane) ? hidden.value.filter((one) => one !== lane) : [...hidden.value, lane];
  };
  return (
    <fieldset class="chips" aria-label="What to show">
      {lanes.map(([lane, title]) => (
        <button key={lane} type="button" aria-pressed={!hidden.value.includes(lane)} onClick={() => toggle(lane)}>
          {title}
        </button>
      ))}
      <Toggle of={onlyProblems}>Only problems</Toggle>
      {!follows.value && (
        <button type="button" class="ahead" onClick={() => set(follows, true)}>
          ↓ Now
        </button>
      )}
    </fieldset>
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
    width: '11rem',
    narrow: 'max-content',
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
  return <span>now{clock.value?.frozen === true ? ', frozen' : ''}</span>;
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
        <code>{operation}</code> {project !== null && <strong>{project}</strong>}
      </>
    );
  const [, method, path = ''] = request;
  const [before = '', ...after] = subject === null || project === null ? [path] : path.split(subject);
  return (
    <>
      <strong>{method}</strong>{' '}
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
