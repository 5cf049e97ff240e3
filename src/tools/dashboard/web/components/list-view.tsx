// The frame of a view that lists things: a filter, a problem, the list, and beside it the pane of what is open.

import { useSignal } from '@preact/signals';
import { type ComponentChildren, type ComponentType, createContext, Fragment } from 'preact';
import { useContext } from 'preact/hooks';
import { useKeys } from '../keys.js';
import { go as goTo, hrefOf, route } from '../route.js';
import { type Column, List, type ListProps } from './list.js';
import { Filter, Problem, Unread, ViewHead } from './parts.js';

/** Details of what is open; another item of the address is drawn anew. */
interface Pane {
  title: ComponentChildren;
  content: ComponentChildren;
}

interface FrameProps {
  title: string;
  /** The content of the view, in a sentence. */
  note: string;
  /** The error of reading. */
  error: string;
  /** At the right of the head. */
  tools?: ComponentChildren;
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
  const { title, note, error, tools, children, beside, isWide = false, pane = false, list } = props;
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
      <ViewHead title={title} note={note}>
        {tools}
      </ViewHead>
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

export interface ListViewProps<Row> extends FrameProps, Pick<ListProps<Row>, 'keyOf' | 'lines'> {
  /** The name of the list, where it is not the title of the view. */
  label?: string;
  /** All rows; undefined until they are read. */
  rows: readonly Row[] | undefined;
  /** None where `instead` draws the rows. */
  columns?: readonly Column<Row>[];
  /** The placeholder of the filter; undefined: there is none. */
  filter: string | undefined;
  /** The text of the filter, where it is not the view's own. */
  words?: { value: string };
  /** The text in which the filter looks; all that the row holds if left out. */
  textOf?: (row: Row) => string;
  /** Whether the row is listed at all, whatever the filter says. */
  isListed?: (row: Row) => boolean;
  /** Shown in the place of the list, unless it is nothing. */
  instead?: (rows: readonly Row[]) => ComponentChildren;
  /** Instead of the rows when there are none. */
  empty: ComponentChildren;
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
  const { title, label = title, columns = [], lines = 1, filter, tools, instead, empty, ...frame } = others;
  const own = useSignal('');
  const { words = own } = props;
  const wanted = words.value.toLowerCase();
  const [item, go] = useItem();
  const open = rows?.find((row) => item !== '' && (keyOf(row) === item || aliasOf?.(row) === item));
  const listed = (rows ?? []).filter((row) => isListed?.(row) !== false && textOf(row).toLowerCase().includes(wanted));
  return (
    <Frame
      {...frame}
      title={title}
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
            empty={rows === undefined ? <Unread error={frame.error} /> : empty}
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
