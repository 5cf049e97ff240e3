// Changed rows, table by table: their fields before and after.

import type { ChangedRow, ChangedTable } from '../../../journal/row-changes.js';
import { Badge } from './parts.js';

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

const tones = { added: 'good', removed: 'bad', changed: 'warning' };
const openFields = 12;

function RowPart({ row: { change, key, name, fields } }: { row: ChangedRow }) {
  return (
    <details class={tones[change]} open={change === 'changed' && fields.length <= openFields}>
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
