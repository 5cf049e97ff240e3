// The journal's table: one row per batch of records; the oldest rows are dropped as soon as they are not needed.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { storedJson } from '../../db/stored-json.js';
import type { JournalRecord } from './journal-entry.js';

export interface JournalRows {
  /** How many records the table holds: the last `capacity`, and the rest of the oldest row. */
  count(): number;
  /** Adds records, which are newer than all others. Call it in a transaction. */
  append(records: readonly JournalRecord[]): void;
  /** Changes fields of a record, if it is still there. */
  change(seq: number, fields: Partial<JournalRecord>): void;
  /** The records after a number, among the newest `keep`, in batches, the oldest first. */
  after(seq: number, keep: number): Iterable<JournalRecord[]>;
  /** The newest `keep` records in batches, the newest batch first; inside of a batch the oldest comes first. */
  backwards(keep: number): Iterable<JournalRecord[]>;
  /** Deletes all records. */
  clear(): void;
}

interface Row {
  last_seq: number;
  count: number;
}

// A reader of the newest records should not have to parse all of them.
const recordsPerRow = 200;

/** The journal's rows in a world's database. */
export function openJournalRows(db: Db, capacity: number): JournalRows {
  let rows = db.all<Row>('SELECT last_seq, count FROM journal ORDER BY last_seq');
  let stored = rows.reduce((sum, row) => sum + row.count, 0);

  function read({ last_seq }: Row): JournalRecord[] {
    const row = db.get<{ records: string }>('SELECT records FROM journal WHERE last_seq = @last_seq', { last_seq });
    return row === undefined ? [] : storedJson<JournalRecord[]>(row.records, 'journal.records');
  }
  function trim(): void {
    let surplus = 0;
    for (const { count } of rows) {
      if (stored - count < capacity) break;
      stored -= count;
      surplus++;
    }
    const last = rows[surplus - 1];
    if (last === undefined) return;
    db.run('DELETE FROM journal WHERE last_seq <= @last_seq', { last_seq: last.last_seq });
    rows = rows.slice(surplus);
  }

  return {
    count: () => stored,
    append(records) {
      for (let from = 0; from < records.length; from += recordsPerRow) {
        const batch = records.slice(from, from + recordsPerRow);
        const row = { last_seq: batch.at(-1)?.seq ?? 0, count: batch.length };
        insert(db, 'journal', {
          last_seq: row.last_seq,
          count: row.count,
          records: JSON.stringify(batch),
        });
        rows.push(row);
        stored += row.count;
      }
      trim();
    },
    change(seq, fields) {
      const row = rows.find(({ last_seq }) => last_seq >= seq);
      const records = row === undefined ? [] : read(row);
      const record = records.find((one) => one.seq === seq);
      if (row === undefined || record === undefined) return;
      Object.assign(record, fields);
      db.run('UPDATE journal SET records = @records WHERE last_seq = @last_seq', {
        last_seq: row.last_seq,
        records: JSON.stringify(records),
      });
    },
    *after(seq, keep) {
      let surplus = stored - keep;
      for (const row of [...rows]) {
        const skip = Math.max(0, surplus);
        surplus -= row.count;
        if (row.last_seq <= seq || skip >= row.count) continue;
        yield read(row)
          .slice(skip)
          .filter((record) => record.seq > seq);
      }
    },
    *backwards(keep) {
      let left = keep;
      for (const row of [...rows].reverse()) {
        if (left <= 0) return;
        yield read(row).slice(-left);
        left -= row.count;
      }
    },
    clear() {
      db.transaction(() => db.run('DELETE FROM journal'));
      rows = [];
      stored = 0;
    },
  };
}
