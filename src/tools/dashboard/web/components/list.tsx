// A list of rows, of which only those in sight are drawn: ten thousand rows cost as much as thirty.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useKeys } from '../keys.js';

export interface Column<Row> {
  /** The column's heading. */
  title: string;
  /** A CSS track: '8rem', '1fr', 'minmax(8rem, 2fr)'. */
  width: string;
  /** Its track in a list as slim as a telephone. */
  narrow?: string;
  /** The content of a cell; `width` is that of the whole list, in px. */
  cell: (row: Row, width: number) => ComponentChildren;
  /** Left out where there is little room: in a list that is not as wide, in px; by default 700. */
  minor?: boolean | number;
  /** Numbers are easier to compare at the right. */
  align?: 'end';
}

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
  /** Instead of the rows when there are none. */
  empty?: ComponentChildren;
  /** Keeps this row in sight, at that part of the height, as long as nobody scrolls. */
  pin?: { index: number; at: number } | undefined;
  onScrolledAway?: () => void;
  onReachedStart?: () => void;
}

const rowHeights = { 1: 32, 2: 50 };
const spare = 12;
const amplePx = 700;
const slimPx = 480;

/** Whether a list has room for little more than its names. */
export function isSlim(width: number): boolean {
  return width < slimPx;
}

function hasRoom<Row>({ minor = false }: Column<Row>, width: number): boolean {
  return minor === false || width >= (minor === true ? amplePx : minor);
}

export function List<Row>(props: ListProps<Row>) {
  const { label, rows, columns, keyOf, open, onOpen, classOf, lines = 1, empty, pin } = props;
  const rowHeight = rowHeights[lines];
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal({ top: 0, height: 800 });
  const active = useSignal<string | undefined>(open);
  const before = useRef<{ first: string; count: number }>({ first: '', count: 0 });
  const placed = useRef(0);
  const whole = useRef<HTMLDivElement>(null);
  const width = useSignal(0);
  const shown = columns.filter((column) => hasRoom(column, width.value));
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
    if (top < 10 * rowHeight) props.onReachedStart?.();
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
        <div class="stack">{empty}</div>
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
