// Lists of things, and beside them what is open: from rows alone to the view of a noun that is drawn from its operations.

import { useSignal } from '@preact/signals';
import { type ComponentChildren, type ComponentType, createContext, Fragment } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { commandOf, operationOf, type Topic, useData } from '../emulator.js';
import { go as goTo, hrefOf, route, useKeys } from '../page.js';
import { type Cells, type Column, columnsOf, declaredColumns, Facts, useOrganizations } from './fields.js';
import { type Action, Actions, Command, OperationForm, type OperationFormProps } from './form.js';
import { Filter, Problem, ViewHead } from './parts.js';

export interface ListProps<Row> {
  /** The name of the rows, for screen readers. */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** The key of the row that is open. */
  open?: string | undefined;
  onOpen?: (row: Row) => void;
  /** Further classes of a row. */
  classOf?: (row: Row) => string;
  /** The lines of a row; a text of two lines is a `<Two>`, or wraps. */
  lines?: 1 | 2;
  /** Said when there are no rows; nothing as long as they are not read. */
  none: string | undefined;
  /** Beneath that: how there come to be some. */
  hint?: ComponentChildren;
  /** Keeps this row in sight, at that part of the height, as long as nobody scrolls. */
  pin?: { index: number; at: number } | undefined;
  onScrolledAway?: () => void;
}

const rowHeights = { 1: 32, 2: 50 };
const spare = 12;
const slimPx = 480;

/** Whether a list has room for little more than its names. */
export function isSlim(width: number): boolean {
  return width < slimPx;
}

export function List<Row>(props: ListProps<Row>) {
  const { label, rows, columns, keyOf, open, onOpen, classOf, lines = 1, none, hint, pin } = props;
  const rowHeight = rowHeights[lines];
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, height: 800 });
  const active = useSignal<string | undefined>(open);
  const before = useRef<{ first: string; count: number }>({ first: '', count: 0 });
  const placed = useRef(0);
  const whole = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  const shown = columns.filter(({ minor = 0 }) => width.value >= minor);
  const tracks = shown.map(({ width: track, narrow = track }) => (isSlim(width.value) ? narrow : track)).join(' ');

  useLayoutEffect(() => {
    const element = whole.current;
    if (element === null) return;
    const measure = (): void => {
      width.value = element.clientWidth;
      view.value = { ...view.peek(), height: box.current?.clientHeight ?? element.clientHeight };
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const place = (top: number): void => {
    const element = box.current;
    if (element === null) return;
    element.scrollTop = top;
    placed.current = element.scrollTop;
    view.value = { ...view.peek(), top: element.scrollTop };
  };
  // Rows that come in above the ones in sight do not move them.
  const first = rows[0] === undefined ? '' : keyOf(rows[0]);
  useLayoutEffect(() => {
    const { first: formerFirst, count } = before.current;
    before.current = { first, count: rows.length };
    if (pin !== undefined) return place(pin.index * rowHeight - view.peek().height * pin.at);
    if (first === formerFirst || count === 0) return;
    const index = rows.findIndex((row) => keyOf(row) === formerFirst);
    if (index > 0) place((box.current?.scrollTop ?? 0) + index * rowHeight);
  }, [first, rows.length, pin?.index, pin?.at, view.value.height]);

  const scrolled = (): void => {
    const top = box.current?.scrollTop ?? 0;
    if (Math.abs(top - placed.current) > 2) props.onScrolledAway?.();
    placed.current = top;
    view.value = { ...view.peek(), top };
  };
  const move = (step: number): void => {
    const at = rows.findIndex((row) => keyOf(row) === active.peek());
    const start =
      step > 0
        ? Math.ceil(view.peek().top / rowHeight) - 1
        : Math.floor((view.peek().top + view.peek().height) / rowHeight);
    const index = Math.max(0, Math.min(rows.length - 1, (at === -1 ? start : at) + step));
    const row = rows[index];
    if (row === undefined) return;
    active.value = keyOf(row);
    props.onScrolledAway?.();
    const { top, height } = view.peek();
    if (index * rowHeight < top) place(index * rowHeight);
    else if ((index + 1) * rowHeight > top + height) place((index + 1) * rowHeight - height);
    if (open !== undefined) onOpen?.(row);
  };
  const openActive = (): void => {
    const row = rows.find((one) => keyOf(one) === active.peek());
    if (row !== undefined) onOpen?.(row);
  };
  useKeys([
    { key: 'j', does: 'Next row', run: () => move(1) },
    { key: 'k', does: 'Previous row', run: () => move(-1) },
    { key: 'ArrowDown', does: 'Next row', run: () => move(1) },
    { key: 'ArrowUp', does: 'Previous row', run: () => move(-1) },
    ...(onOpen === undefined ? [] : [{ key: 'Enter', does: 'Open the row', run: openActive }]),
  ]);

  const from = Math.max(0, Math.floor(view.value.top / rowHeight) - spare);
  const to = Math.min(rows.length, Math.ceil((view.value.top + view.value.height) / rowHeight) + spare);
  const activeKey = active.value;
  const activeIndex = rows.slice(from, to).findIndex((row) => keyOf(row) === activeKey);
  const style = { gridTemplateColumns: tracks };
  return (
    <div ref={whole} class="list" data-lines={lines}>
      {rows.length > 0 && (
        <div style={style} aria-hidden="true">
          {shown.map(({ title, align }) => (
            <span key={title} class={align}>
              {title}
            </span>
          ))}
        </div>
      )}
      {rows.length === 0 ? (
        <div class="stack">
          {none === undefined ? <p class="faint">Reading…</p> : <h2>{none}</h2>}
          {hint}
        </div>
      ) : (
        <div
          ref={box}
          role="listbox"
          tabIndex={0}
          aria-label={label}
          aria-activedescendant={activeIndex === -1 ? undefined : `row-${from + activeIndex}`}
          onScroll={scrolled}
        >
          <div role="presentation" style={{ height: `${rows.length * rowHeight}px` }}>
            {rows.slice(from, to).map((row, index) => {
              const key = keyOf(row);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the list's own keys move to rows and open them
                <div
                  key={key}
                  id={`row-${from + index}`}
                  role="option"
                  aria-selected={key === (open ?? activeKey)}
                  aria-setsize={rows.length}
                  aria-posinset={from + index + 1}
                  tabIndex={-1}
                  class={`row ${classOf?.(row) ?? ''} ${key === open ? 'open' : ''}`}
                  data-active={key === activeKey}
                  style={{ ...style, transform: `translateY(${(from + index) * rowHeight}px)` }}
                  onClick={() => {
                    active.value = key;
                    onOpen?.(row);
                  }}
                >
                  {shown.map(({ title, cell, align }) => (
                    <span key={title} class={align}>
                      {cell(row, width.value)}
                    </span>
                  ))}
                </div>
              );
            })}
          </div>
        </div>
      )}
    </div>
  );
}

/** Details of what is open; another item of the address is drawn anew. */
interface Pane {
  title: ComponentChildren;
  content: ComponentChildren;
}

interface FrameProps {
  /** The content of a tab, in a sentence, where it is not that of the view. */
  note?: string;
  /** The error of reading. */
  error: string;
  /** At the right of the head. */
  tools?: ComponentChildren;
  /** In a bar above the list. */
  bar?: ComponentChildren;
  /** Above the list. */
  children?: ComponentChildren;
  /** At the left of the list, in a column of its own. */
  beside?: ComponentChildren;
  /** Gives the pane the most room: the list keeps two columns. */
  isWide?: boolean;
  /** Shown beside the list as long as it is there. */
  pane?: Pane | false | undefined;
}

/** The tabs of a view, and the one that is shown; its items begin with its name in the address. */
const Tabs = createContext<{ names: readonly string[]; shown: string }>({ names: [], shown: '' });

/** A view of several tabs, of which the address names one: `sessions/51e5…` is one of the sessions. */
export function tabbed(parts: Record<string, ComponentType>): ComponentType {
  const names = Object.keys(parts);
  return function Tabbed() {
    const [wanted = ''] = route.value.item.split('/');
    const shown = names.includes(wanted) ? wanted : (names[0] ?? '');
    const Part = parts[shown] ?? Fragment;
    return (
      <Tabs.Provider value={{ names, shown }}>
        <Part key={shown} />
      </Tabs.Provider>
    );
  };
}

/** The item of the address within the tab that is shown, and the way to another one. */
export function useItem(): [item: string, go: (item: string, filter?: string) => void] {
  const { shown } = useContext(Tabs);
  const prefix = shown === '' ? '' : `${shown}/`;
  const { item } = route.value;
  return [
    item === shown ? '' : item.startsWith(prefix) ? item.slice(prefix.length) : item,
    (to, filter = route.value.filter) => goTo({ item: to === '' ? shown : prefix + to, filter }),
  ];
}

/** The frame alone: for a view that makes its list itself. */
export function Frame(props: FrameProps & { list: ComponentChildren }) {
  const { note, error, tools, bar, children, beside, isWide = false, pane = false, list } = props;
  const { names, shown } = useContext(Tabs);
  const [, go] = useItem();
  const split = (
    <div class={isWide ? 'split wide' : 'split'}>
      {list}
      {pane !== false && <Detail {...pane} onClose={() => go('')} />}
    </div>
  );
  return (
    <>
      <ViewHead note={note}>{tools}</ViewHead>
      <Problem text={error} />
      {names.length > 0 && (
        <div class="chips">
          {names.map((name) => (
            <a key={name} href={hrefOf({ item: name })} aria-current={name === shown ? 'true' : undefined}>
              {name}
            </a>
          ))}
        </div>
      )}
      {children}
      {bar !== undefined && <div class="bar">{bar}</div>}
      {beside === undefined ? (
        split
      ) : (
        <div class={`bench ${pane === false ? '' : 'open'}`}>
          <div class="body">{beside}</div>
          {split}
        </div>
      )}
    </>
  );
}

export interface ListViewProps<Row> extends FrameProps, Pick<ListProps<Row>, 'keyOf' | 'lines' | 'hint'> {
  /** The name of the list. */
  label: string;
  /** All rows; undefined until they are read. */
  rows: readonly Row[] | undefined;
  /** As `columnsOf` takes them; none where `instead` draws the rows. */
  columns?: string | readonly Column<Row>[];
  /** Fields that are not drawn by their names in the list. */
  cells?: Cells<Row>;
  /** The placeholder of the filter; undefined: there is none. */
  filter: string | undefined;
  /** The text of the filter, where it is not the view's own. */
  words?: { value: string };
  /** The text in which the filter looks; all that the row holds if left out. */
  textOf?: (row: Row) => string;
  /** Whether the row is listed at all, whatever the filter says. */
  isListed?: (row: Row) => boolean;
  /** What is said where there are no rows. */
  none: string;
  /** Shown in the place of the list, unless it is nothing. */
  instead?: (rows: readonly Row[]) => ComponentChildren;
  /** Another item of the address that opens the row, besides its key. */
  aliasOf?: (row: Row) => string;
  /** The title of the pane, where it is not the key. */
  titleOf?: (row: Row) => ComponentChildren;
  /** The content of the pane. */
  detail: (row: Row) => ComponentChildren;
}

/** A view of rows: the address says which one is open, and `pane` is what else can be. */
export function ListView<Row extends object>(props: ListViewProps<Row>) {
  const { rows, keyOf, aliasOf, textOf = JSON.stringify, isListed, titleOf = keyOf, detail, ...others } = props;
  const { label, columns: named = [], cells, lines = 1, filter, tools, instead, none, hint, ...frame } = others;
  const columns = typeof named === 'string' ? columnsOf(named, cells) : named;
  const own = useSignal('');
  const { words = own } = props;
  const wanted = words.value.toLowerCase();
  const [item, go] = useItem();
  const open = rows?.find((row) => item !== '' && (keyOf(row) === item || aliasOf?.(row) === item));
  const listed = (rows ?? []).filter((row) => isListed?.(row) !== false && textOf(row).toLowerCase().includes(wanted));
  return (
    <Frame
      {...frame}
      tools={
        <>
          {filter !== undefined && <Filter text={words} placeholder={filter} />}
          {tools}
        </>
      }
      list={
        instead?.(listed) || (
          <List
            label={label}
            rows={listed}
            columns={frame.isWide === true && open !== undefined ? columns.slice(0, 2) : columns}
            lines={lines}
            keyOf={keyOf}
            open={open && keyOf(open)}
            onOpen={(row) => go(keyOf(row))}
            none={rows === undefined ? (frame.error === '' ? undefined : '') : none}
            hint={rows && hint}
          />
        )
      }
      pane={open === undefined ? frame.pane : { title: titleOf(open), content: detail(open) }}
    />
  );
}

/** A pane with the details of what is open; Esc closes it. */
function Detail({ title, content, onClose }: Pane & { onClose: () => void }) {
  useKeys([{ key: 'Escape', does: 'Close the details', run: onClose }]);
  return (
    <aside class="detail" aria-label="Details">
      <header class="bar">
        <h2>{title}</h2>
        <button type="button" class="quiet" aria-label="Close the details" onClick={onClose}>
          ✕
        </button>
      </header>
      <div class="stack">
        <Fragment key={route.value.item}>{content}</Fragment>
      </div>
    </aside>
  );
}

type Handed<Row> = Partial<Omit<ListViewProps<Row>, 'rows' | 'error'>>;

export interface ResourceProps<Row> extends Handed<Row> {
  /** The operation that lists them; its columns are those of the command, if no others are given. */
  operation: string;
  topics?: readonly Topic[];
  /** The field that names a row in its operations. */
  id?: keyof Row & string;
  /** Facts that are not drawn by their names; null leaves one out. */
  known?: (row: Row) => Record<string, ComponentChildren>;
  /** What can be done to the one that is open: operations whose input is its id, if no other is given. */
  actions?: (row: Row, id: string) => readonly Action[];
  /** More about the one that is open. */
  more?: (row: Row) => ComponentChildren;
  /** The form that makes another one. */
  making?: OperationFormProps;
}

const usual = ['request', 'control', 'clock'] as const;

export function ResourceView<Row extends object>(props: ResourceProps<Row>) {
  const { operation, topics = usual, id = 'id', known, actions, more, making, children, ...handed } = props;
  const { path } = operationOf(operation);
  const { value, error } = useData<Record<string, Row[]>>(path, topics);
  const [, open] = useItem();
  useOrganizations();
  const noun = path.split('/').at(-1) ?? '';
  const words = noun.replace('-', ' ');
  const rows = value?.[noun];
  const { columns = declaredColumns(operation), cells } = handed;
  const keyOf = (row: Row): string => String(row[id as keyof Row]);
  const nameOf = (row: Row): string => String((row as { name?: string }).name ?? keyOf(row));
  return (
    <ListView<Row>
      label={words}
      filter={`Filter ${words}`}
      none={`No ${words}`}
      hint={<Command text={commandOf(operation, {})} />}
      keyOf={keyOf}
      titleOf={nameOf}
      detail={(row) => (
        <>
          <Facts of={row} known={known?.(row) ?? {}} />
          <Actions
            label={nameOf(row)}
            actions={(actions?.(row, keyOf(row)) ?? []).map((action) => ({ input: { [id]: keyOf(row) }, ...action }))}
          />
          {more?.(row)}
        </>
      )}
      {...handed}
      error={error}
      rows={rows}
      columns={withOwners(typeof columns === 'string' ? columnsOf<Row>(columns, cells) : columns, rows)}
    >
      {making !== undefined && <OperationForm next={(made: Row) => open(keyOf(made))} {...making} />}
      {children}
    </ListView>
  );
}

// After the first column that of whose each row is, where the rows are of several organizations.
function withOwners<Row extends object>(columns: readonly Column<Row>[], rows: readonly Row[] = []) {
  const ownerOf = (row: Row): string => (row as { organizationId?: string }).organizationId ?? '';
  const isOfOne = rows.every((row) => ownerOf(row) === ownerOf(rows[0] ?? row));
  if (isOfOne || columns.some(({ title }) => title === 'Organization')) return columns;
  return columns.toSpliced(1, 0, ...columnsOf<Row>('organizationId?480'));
}
