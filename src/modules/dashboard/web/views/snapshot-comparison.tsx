// A snapshot beside another one, or beside now: table by table, row by row, field by field.

import { useSignal } from '@preact/signals';
import type { ChangedRow, ChangedTable, SnapshotComparison } from '../../../snapshots/compare.js';
import { Command } from '../components/actions.js';
import { Choice } from '../components/fields.js';
import { Badge, Problem } from '../components/parts.js';
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
      {value?.tables.map((table) => (
        <TablePart key={table.table} table={table} />
      ))}
    </>
  );
}

function TablePart({ table: { table, added, removed, changed, rows } }: { table: ChangedTable }) {
  const rest = added + removed + changed - rows.length;
  return (
    <section class="diff" aria-label={table}>
      <h4>
        <code>{table}</code>
        {added > 0 && <Badge tone="good">{`+${added}`}</Badge>}
        {removed > 0 && <Badge tone="bad">{`−${removed}`}</Badge>}
        {changed > 0 && <Badge tone="warning">{`~${changed}`}</Badge>}
      </h4>
      {rows.map((row) => (
        <RowPart key={`${row.change} ${row.key}`} row={row} />
      ))}
      {rest > 0 && <p class="faint">{`and ${rest} more`}</p>}
    </section>
  );
}

const words = { added: 'added', removed: 'removed', changed: 'changed' };
const openFields = 12;

function RowPart({ row: { change, key, name, fields } }: { row: ChangedRow }) {
  return (
    <details class={`diff-row ${change}`} open={change === 'changed' && fields.length <= openFields}>
      <summary>
        <span class="diff-sign">{words[change]}</span> <strong>{name ?? key}</strong>{' '}
        {name !== null && name !== key && <code class="faint">{key}</code>}
      </summary>
      <dl class="diff-fields">
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
