// Limits: how much of each window a caller has used, and the limits in force.

import { useSignal } from '@preact/signals';
import type { LimitsView, LimitView, LimitWindow } from '../../../../platform/limits/views.js';
import type { CoverageReport } from '../../../coverage/control.js';
import { Actions } from '../components/actions.js';
import { columnsOf, Facts } from '../components/fields.js';
import { OperationForm, type Texts } from '../components/form.js';
import type { Column } from '../components/list.js';
import { ListView, tabbed, useItem } from '../components/list-view.js';
import { Ahead, Badge, Empty, Instant, KeyValues, Meter, Section, Two } from '../components/parts.js';
import { now, useData } from '../live.js';
import { durationText, numberText } from '../text.js';
import { Caller, useCallerNames } from './caller.js';

type Kind = 'preset' | 'feature' | 'operation';
/** The way in which controls name a limit; undefined for one that they cannot set. */
type Selector = readonly [Kind, string] | undefined;

interface Limit extends Omit<LimitView, 'from'> {
  id: string;
  from: string;
  name: string;
  selector: Selector;
}

/** A window with what it is called and how long it is. */
interface Window extends LimitWindow {
  id: string;
  name: string;
  windowMs: number | undefined;
  selector: Selector;
}

export const Limits = tabbed({ windows: Windows, 'limits in force': InForce });

/** What both tabs have: the limits, and the ways to change them. */
function useLimits() {
  const { value, error } = useData<LimitsView>('/limits', ['request', 'control', 'clock']);
  const [item, go] = useItem();
  const limits = value && limitsIn(value);
  const common = {
    title: 'Limits',
    note: 'What each caller has used of its windows, until when, and the limits in force.',
    error,
    filter: 'Filter limits',
    tools: (
      <button type="button" class="primary" onClick={() => go('new')}>
        Set a limit
      </button>
    ),
    keyOf: ({ id }: { id: string }) => id,
    titleOf: ({ name }: { name: string }) => name,
    pane: item === 'new' && { title: 'Set a limit', content: <SetAny /> },
    children: (
      <div class="bar">
        {value?.enabled === false && <Badge tone="warning">switched off by the settings</Badge>}
        <Actions
          label="All limits"
          actions={[
            {
              label: 'Release all',
              operation: 'limits.release',
              done: 'The limits of the settings apply again, and every window starts again',
            },
          ]}
        />
      </div>
    ),
  };
  return { value, limits, common };
}

function Windows() {
  const { value, limits = [], common } = useLimits();
  const nameOf = useCallerNames();
  const windows = value?.windows
    .filter(({ resetsAt }) => now.value === undefined || Date.parse(resetsAt) > now.value)
    .map((window): Window => {
      const { caller, bucket } = window;
      const limit = limits.find(({ selector }) => selector?.[1] === bucket && selector[0] !== 'preset');
      const { windowMs } = (bucket === 'all' ? limits[0] : limit) ?? {};
      return { ...window, id: `${caller} ${bucket}`, name: nameOf(caller), windowMs, selector: limit?.selector };
    })
    // The fullest come first: they are the next to refuse.
    .sort((a, b) => shareOf(b) - shareOf(a));
  return (
    <ListView
      {...common}
      label="Windows of callers"
      rows={windows}
      columns={columns}
      lines={2}
      empty={
        <Empty title="No window is open">
          <p>A window begins with the first request of a caller. Send one, or set a limit before it comes.</p>
        </Empty>
      }
      detail={(window) => <WindowParts window={window} />}
    />
  );
}

function InForce() {
  const { limits, common } = useLimits();
  return (
    <ListView
      {...common}
      label="Limits in force"
      rows={limits}
      columns={columnsOf<Limit>('name limit windowMs from?')}
      empty={<Empty title="No such limit" />}
      detail={({ limit, windowMs, from, selector }) => (
        <>
          <Facts of={{ limit, windowMs, from }} />
          <SetLimit selector={selector} />
        </>
      )}
    />
  );
}

const sources = { default: 'the platform', settings: 'the settings', control: 'set by a control' };

function limitsIn({ keys, presets, features, operations }: LimitsView): Limit[] {
  const named = (kind: Kind, list: readonly (LimitView & { name: string })[]): Limit[] =>
    list.map((one) => ({
      ...one,
      from: sources[one.from],
      id: `${kind} ${one.name}`,
      name: `${kind} ${one.name}`,
      selector: [kind, one.name],
    }));
  return [
    { ...keys, from: sources[keys.from], id: 'keys', name: 'all requests of a key', selector: undefined },
    ...named('operation', operations),
    ...named('feature', features),
    ...named('preset', presets),
  ];
}

const shareOf = ({ used, limit, exhausted }: LimitWindow): number => (exhausted ? 1 : used / limit);
const bucketText = (bucket: string): string => ({ all: 'all requests', plan: 'its plan' })[bucket] ?? bucket;
const lengthText = (windowMs: number | undefined): string => (windowMs === undefined ? '–' : durationText(windowMs));
const usedText = ({ used, limit }: LimitWindow): string => `${numberText(used)} of ${numberText(limit)}`;

const columns: readonly Column<Window>[] = [
  {
    title: 'Caller',
    width: 'minmax(0, 3fr)',
    cell: ({ name, bucket }) => <Two first={<strong>{name}</strong>} second={bucketText(bucket)} />,
  },
  { title: 'Used', width: 'minmax(2.5rem, 2fr)', cell: (window) => <Used window={window} /> },
  { title: '', width: '7rem', align: 'end', cell: usedText },
  { title: 'Window', width: '5rem', minor: true, cell: ({ windowMs }) => lengthText(windowMs) },
  { title: 'Ends', width: '7rem', minor: true, cell: ({ resetsAt }) => <Ahead at={resetsAt} /> },
];

function Used({ window: { name, bucket, used, limit, exhausted } }: { window: Window }) {
  return <Meter label={`${bucketText(bucket)} of ${name}`} value={exhausted ? limit : used} max={limit} />;
}

function WindowParts({ window }: { window: Window }) {
  const { caller, bucket, exhausted, resetsAt, windowMs, selector } = window;
  return (
    <>
      <Used window={window} />
      <KeyValues
        entries={[
          ['Caller', <Caller key="caller" caller={caller} />],
          ['Counts', bucketText(bucket)],
          ['Used', `${usedText(window)}${exhausted ? ', and exhausted: nothing passes before it ends' : ''}`],
          ['Window', lengthText(windowMs)],
          ['Ends', <Instant key="ends" at={resetsAt} />],
        ]}
      />
      {(selector !== undefined || bucket === 'all') && (
        <Section title="Use it up">
          <OperationForm
            isTall
            label="Exhaust"
            operation="limits.exhaust"
            fields="retryAfter"
            known={{ retryAfter: { label: 'Retry-After in seconds' } }}
            input={{ caller, ...(selector !== undefined && { [selector[0]]: selector[1] }) }}
            done="The next request gets a 429"
            isPrimary={false}
            isDangerous
          />
        </Section>
      )}
      <SetLimit selector={selector} />
    </>
  );
}

function SetAny() {
  const { value } = useData<CoverageReport>('/coverage');
  const operations = value?.operations.map(({ operation }) => operation) ?? [];
  return (
    <>
      <p class="faint">Of an operation, a feature or a preset.</p>
      <OperationForm
        isTall
        label="Set"
        operation="limits.set"
        fields="operation feature preset limit window"
        known={{
          operation: { suggestions: operations, placeholder: operations[0] ?? '' },
          feature: { none: 'none' },
          preset: { none: 'none' },
          limit: { label: 'Requests' },
          window: { placeholder: 'as it is' },
        }}
        done="The limit is set"
      />
    </>
  );
}

function SetLimit({ selector }: { selector: Selector }) {
  const texts = useSignal<Texts>({ limit: '2' });
  if (selector === undefined)
    return (
      <p class="faint">
        How many requests a key may send in all is said by the key itself, or by the settings. Limits of features,
        presets and operations are set here.
      </p>
    );
  const [kind, name] = selector;
  return (
    <Section title="Set it">
      <OperationForm
        isTall
        label="Set"
        operation="limits.set"
        fields="limit window"
        texts={texts}
        known={{ limit: { label: 'Requests' }, window: { placeholder: 'as it is' } }}
        input={{ [kind]: name }}
        done={`The limit of ${name} is set`}
      />
    </Section>
  );
}
