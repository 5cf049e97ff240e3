// Limits: how much of each window a caller has used, and the limits in force.

import { useSignal } from '@preact/signals';
import type { LimitsView, LimitView, LimitWindow } from '../../../../platform/limits/views.js';
import { post, remove } from '../api.js';
import { Act } from '../components/actions.js';
import { Field, Fields, filled, flags, type Texts } from '../components/form.js';
import type { Column } from '../components/list.js';
import { ListView } from '../components/list-view.js';
import { Ahead, Badge, Either, Empty, Instant, KeyValues, Meter, Section, Two } from '../components/parts.js';
import { now, useData } from '../live.js';
import { go, route } from '../route.js';
import { durationText, numberText } from '../text.js';
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
  const isInForce = useSignal(false);
  const limits = value && limitsIn(value);
  const windows = value?.windows
    .filter(({ resetsAt }) => now.value === undefined || Date.parse(resetsAt) > now.value)
    .map((window) => windowIn(limits ?? [], window, nameOf))
    .sort((a, b) => shareOf(b) - shareOf(a));
  const common = {
    title: 'Limits',
    note: 'What each caller has used of its windows, until when, and the limits in force.',
    error,
    filter: 'Filter limits',
    tools: (
      <button type="button" class="primary" onClick={() => go({ item: 'new' })}>
        Set a limit
      </button>
    ),
    keyOf: ({ id }: { id: string }) => id,
    titleOf: ({ name }: { name: string }) => name,
    pane: route.value.item === 'new' && { title: 'Set a limit', content: <SetAny limits={limits ?? []} /> },
    children: (
      <div class="view-acts">
        <div class="chips">
          <Either
            of={isInForce}
            no={`Windows of callers ${windows?.length ?? 0}`}
            yes={`Limits in force ${limits?.length ?? 0}`}
          />
          {value?.enabled === false && <Badge tone="warning">switched off by the settings</Badge>}
        </div>
        <Act
          group="All limits"
          label="Release all"
          command="limits release"
          run={() => remove('/limits')}
          done="The limits of the settings apply again, and every window starts again"
        />
      </div>
    ),
  };
  return isInForce.value ? (
    <ListView
      {...common}
      label="Limits in force"
      rows={limits}
      columns={limitColumns}
      empty={<Empty title="No such limit" />}
      detail={(limit) => <LimitParts limit={limit} />}
    />
  ) : (
    <ListView
      {...common}
      label="Windows of callers"
      rows={windows}
      columns={columns}
      lines={2}
      empty={<NoWindows />}
      detail={(window) => <WindowParts window={window} />}
    />
  );
}

function LimitParts({ limit: { limit, windowMs, from, selector } }: { limit: Limit }) {
  return (
    <>
      <KeyValues
        entries={[
          ['Limit', `${limit} in ${durationText(windowMs)}`],
          ['From', sources[from]],
        ]}
      />
      {selector === undefined ? <Unset /> : <SetLimit selector={selector} />}
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
  const windowMs = bucket === 'all' ? limits[0]?.windowMs : limit?.windowMs;
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
    cell: ({ resetsAt }) => <Ahead at={resetsAt} />,
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

const bucketText = (bucket: string): string => ({ all: 'all requests', plan: 'its plan' })[bucket] ?? bucket;
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
          <Act
            group="Use it up"
            label="Exhaust"
            command={`limits exhaust${flags(request)}`}
            run={() => post('/limits/exhaust', request)}
            done="The next request gets a 429"
            isDangerous
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
