// Limits: how much of each window a caller has used, and the limits in force.

import type { LimitsView, LimitView, LimitWindow } from '../../../../platform/limits/views.js';
import type { CoverageReport } from '../../../coverage/control.js';
import { Facts } from '../components/fields.js';
import { Actions, OperationForm } from '../components/form.js';
import { ListView, tabbed, useItem } from '../components/list.js';
import { Badge, Meter, Section } from '../components/parts.js';
import { now, useData } from '../emulator.js';
import { numberText } from '../text.js';
import { Caller, useCallers } from './request.js';

/** What controls name a limit by; empty for one that they cannot set. */
type Selector = { readonly [Kind in 'preset' | 'feature' | 'operation']?: string };

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
  const common = {
    error,
    filter: 'Filter limits',
    tools: (
      <button type="button" class="primary" onClick={() => go('new')}>
        Set a limit
      </button>
    ),
    keyOf: ({ id }: { id: string }) => id,
    titleOf: ({ name }: { name: string }) => name,
    pane: item === 'new' && { title: 'Set a limit', content: <SetLimit /> },
    bar: (
      <>
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
      </>
    ),
  };
  return { value, limits: value && limitsIn(value), common };
}

function Windows() {
  const { value, limits = [], common } = useLimits();
  const { nameOf } = useCallers();
  const windows = value?.windows
    .filter(({ resetsAt }) => now.value === undefined || Date.parse(resetsAt) > now.value)
    .map((window): Window => {
      const { caller, bucket } = window;
      const limit = limits.find(({ selector }) => selector.operation === bucket || selector.feature === bucket);
      const { windowMs } = (bucket === 'all' ? limits[0] : limit) ?? {};
      return { ...window, id: `${caller} ${bucket}`, name: nameOf(caller), windowMs, selector: limit?.selector ?? {} };
    })
    // The fullest come first: they are the next to refuse.
    .sort((a, b) => shareOf(b) - shareOf(a));
  return (
    <ListView
      {...common}
      label="Windows of callers"
      rows={windows}
      columns="name/bucket:3fr used:minmax(2.5rem,2fr) count:7rem windowMs? resetsAt?"
      cells={{
        bucket: ({ bucket }) => bucketText(bucket),
        used: (window) => <Used window={window} />,
        count: usedText,
      }}
      lines={2}
      none="No window is open"
      hint="A window begins with the first request of a caller. Send one, or set a limit before it comes."
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
      columns="name limit windowMs from?"
      none="No such limit"
      detail={({ limit, windowMs, from, selector }) => (
        <>
          <Facts of={{ limit, windowMs, from }} />
          <SetLimit of={selector} />
        </>
      )}
    />
  );
}

const sources = { default: 'the platform', settings: 'the settings', control: 'set by a control' };

function limitsIn({ keys, presets, features, operations }: LimitsView): Limit[] {
  const named = (kind: keyof Selector, list: readonly (LimitView & { name: string })[]): Limit[] =>
    list.map((one) => {
      const name = `${kind} ${one.name}`;
      return { ...one, from: sources[one.from], id: name, name, selector: { [kind]: one.name } };
    });
  return [
    { ...keys, from: sources[keys.from], id: 'keys', name: 'all requests of a key', selector: {} },
    ...named('operation', operations),
    ...named('feature', features),
    ...named('preset', presets),
  ];
}

const shareOf = ({ used, limit, exhausted }: LimitWindow): number => (exhausted ? 1 : used / limit);
const bucketText = (bucket: string): string => ({ all: 'all requests', plan: 'its plan' })[bucket] ?? bucket;
const usedText = ({ used, limit }: LimitWindow): string => `${numberText(used)} of ${numberText(limit)}`;

function Used({ window: { name, bucket, used, limit, exhausted } }: { window: Window }) {
  return <Meter label={`${bucketText(bucket)} of ${name}`} value={exhausted ? limit : used} max={limit} />;
}

function WindowParts({ window }: { window: Window }) {
  const { caller, bucket, exhausted, resetsAt, windowMs, selector } = window;
  return (
    <>
      <Used window={window} />
      <Facts
        of={{ windowMs, resetsAt }}
        known={{
          caller: <Caller caller={caller} />,
          counts: bucketText(bucket),
          used: `${usedText(window)}${exhausted ? ', and exhausted: nothing passes before it ends' : ''}`,
        }}
      />
      {(bucket === 'all' || Object.keys(selector).length > 0) && (
        <Section title="Use it up">
          <OperationForm
            isTall
            label="Exhaust"
            operation="limits.exhaust"
            fields="retryAfter"
            input={{ caller, ...selector }}
            done="The next request gets a 429"
            isPrimary={false}
            isDangerous
          />
        </Section>
      )}
      <SetLimit of={selector} />
    </>
  );
}

/** The form that sets the limit of something; without `of`, of what is filled in. */
function SetLimit({ of }: { of?: Selector }) {
  const { value } = useData<CoverageReport>('/coverage');
  const operations = value?.operations.map(({ operation }) => operation) ?? [];
  if (of !== undefined && Object.keys(of).length === 0)
    return (
      <p class="faint">
        How many requests a key may send in all is said by the key itself, or by the settings. Limits of features,
        presets and operations are set here.
      </p>
    );
  return (
    <Section title={of === undefined ? 'Of an operation, a feature or a preset' : 'Set it'}>
      <OperationForm
        isTall
        label="Set"
        operation="limits.set"
        fields={`${of === undefined ? 'operation feature preset ' : ''}limit window`}
        known={{
          operation: { suggestions: operations, placeholder: operations[0] ?? '' },
          feature: { none: 'none' },
          preset: { none: 'none' },
          limit: { label: 'Requests' },
          window: { placeholder: 'as it is' },
        }}
        {...(of !== undefined && { input: of })}
        done="The limit is set"
      />
    </Section>
  );
}
