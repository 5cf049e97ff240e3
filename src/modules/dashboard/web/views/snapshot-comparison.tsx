// A snapshot beside another one, or beside now: table by table, row by row, field by field.

import { useSignal } from '@preact/signals';
import type { SnapshotComparison } from '../../../snapshots/compare.js';
import { Command } from '../components/actions.js';
import { Choice } from '../components/fields.js';
import { Problem } from '../components/parts.js';
import { ChangedRows } from '../components/row-changes.js';
import { useData } from '../live.js';

interface ComparisonProps {
  name: string;
  others: readonly { name: string }[];
}

export function Comparison({ name, others }: ComparisonProps) {
  const other = useSignal('');
  const query = other.value === '' ? {} : { with: other.value };
  const path = `/snapshots/${encodeURIComponent(name)}/compare`;
  const { value, error, reload } = useData<SnapshotComparison>(path, [], query);
  const options = [['', 'now'], ...others.map((one) => [one.name, one.name])] as [string, string][];
  return (
    <>
      <div class="form compare">
        <Choice label="With" value={other} options={options} />
        <button type="button" onClick={reload}>
          Read again
        </button>
      </div>
      <Command text={`snapshot compare ${name}${other.value === '' ? '' : ` --with ${other.value}`}`} />
      <Problem text={error} />
      {value === undefined && error === '' && <p class="faint">Reading…</p>}
      {value?.tables.length === 0 && (
        <p class="faint">Nothing is different. Let the client do something, or advance the clock; then read again.</p>
      )}
      {value !== undefined && <ChangedRows tables={value.tables} />}
    </>
  );
}
