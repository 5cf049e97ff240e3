// Limits: how much of each window a caller has used, and the limits in force.

import { useSignal } from '@preact/signals';
import type { LimitsView, LimitView, LimitWindow } from '../../../limits/views.js';
import { post, remove } from '../api.js';
import { Actions } from '../components/actions.js';
import { Field, Fields, filled, flags, type Texts } from '../components/form.js';
import { type Column, List } from '../components/list.js';
import {
  Badge,
  Detail,
  Empty,
  Filter,
  Instant,
  KeyValues,
  Meter,
  Problem,
  Section,
  Two,
  Unread,
  ViewHead,
} from '../components/parts.js';
import { now, useData } from '../live.js';
import { go, route } from '../route.js';
import { set } from '../set.js';
import { distanceText, durationText, numberText } from '../text.js';
import { Caller, useCallerNames } from './caller.js';
import { type Kind, type Selector, SetAny, SetLimit } from './set-limit.js';

/** A window with what it is called and how long it is. */
interface Window extends LimitWindow {
  id: string;
  name: string;
  windowMs: number | undefined;
  /** The way in which controls name its bucket; undefined for one that they cannot set. */
  selector: Selector | undefined;
}

interface Limit extends LimitView {
  id: string;
  name: string;
  selector: Selector | undefined;
}

export function Limits() {
  const { value, error } = useData<LimitsView>('/limits', ['request', 'control', 'clock']);
  const nameOf = useCallerNames();
  const filter = useSignal('');
  const isOfCallers = useSignal(true);
  const words = filter.value.toLowerCase();
  const fits = (one: object): boolean => JSON.stringify(one).toLowerCase().includes(words);
  const limits = value === undefined ? [] : limitsIn(value);
  const windows = (value?.windows ?? [])
    .filter(({ resetsAt }) => now.value === undefined || Date.parse(resetsAt) > now.value)
    .map((window) => windowIn(limits, window, nameOf))
    .sort((a, b) => shareOf(b) - shareOf(a));
  const { item } = route.value;
  const open = windows.find(({ id }) => id === item);
  const openLimit = limits.find(({ id }) => id === item);
  const isOpen = open !== undefined || openLimit !== undefined || item === 'new';
  const common = { onOpen: ({ id }: { id: string }) => go({ item: id }), open: isOpen ? item : undefined };
  const keyOf = ({ id }: { id: string }): string => id;
  return (
    <>
      <ViewHead title="Limits" note="What each caller has used of its windows, until when, and the limits in force.">
        <Filter value={filter.value} placeholder="Filter limits" onInput={(text) => set(filter, text)} />
        <button type="button" class="primary" onClick={() => go({ item: 'new' })}>
          Set a limit
        </button>
      </ViewHead>
      <Problem text={error} />
      <div class="view-acts">
        <div class="chips">
          <button type="button" aria-pressed={isOfCallers.value} onClick={() => set(isOfCallers, true)}>
            Windows of callers {windows.length}
          </button>
          <button type="button" aria-pressed={!isOfCallers.value} onClick={() => set(isOfCallers, false)}>
            Limits in force {limits.length}
          </button>
          {value?.enabled === false && <Badge tone="warning">switched off by the settings</Badge>}
        </div>
        <Actions
          label="All limits"
          actions={[
            {
              label: 'Release all',
              command: 'limits release',
              run: () => remove('/limits'),
              done: 'The limits of the settings apply again, and every window starts again',
            },
          ]}
        />
      </div>
      <div class="split">
        {isOfCallers.value ? (
          <List
            label="Windows of callers"
            rows={windows.filter(fits)}
            columns={columns}
            lines={2}
            keyOf={keyOf}
            {...common}
            empty={value === undefined ? <Unread error={error} /> : <NoWindows />}
          />
        ) : (
          <List
            label="Limits in force"
            rows={limits.filter(fits)}
            columns={limitColumns}
            keyOf={keyOf}
            {...common}
            empty={<Empty title="No such limit" />}
          />
        )}
        {open !== undefined && (
          <Detail title={open.name} onClose={() => go({ item: '' })}>
            <WindowParts key={open.id} window={open} />
          </Detail>
        )}
        {openLimit !== undefined && (
          <Detail title={openLimit.name} onClose={() => go({ item: '' })}>
            <KeyValues
              entries={[
                ['Limit', `${openLimit.limit} in ${durationText(openLimit.windowMs)}`],
                ['From', sources[openLimit.from]],
              ]}
            />
            {openLimit.selector === undefined ? <Unset /> : <SetLimit key={item} selector={openLimit.selector} />}
          </Detail>
        )}
        {item === 'new' && (
          <Detail title="Set a limit" onClose={() => go({ item: '' })}>
            <SetAny known={limits.flatMap(({ selector }) => (selector === undefined ? [] : [selector]))} />
          </Detail>
        )}
      </div>
    </>
  );
}

const sources = { default: 'the platform', settings: 'the settings', control: 'set by a control' };

function limitsIn({ keys, presets, features, operations }: LimitsView): Limit[] {
  const named = (kind: Kind, list: readonly (LimitView & { name: string })[]): Limit[] =>
    list.map((one) => ({ ...one, id: `${kind} ${one.name}`, name: `${kind} ${one.name}`, selector: [kind, one.name] }));
  return [
    { ...keys, id: 'keys', name: 'all requests of a key', selector: undefined },
    ...named('operation', operations),
    ...named('feature', features),
    ...named('preset', presets),
  ];
}

function windowIn(limits: readonly Limit[], window: LimitWindow, nameOf: (caller: string) => string): Window {
  const { caller, bucket } = window;
  const limit = limits.find(({ selector }) => selector?.[1] === bucket && selector[0] !== 'preset');
  const windowMs = bucket === 'all' || bucket === 'other' ? limits[0]?.windowMs : limit?.windowMs;
  return { ...window, id: `${caller} ${bucket}`, name: nameOf(caller), windowMs, selector: limit?.selector };
}

/** In a narrower list the requests that a window counts stand beneath their caller. */
const bucketPx = 600;

const columns: readonly Column<Window>[] = [
  {
    title: 'Caller',
    width: 'minmax(0, 3fr)',
    cell: ({ name, bucket }, width) => {
      const caller = <strong>{name}</strong>;
      return width < bucketPx ? <Two first={caller} second={bucketText(bucket)} /> : caller;
    },
  },
  { title: 'Of', width: 'minmax(0, 2fr)', minor: bucketPx, cell: ({ bucket }) => bucketText(bucket) },
  { title: 'Used', width: 'minmax(2.5rem, 1fr)', cell: (window) => <Used window={window} /> },
  {
    title: '',
    width: '7rem',
    align: 'end',
    cell: ({ used, limit }) => `${numberText(used)} of ${numberText(limit)}`,
  },
  {
    title: 'Window',
    width: '5rem',
    minor: true,
    cell: ({ windowMs }) => <span class="faint">{lengthText(windowMs)}</span>,
  },
  {
    title: 'Ends',
    width: '7rem',
    minor: true,
    cell: ({ resetsAt }) =>
      now.value !== undefined && <span class="ahead-text">{distanceText(Date.parse(resetsAt), now.value)}</span>,
  },
];

const limitColumns: readonly Column<Limit>[] = [
  { title: 'Limit', width: 'minmax(0, 2fr)', cell: ({ name }) => <strong>{name}</strong> },
  { title: 'Requests', width: '5rem', align: 'end', cell: ({ limit }) => numberText(limit) },
  { title: 'Window', width: '5rem', cell: ({ windowMs }) => durationText(windowMs) },
  {
    title: 'From',
    width: '11rem',
    minor: true,
    cell: ({ from }) => <Badge tone={from === 'control' ? 'warning' : 'neutral'}>{sources[from]}</Badge>,
  },
];

// The fullest come first: they are the next to refuse.
const shareOf = ({ used, limit, exhausted }: LimitWindow): number => (exhausted ? 1 : used / limit);

const bucketText = (bucket: string): string =>
  ({ all: 'all requests', plan: 'its plan', other: 'unknown paths' })[bucket] ?? bucket;
const lengthText = (windowMs: number | undefined): string => (windowMs === undefined ? '–' : durationText(windowMs));

function Used({ window: { name, bucket, used, limit, exhausted } }: { window: Window }) {
  const value = exhausted ? limit : used;
  return <Meter label={`${bucketText(bucket)} of ${name}`} value={value} max={limit} />;
}

function NoWindows() {
  return (
    <Empty title="No window is open">
      <p>A window begins with the first request of a caller. Send one, or set a limit before it comes.</p>
    </Empty>
  );
}

function WindowParts({ window }: { window: Window }) {
  const { caller, bucket, used, limit, exhausted, resetsAt, windowMs, selector } = window;
  const texts = useSignal<Texts>({ retryAfter: '' });
  const request = {
    caller,
    ...(selector !== undefined && { [selector[0]]: selector[1] }),
    ...filled(texts.value, ['retryAfter'], ['retryAfter']),
  };
  const canExhaust = selector !== undefined || bucket === 'all';
  return (
    <>
      <Used window={window} />
      <KeyValues
        entries={[
          ['Caller', <Caller key="caller" caller={caller} />],
          ['Counts', bucketText(bucket)],
          [
            'Used',
            `${numberText(used)} of ${numberText(limit)}${exhausted ? ', and exhausted: nothing passes before it ends' : ''}`,
          ],
          ['Window', lengthText(windowMs)],
          ['Ends', <Instant key="ends" at={resetsAt} />],
        ]}
      />
      {canExhaust && (
        <Section title="Use it up">
          <Fields>
            <Field
              label="Retry-After in seconds"
              name="retryAfter"
              texts={texts}
              type="number"
              placeholder="rest of the window"
            />
          </Fields>
          <Actions
            label="Use it up"
            actions={[
              {
                label: 'Exhaust',
                command: `limits exhaust${flags(request)}`,
                run: () => post('/limits/exhaust', request),
                done: 'The next request gets a 429',
                isDangerous: true,
              },
            ]}
          />
        </Section>
      )}
      {selector === undefined ? <Unset /> : <SetLimit selector={selector} />}
    </>
  );
}

function Unset() {
  return (
    <p class="faint">
      How many requests a key may send in all is said by the key itself, or by the settings. Limits of features, presets
      and operations are set here.
    </p>
  );
}
