// The timeline: what happened, now, and what is still to come.

import { computed, type ReadonlySignal, type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { AheadEntry, TimelineEntry } from '../../../timeline/schema.js';
import { longSpan, type Mark, pastShare, Strip, type StripLane, usualSpan } from '../components/charts.js';
import { columnsOf, Subject, titleOf } from '../components/fields.js';
import { Actions, jumpTo, Sample } from '../components/form.js';
import { Frame, isSlim, List } from '../components/list.js';
import { Badge, Filter, Instant, InTimeline, KeyValues, Section, Toggle, When } from '../components/parts.js';
import { clock, now, RequestWorld } from '../emulator.js';
import { filter, go, route, set, useKeys } from '../page.js';
import { distanceText, durationText, minute, resultText, timeText } from '../text.js';
import { RequestParts } from './request.js';
import { ahead, type Entry, holds, isRead, past, problem, useTimeline, worldOf } from './timeline-data.js';

interface Row {
  key: string;
  /** undefined: the line of now. */
  entry?: Entry;
  isAhead: boolean;
}

const kindNames: Partial<Record<Entry['kind'], string>> = { marker: 'world', window: 'limit' };

const words = computed(() => filter.value.toLowerCase().split(/\s+/).filter(Boolean));

/** Whether an entry came of the same request as the open one, or is a step of what that one concerns. */
function areRelated(open: Entry, { kind, subject, requestId = null }: Entry): boolean {
  if (requestId !== null && requestId === open.requestId) return true;
  return subject !== null && subject === open.subject && ['container', 'agent', 'job'].includes(kind);
}

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
  const due = useComputed(() => ahead.value.filter(({ at }) => Date.parse(at) <= (now.value ?? -Infinity)).length);
  return useComputed(() => {
    const isShown = (entry: Entry, tones: readonly string[]): boolean =>
      (!onlyProblems.value || tones.includes(entry.tone)) &&
      lanesOf(entry).some((lane) => !hidden.value.includes(lane)) &&
      holds(entry, words.value);
    const before = (held.value ?? past.value).filter((entry) => isShown(entry, ['bad', 'warning']));
    const after = ahead.value.filter((entry) => isShown(entry, ['bad']));
    const come = new Set(ahead.value.slice(0, due.value));
    const rows = after.map((entry): Row => ({ key: `ahead:${entry.id}`, entry, isAhead: true }));
    rows.splice(after.filter((entry) => come.has(entry)).length, 0, { key: 'now', isAhead: false });
    return {
      rows: [...before.map((entry): Row => ({ key: entry.id, entry, isAhead: false })), ...rows],
      before,
      after,
    };
  });
}

// A link to a request leads to all that belongs to it, and opens the request itself.
function useNamedRequest(rows: readonly Row[]): void {
  const isNamed = ({ entry }: Row): boolean => entry?.kind === 'request' && entry.requestId === filter.value;
  const key = /^req_/.test(filter.value) ? (rows.find(isNamed)?.key ?? '') : '';
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
  const pause = (): void => set(held, held.value === undefined ? past.value : undefined);
  useKeys([
    { key: ' ', does: 'Pause, or go on', run: pause },
    { key: 'n', does: 'Back to now', run: () => set(follows, true) },
  ]);
  useNamedRequest(rows);
  const { key: openKey, entry: open, isAhead = false } = rows.find(({ key }) => key === route.value.item) ?? {};
  const pick = (key: string): void => {
    picked.value = key;
    follows.value = false;
    go({ item: key, filter: filter.value });
  };
  const index = rows.findIndex(({ key }) => key === (follows.value ? 'now' : picked.value));
  return (
    <Frame
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
          keyOf={({ key }) => key}
          open={openKey}
          onOpen={({ key, entry }) => entry !== undefined && go({ item: key, filter: filter.value })}
          classOf={({ entry, isAhead: isToCome }) => {
            if (entry === undefined) return 'now';
            return `${isToCome ? 'ahead' : ''} ${open !== undefined && areRelated(open, entry) ? 'related' : ''}`;
          }}
          pin={index === -1 ? undefined : { index, at: follows.value ? 0.7 : 0.4 }}
          onScrolledAway={() => {
            follows.value = false;
            picked.value = '';
          }}
          none="Nothing has happened yet"
          hint={
            <Sample says="Send a first request, and it appears here:" path="/api/v1/containers">
              Whatever your client sends, and all that follows from it in time, comes in at the line of now.
            </Sample>
          }
        />
      }
      pane={open && { title: open.title, content: <EntryParts entry={open} isAhead={isAhead} /> }}
    >
      <Chips hidden={hidden} onlyProblems={onlyProblems} follows={follows} />
      {!isNew && <TimelineStrip past={before} ahead={after} hidden={hidden.value} open={openKey} onOpen={pick} />}
    </Frame>
  );
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

const columns = columnsOf<Row>(
  'time:8.5rem|6rem kind:5rem? what:3fr result:11rem|max-content details:2fr? durationMs:4.5rem?',
  {
    time: (row, width) => <At row={row} isShort={isSlim(width)} />,
    kind: ({ entry }) => entry && <span class="faint">{titleOf(kindNames[entry.kind] ?? entry.kind)}</span>,
    what: ({ entry }, width) =>
      entry === undefined ? (
        <span>now{clock.value?.frozen === true ? ', frozen' : ''}</span>
      ) : (
        <Title entry={entry} isShort={isSlim(width)} />
      ),
    result: ({ entry, isAhead }) =>
      entry?.result && <Badge tone={isAhead ? 'ahead' : entry.tone}>{resultText(entry.result)}</Badge>,
    details: ({ entry }) => <span class="faint">{entry?.detail}</span>,
    durationMs: ({ entry }) => entry?.durationMs != null && <span class="faint">{durationText(entry.durationMs)}</span>,
  },
);

function At({ row: { entry, isAhead }, isShort }: { row: Row; isShort: boolean }) {
  const instant = now.value ?? 0;
  if (entry === undefined) return <strong>{timeText(instant)}</strong>;
  const { at } = entry;
  if (!isAhead || Date.parse(at) <= instant) return <When at={at} isShort={isShort} />;
  return (
    <time dateTime={at} title={at}>
      {distanceText(Date.parse(at), instant)}
    </time>
  );
}

// A container is named by its project, a request where there is little room by its operation.
function Title({ entry, isShort }: { entry: Entry; isShort: boolean }) {
  const { kind, title, subject, operation = null, project = null } = entry;
  if (kind !== 'request') return <>{title}</>;
  if (isShort && operation !== null)
    return (
      <>
        <code>{operation}</code> {project !== null && <strong>{project}</strong>}
      </>
    );
  const [, method, path = ''] = /^(\S+) (.*)$/s.exec(title) ?? [];
  const [before = '', ...after] = subject === null || project === null ? [path] : path.split(subject);
  return (
    <>
      <strong>{method}</strong> {before}
      {after.length > 0 && <strong title={subject ?? ''}>{project}</strong>}
      {after.join(subject ?? '')}
      {after.length === 0 && project !== null && <strong> {project}</strong>}
    </>
  );
}

function EntryParts({ entry, isAhead }: { entry: Entry; isAhead: boolean }) {
  const { kind, result, tone, at, subject, requestId = null, detail = null } = entry;
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
      {kind === 'request' && requestId !== null ? (
        <RequestWorld.Provider value={worldOf(entry)}>
          <RequestParts requestId={requestId} />
        </RequestWorld.Provider>
      ) : (
        <KeyValues
          entries={[
            ['Kind', kind],
            ['More', detail],
            ['Concerns', subject && <Subject kind={kind} id={subject} />],
            ['Request', requestId && <InTimeline of={requestId}>{requestId}</InTimeline>],
          ]}
        />
      )}
    </>
  );
}

/** The lanes of the timeline, which can be shown and hidden. */
const lanes = [
  ['request', 'Requests'],
  ['container', 'Containers'],
  ['agent', 'Agents'],
  ['job', 'Jobs'],
  ['credits', 'Credits'],
  ['fault', 'Faults'],
  ['clock', 'Clock'],
  ['expiry', 'Expiries'],
] as const;

type Lane = (typeof lanes)[number][0];

/** The lanes of an entry: a request that a fault met lies in two. */
function lanesOf({ kind, fault = null, subject }: Entry): Lane[] {
  if (kind === 'request') return fault === null ? ['request'] : ['request', 'fault'];
  if (kind === 'marker') return ['clock'];
  if (kind === 'window') return ['expiry'];
  return [kind === 'expiry' && /^fault_/.test(subject ?? '') ? 'fault' : kind];
}

const markOf = ({ id, at, tone, title, result }: Entry, isAhead: boolean): Mark => ({
  key: isAhead ? `ahead:${id}` : id,
  at: Date.parse(at),
  tone,
  isAhead,
  title,
  result,
});

function marksOf(entries: readonly Entry[], isAhead: boolean): Partial<Record<Lane, Mark[]>> {
  const marks: Partial<Record<Lane, Mark[]>> = {};
  for (const entry of entries) {
    const mark = markOf(entry, isAhead);
    for (const lane of lanesOf(entry)) {
      marks[lane] ??= [];
      marks[lane].push(mark);
    }
  }
  return marks;
}

interface TimelineStripProps {
  past: readonly TimelineEntry[];
  ahead: readonly AheadEntry[];
  /** The lanes that are not shown. */
  hidden: readonly Lane[];
  open: string | undefined;
  onOpen: (key: string) => void;
}

// So many of both sides are in sight before anybody zooms.
const latest = 60;
const next = 6;
const leastReachMs = 15 * minute;
// After a jump of days what happened before it is still to be seen.
const leastInSight = 10;

/** How far back the latest reach, in milliseconds: many of them, or a few where many reach back for days. */
function reachBack(past: readonly TimelineEntry[], instant: number): number {
  const since = (count: number, entries: readonly TimelineEntry[]): number => {
    const first = entries[Math.max(0, entries.length - count)];
    return first === undefined ? 0 : instant - Date.parse(first.at);
  };
  const many = since(latest, past);
  if (many <= longSpan * pastShare) return many;
  const few = past.slice(-latest).filter(({ kind }) => kind !== 'clock');
  return Math.max(longSpan * pastShare * 0.9, since(leastInSight, few));
}

function TimelineStrip({ past, ahead, hidden, open, onOpen }: TimelineStripProps) {
  const before = useMemo(() => marksOf(past, false), [past]);
  const after = useMemo(() => marksOf(ahead, true), [ahead]);
  const stripLanes = useMemo(
    () =>
      lanes.flatMap(([lane, title]): StripLane[] => {
        const marks = hidden.includes(lane) ? [] : [...(before[lane] ?? []), ...(after[lane] ?? [])];
        return marks.length === 0 ? [] : [{ title, marks }];
      }),
    [before, after, hidden],
  );
  const instant = now.value;
  if (instant === undefined || stripLanes.length === 0) return null;
  const back = reachBack(past, instant);
  // Windows of limits follow each other without end: what moves by itself counts more.
  const moving = ahead.filter(({ kind }) => kind !== 'window').slice(0, next);
  const coming = (moving.length === 0 ? ahead : moving).map(({ at }) => Date.parse(at) - instant);
  // A session that expires tomorrow would press all that happened into one spot.
  const span = usualSpan(back, Math.max(0, ...coming.filter((wait) => wait <= Math.max(4 * back, leastReachMs))));
  const upcoming = ahead.find(({ at }) => Date.parse(at) > instant);
  return (
    <Strip
      lanes={stripLanes}
      next={upcoming && markOf(upcoming, true)}
      usualSpan={span}
      now={instant}
      open={open}
      onOpen={onOpen}
    />
  );
}
