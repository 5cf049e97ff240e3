// The small parts of which views are made.

import { computed, type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useKeys } from '../keys.js';
import { now } from '../live.js';
import { set } from '../set.js';
import { dayText, distanceText, instantText, whenText } from '../text.js';
import { Copy } from './copy.js';

export type Tone = 'neutral' | 'good' | 'warning' | 'bad' | 'ahead';

/** A state in a word, with its colour. */
export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** The tone of a status of a request, a container or a job. */
export function toneOf(status: string | number): Tone {
  if (typeof status === 'number') return status >= 500 || status === 0 ? 'bad' : status >= 400 ? 'warning' : 'good';
  if (/^(running|completed|active|armed|pass|healthy|passing|ready)$/.test(status)) return 'good';
  if (/^(failed|fail|lost|unhealthy|failing|error|deletion_failed)$/.test(status)) return 'bad';
  return /^(stopped|disconnected|unclear|revoked|expired|aborted)$/.test(status) ? 'warning' : 'neutral';
}

/** The status of a request, a container or a job, with its colour; 0 is that of no response. */
export function Status({ of }: { of: string | number }) {
  return <Badge tone={toneOf(of)}>{of === 0 ? 'none' : of}</Badge>;
}

/** How far ahead an instant is; a dash where there is none. */
export function Ahead({ at }: { at: string | null }) {
  if (at === null || now.value === undefined) return <span class="faint">–</span>;
  return <span class="ahead">{distanceText(Date.parse(at), now.value)}</span>;
}

/** The head of a view: its name, what it shows in a sentence, and what stands at its right. */
export function ViewHead({ title, note, children }: { title: string; note?: string; children?: ComponentChildren }) {
  return (
    <header class="bar">
      <div>
        <h1>{title}</h1>
        {note !== undefined && <p class="faint ample">{note}</p>}
      </div>
      <div class="lead">{children}</div>
    </header>
  );
}

/** A field that filters as you type; `/` leads to it. */
export function Filter({ text, placeholder }: { text: { value: string }; placeholder: string }) {
  const field = useRef<HTMLInputElement>(null);
  useKeys([{ key: '/', does: 'Filter', run: () => field.current?.select() }]);
  return (
    <input
      ref={field}
      type="search"
      value={text.value}
      placeholder={placeholder}
      aria-label={placeholder}
      spellcheck={false}
      autocomplete="off"
      onInput={({ currentTarget }) => {
        text.value = currentTarget.value;
      }}
    />
  );
}

interface ToggleProps {
  of: Signal<boolean>;
  title?: string;
  children: ComponentChildren;
}

/** A button that is pressed while a signal is true, and turns it over. */
export function Toggle({ of, title, children }: ToggleProps) {
  return (
    <button type="button" aria-pressed={of.value} title={title} onClick={() => set(of, !of.value)}>
      {children}
    </button>
  );
}

/** Two buttons of which one is pressed: the second while a signal is true. */
export function Either({ of, no, yes }: { of: Signal<boolean>; no: string; yes: string }) {
  return (
    <>
      <button type="button" aria-pressed={!of.value} onClick={() => set(of, false)}>
        {no}
      </button>
      <button type="button" aria-pressed={of.value} onClick={() => set(of, true)}>
        {yes}
      </button>
    </>
  );
}

/** The hint that a view shows while it is empty. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="stack">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** The error of reading, in the place of a view. */
export function Problem({ text }: { text: string }) {
  return text === '' ? null : (
    <p class="card bad" role="alert">
      {text}
    </p>
  );
}

/** The text of a view that has not been read yet; nothing if reading failed, because a problem says so. */
export function Unread({ error }: { error: string }) {
  return error === '' ? <p class="faint">Reading…</p> : null;
}

interface SectionProps {
  title: string;
  tools?: ComponentChildren;
  /** 3 in a pane, whose title is the heading above; 2 in a view itself. */
  level?: 2 | 3;
  children: ComponentChildren;
}

/** A part of a pane or a view, under a heading. */
export function Section({ title, tools, level = 3, children }: SectionProps) {
  const Heading = level === 2 ? 'h2' : 'h3';
  return (
    <section class="stack">
      <header class="bar">
        <Heading>{title}</Heading>
        {tools}
      </header>
      {children}
    </section>
  );
}

/** Names and values; those that are null or undefined are left out. */
export function KeyValues({ entries }: { entries: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl>
      {entries.map(([name, value]) =>
        value === null || value === undefined || value === '' ? null : (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

/** How much of a limit is used. */
export function Meter({ label, value, max, tone }: { label: string; value: number; max: number; tone?: Tone }) {
  const share = max <= 0 ? 0 : Math.min(1, value / max);
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers draw a <meter> each in its own way
    <div
      class={`meter ${tone ?? (share >= 1 ? 'bad' : share >= 0.8 ? 'warning' : 'good')}`}
      role="meter"
      aria-label={label}
      aria-valuenow={Math.min(value, max)}
      aria-valuemin={0}
      aria-valuemax={max}
    >
      <span style={{ width: `${share * 100}%` }} />
    </div>
  );
}

/** An instant with its distance from now, which passes. */
export function Instant({ at }: { at: string }) {
  const distance = now.value === undefined ? '' : distanceText(Date.parse(at), now.value);
  return (
    <time dateTime={at} title={at}>
      {instantText(at)} <small>{distance}</small>
    </time>
  );
}

const today = computed(() => (now.value === undefined ? '' : dayText(now.value)));

/** An instant in a column: the day only where it is not today's; `isShort`: then without the seconds. */
export function When({ at, isShort = false }: { at: string | number; isShort?: boolean }) {
  const instant = new Date(at).toISOString();
  return (
    <time dateTime={instant} title={instant}>
      {whenText(at, today.value, isShort)}
    </time>
  );
}

/** Two lines of a row: what it is, and something about it. */
export function Two({ first, second }: { first: ComponentChildren; second: ComponentChildren }) {
  return (
    <>
      <span class="line">{first}</span>
      <span class="line faint">{second}</span>
    </>
  );
}

/** A secret: hidden until it is asked for, and copied without being shown. */
export function Secret({ value, label = 'the value' }: { value: string; label?: string }) {
  const isShown = useSignal(false);
  return (
    <span class="lead">
      <code>{isShown.value ? value : `${value.slice(0, 8)}${'•'.repeat(12)}`}</code>
      <button type="button" class="quiet" aria-pressed={isShown.value} onClick={() => set(isShown, !isShown.value)}>
        {isShown.value ? 'Hide' : 'Show'}
      </button>
      <Copy text={value} of={label} />
    </span>
  );
}
