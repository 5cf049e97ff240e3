// A snapshot beside another one, or beside now: table by table, row by row, field by field.

import { useSignal } from '@preact/signals';
import type { SnapshotComparison } from '../../../snapshots/compare.js';
import { Command } from '../components/actions.js';
import { Field, filled, flags, type Texts } from '../components/form.js';
import { Problem, Unread } from '../components/parts.js';
import { ChangedRows } from '../components/row-changes.js';
import { useData } from '../live.js';

interface ComparisonProps {
  name: string;
  others: readonly { name: string }[];
}

export function Comparison({ name, others }: ComparisonProps) {
  const texts = useSignal<Texts>({});
  const query = filled(texts.value, ['with']);
  const path = `/snapshots/${encodeURIComponent(name)}/compare`;
  const { value, error, reload } = useData<SnapshotComparison>(path, [], query);
  return (
    <>
      <div class="form">
        <Field label="With" name="with" texts={texts} options={others.map((one) => one.name)} none="now" />
        <button type="button" onClick={reload}>
          Read again
        </button>
      </div>
      <Command text={`snapshot compare ${name}${flags(query)}`} />
      <Problem text={error} />
      {value === undefined && <Unread error={error} />}
      {value?.tables.length === 0 && (
        <p class="faint">
          There is no difference. Let the client do something, or advance the clock; then compare again.
        </p>
      )}
      {value !== undefined && <ChangedRows tables={value.tables} />}
    </>
  );
}
