// Anything that the control plane lists, as a table of what its records have in common.

import { useSignal } from '@preact/signals';
import { type Topic, useData } from '../live.js';
import { go, route } from '../route.js';
import { set } from '../set.js';
import { Json } from './json.js';
import { type Column, List } from './list.js';
import { Badge, Detail, Empty, Filter, Problem, toneOf, ViewHead } from './parts.js';

type Fields = Record<string, unknown>;

interface PlainProps {
  title: string;
  note: string;
  /** Below /_emulator. */
  path: string;
  /** The field of the answer that is the list; without it the first that is one. */
  field?: string;
  topics?: readonly Topic[];
  /** What to do where the list is empty. */
  hint: string;
}

const mostColumns = 6;

/** A list of records of any shape, with all of a record in the pane. */
export function PlainList({ title, note, path, field, topics = ['request', 'control'], hint }: PlainProps) {
  const { value, error } = useData<Fields>(path, topics);
  const filter = useSignal('');
  const all = listIn(value, field);
  const words = filter.value.toLowerCase();
  const rows = all
    .map((row, index) => ({ row, key: nameOf(row, index) }))
    .filter(({ row }) => JSON.stringify(row).toLowerCase().includes(words));
  const open = rows.find(({ key }) => key === route.value.item);
  return (
    <>
      <ViewHead title={title} note={note}>
        <Filter value={filter.value} placeholder="Filter" onInput={(text) => set(filter, text)} />
      </ViewHead>
      <Problem text={error} />
      <div class="split">
        <List
          label={title}
          rows={rows}
          columns={columnsOf(all)}
          keyOf={({ key }) => key}
          open={open?.key}
          onOpen={({ key }) => go({ item: key })}
          empty={
            <Empty title={value === undefined ? 'Reading…' : 'Nothing here yet'}>
              {value !== undefined && <p>{hint}</p>}
            </Empty>
          }
        />
        {open !== undefined && (
          <Detail title={open.key} onClose={() => go({ item: '' })}>
            <div class="code">
              <Json value={open.row} />
            </div>
          </Detail>
        )}
      </div>
    </>
  );
}

function listIn(value: Fields | undefined, field: string | undefined): Fields[] {
  const found = field === undefined ? Object.values(value ?? {}).find(Array.isArray) : value?.[field];
  return Array.isArray(found)
    ? found.map((one) => (typeof one === 'object' && one !== null ? one : { value: one }))
    : [];
}

function nameOf(row: Fields, index: number): string {
  const name = row.id ?? row.name ?? row.rule ?? row.operation ?? row.mode ?? row.address;
  return typeof name === 'string' ? name : String(index);
}

// The fields with short values, in the order of the records.
function columnsOf(rows: readonly Fields[]): Column<{ row: Fields; key: string }>[] {
  const [first = {}] = rows;
  const names = Object.keys(first).filter((name) => typeof first[name] !== 'object' || first[name] === null);
  return names.slice(0, mostColumns).map((name, index) => ({
    title: name,
    width: 'minmax(6rem, 1fr)',
    minor: index > 1,
    cell: ({ row }) => <Plain name={name} value={row[name]} />,
  }));
}

function Plain({ name, value }: { name: string; value: unknown }) {
  const text =
    value === null || value === undefined ? '–' : typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /^(status|state|verdict|outcome)$/.test(name) ? (
    <Badge tone={toneOf(text)}>{text}</Badge>
  ) : (
    <span>{text.slice(0, 200)}</span>
  );
}
