// The small parts of which views are made.

import { computed, type Signal, signal, useSignal } from '@preact/signals';
import { type ComponentChildren, type ComponentProps, createContext, h } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { JournalEntry } from '../../../journal/journal-entry.js';
import type { ChangedRow, ChangedTable } from '../../../journal/row-changes.js';
import { now, refresh } from '../emulator.js';
import { hrefOf, set, useKeys } from '../page.js';
import { dayText, distanceText, instantText, timeText, whenText } from '../text.js';

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
  return <Badge tone={toneOf(of)}>{of === 0 ? 'none' : String(of).replace('-', ' ')}</Badge>;
}

/** How far ahead an instant is; a dash where there is none. */
export function Ahead({ at }: { at: string | null }) {
  if (at === null || now.value === undefined) return <span class="faint">–</span>;
  return <span class="ahead">{distanceText(Date.parse(at), now.value)}</span>;
}

/** The view that is shown: its name, and its content in a sentence. */
export const ShownView = createContext({ title: '', note: '' });

/** The head of a view: its name, what it shows in a sentence, and what stands at its right. */
export function ViewHead({ note, children }: { note?: string | undefined; children?: ComponentChildren }) {
  const view = useContext(ShownView);
  return (
    <header class="bar">
      <div>
        <h1>{view.title}</h1>
        <p class="faint ample">{note ?? view.note}</p>
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

interface SelectProps {
  value: string;
  id?: string;
  title?: string;
  'aria-label'?: string;
  /** Values, or pairs of a value and how it is called. */
  options: readonly (string | readonly [value: string, text: string])[];
  onPick: (value: string) => void;
}

/** A choice of one of several. */
export function Select({ options, onPick, ...more }: SelectProps) {
  return (
    <select {...more} onChange={({ currentTarget }) => onPick(currentTarget.value)}>
      {options.map((option) => {
        const [one, text] = typeof option === 'string' ? [option, option] : option;
        return (
          <option key={one} value={one}>
            {text}
          </option>
        );
      })}
    </select>
  );
}

/** A button that is pressed while a signal is true, and turns it over. */
export function Toggle({ of, ...more }: { of: Signal<boolean> } & ComponentProps<'button'>) {
  return <button type="button" aria-pressed={of.value} onClick={() => set(of, !of.value)} {...more} />;
}

/** An error, in the place of what it concerns. */
export function Problem({ text }: { text: string | null }) {
  return !text ? null : (
    <p class="card bad" role="alert">
      {text}
    </p>
  );
}

/** In the place of what has not been read: that it is being read, or why it cannot be. */
export function Unread({ error }: { error: string }) {
  return error === '' ? <p class="faint">Reading…</p> : <Problem text={error} />;
}

interface NotesProps {
  of: readonly ComponentChildren[];
  /** The heading above them. */
  title?: string;
  tone?: Tone;
}

/** Lines, one beneath the other; nothing where there is none. */
export function Notes({ of, title, tone }: NotesProps) {
  if (of.length === 0) return null;
  const notes = (
    <ul class={`notes ${tone ?? ''}`}>
      {Object.entries(of).map(([index, one]) => (
        <li key={index}>{one}</li>
      ))}
    </ul>
  );
  return title === undefined ? notes : <Section title={title}>{notes}</Section>;
}

/** The way to all in the timeline that has to do with an id. */
export function InTimeline({ of, children = 'In the timeline' }: { of: string; children?: ComponentChildren }) {
  return <a href={hrefOf({ view: 'timeline', filter: of })}>{children}</a>;
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
  return (
    <section class="stack">
      <header class="bar">
        {h(`h${level}`, null, title)}
        {tools}
      </header>
      {children}
    </section>
  );
}

/** Names and values; those that are nothing are left out. */
export function KeyValues({ entries }: { entries: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl>
      {entries
        .filter(([, value]) => value !== null && value !== undefined && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
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
      <Toggle of={isShown} class="quiet">
        {isShown.value ? 'Hide' : 'Show'}
      </Toggle>
      <Copy text={value} of={label} />
    </span>
  );
}

interface Message {
  text: string;
  isError: boolean;
}

const message = signal<Message | undefined>(undefined);
const shownMs = 5_000;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message in the place of the last one, for some seconds; an error until it is closed. */
function toast(text: string, { isError = false } = {}): void {
  clearTimeout(timer);
  message.value = { text, isError };
  if (!isError) timer = setTimeout(close, shownMs);
}

function close(): void {
  message.value = undefined;
}

/** Runs something, reads anew what the page shows, and says what came of it. */
export async function attempt(run: () => Promise<unknown>, done?: string): Promise<boolean> {
  try {
    await run();
    refresh();
    if (done !== undefined) toast(done);
    return true;
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), { isError: true });
    return false;
  }
}

export function Toast() {
  const shown = message.value;
  return (
    <footer>
      <div role="status" aria-live="polite">
        {shown !== undefined && (
          <div class={shown.isError ? 'bad' : ''}>
            <span>{shown.text}</span>
            <button type="button" class="quiet" aria-label="Close the message" onClick={close}>
              ✕
            </button>
          </div>
        )}
      </div>
    </footer>
  );
}

const saidMs = 2_000;

interface CopyProps {
  /** The text that is copied; for a long text, the function that makes it. */
  text: string | (() => string | Promise<string>);
  /** The thing that is copied, for screen readers: 'the key'. */
  of?: string;
  /** The label of the button. */
  children?: string;
}

export function Copy({ text, of, children = 'Copy' }: CopyProps) {
  const isDone = useSignal(false);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const press = async (): Promise<void> => {
    if (!(await attempt(async () => write(typeof text === 'string' ? text : await text())))) return;
    clearTimeout(timer.current);
    isDone.value = true;
    timer.current = setTimeout(() => set(isDone, false), saidMs);
  };
  const word = isDone.value ? 'Copied' : children;
  return (
    <button
      type="button"
      class={of === undefined ? '' : 'quiet'}
      aria-label={of === undefined ? undefined : `${word} ${of}`}
      onClick={press}
    >
      {word}
    </button>
  );
}

// Only pages of this machine and of https may use the clipboard; elsewhere the text is selected.
async function write(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}

const mostOpen = 3;
const mostShown = 200;

/** A value, opened where it is small. */
export function Json({ value, depth = 0, name }: { value: unknown; depth?: number; name?: string }) {
  const label = name !== undefined && <span class="faint">{name}: </span>;
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0)
    return (
      <div>
        {label}
        {typeof value === 'string' ? (
          <span class="good">{value}</span>
        ) : (
          <span class="ahead">{JSON.stringify(value)}</span>
        )}
      </div>
    );
  return (
    <details open={depth < mostOpen && entries.length <= 50}>
      <summary>
        {label}
        <span class="faint">{Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`}</span>
      </summary>
      <div>
        {entries.slice(0, mostShown).map(([key, one]) => (
          <Json key={key} name={key} value={one} depth={depth + 1} />
        ))}
        {entries.length > mostShown && <p class="faint">and {entries.length - mostShown} more</p>}
      </div>
    </details>
  );
}

/** A value with its frame. */
export function Document({ of }: { of: unknown }) {
  return (
    <div class="code">
      <Json value={of} />
    </div>
  );
}

/** A body: as a tree if it is JSON, else as it is. */
export function Body({ text }: { text: string | null }) {
  if (text === null || text === '') return <p class="faint">No body</p>;
  try {
    return <Document of={JSON.parse(text)} />;
  } catch {
    return <pre class="code">{text}</pre>;
  }
}

interface FilePickerProps {
  /** On the button. */
  label: string;
  /** The kind of file, for screen readers. */
  what: string;
  title?: string;
  onPick: (file: File) => Promise<unknown>;
}

export function FilePicker({ label, what, title, onPick }: FilePickerProps) {
  const field = useRef<HTMLInputElement>(null);
  const take = async (file: File | undefined): Promise<void> => {
    if (file !== undefined) await onPick(file);
    // The same file can be picked again once it was mended.
    if (field.current !== null) field.current.value = '';
  };
  return (
    <>
      <input
        ref={field}
        type="file"
        hidden
        aria-label={what}
        accept=".json"
        onChange={({ currentTarget }) => take(currentTarget.files?.[0])}
      />
      <button type="button" title={title} onClick={() => field.current?.click()}>
        {label}
      </button>
    </>
  );
}

/** The content of a file; `hint` says where its like comes from. */
export async function readJson(file: File, hint: string): Promise<unknown> {
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new Error(`${file.name} is not JSON: choose a file that ${hint}`);
  }
}

export interface Line {
  at: string;
  level: string;
  message: string;
}

const levelTones: Partial<Record<string, string>> = { warn: 'warning', error: 'bad' };

export function LogTail({ lines }: { lines: readonly Line[] }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  if (lines.length === 0) return <p class="faint">No lines yet</p>;
  return (
    <div
      ref={box}
      class="code"
      role="log"
      aria-label="Log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24;
      }}
    >
      {lines.map(({ at, level, message }, index) => (
        <div key={`${at}-${index}`} class={levelTones[level]}>
          <time class="faint" dateTime={at}>
            {timeText(at)}
          </time>{' '}
          {message}
        </div>
      ))}
    </div>
  );
}

export function ChangedRows({ tables }: { tables: readonly ChangedTable[] }) {
  return (
    <>
      {tables.map((table) => (
        <TablePart key={table.table} table={table} />
      ))}
    </>
  );
}

function TablePart({ table: { table, added, removed, changed, rows } }: { table: ChangedTable }) {
  const rest = added + removed + changed - rows.length;
  return (
    <section class="stack" aria-label={table}>
      <h4 class="lead">
        <code>{table}</code>
        {added > 0 && <Badge tone="good">{`+${added}`}</Badge>}
        {removed > 0 && <Badge tone="bad">{`−${removed}`}</Badge>}
        {changed > 0 && <Badge tone="warning">{`~${changed}`}</Badge>}
      </h4>
      <div class="notes">
        {rows.map((row) => (
          <RowPart key={`${row.change} ${row.key}`} row={row} />
        ))}
      </div>
      {rest > 0 && <p class="faint">{`and ${rest} more`}</p>}
    </section>
  );
}

const changeTones = { added: 'good', removed: 'bad', changed: 'warning' };
const openFields = 12;

function RowPart({ row: { change, key, name, fields } }: { row: ChangedRow }) {
  return (
    <details class={changeTones[change]} open={change === 'changed' && fields.length <= openFields}>
      <summary>
        <span class="faint">{change}</span> <strong>{name ?? key}</strong>{' '}
        {name !== null && name !== key && <code class="faint">{key}</code>}
      </summary>
      <dl>
        {fields.map(({ name: field, before, after }) => (
          <div key={field}>
            <dt>{field}</dt>
            <dd>
              {change !== 'added' && <del>{before ?? 'none'}</del>}
              {change === 'changed' && <span aria-hidden="true"> → </span>}
              {change !== 'removed' && <ins>{after ?? 'none'}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

const mostLinks = 50;

export function RequestLinks({ requests }: { requests: readonly JournalEntry[] }) {
  const links = requests.slice(0, mostLinks).map(({ seq, method, path, status }) => (
    <a key={seq} href={hrefOf({ view: 'timeline', item: `request:${seq}` })}>
      <Status of={status} />{' '}
      <code>
        {method} {path}
      </code>
    </a>
  ));
  return <Notes of={requests.length > mostLinks ? [...links, `and ${requests.length - mostLinks} more`] : links} />;
}

interface MatrixProps<Row extends { operation: string }> {
  label: string;
  rows: readonly Row[];
  /** Columns whose names stand upright, before those whose names do not. */
  short?: readonly string[];
  long: readonly string[];
  link: (row: Row) => ComponentChildren;
  /** The mark of a column: its colour, its text, and what it says when it is pointed at. */
  markOf: (row: Row, column: string) => readonly [tone: string, text: ComponentChildren, title?: string] | undefined;
}

export function Matrix<Row extends { operation: string }>(props: MatrixProps<Row>) {
  const { label, rows, short = [], long, link, markOf } = props;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled with keys too
    <section class="matrix" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Operation</th>
            {[...short, ...long].map((name, index) => (
              <th key={name} scope="col">
                {index < short.length ? name : <span>{name}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.operation}>
              <th scope="row">{link(row)}</th>
              {[...short, ...long].map((name) => {
                const [tone, text, title] = markOf(row, name) ?? [];
                return (
                  <td key={name} class={tone} title={title}>
                    {text}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
