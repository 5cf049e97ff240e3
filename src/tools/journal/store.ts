// The journal's table: one row per batch of records; the oldest rows are dropped as soon as they are not needed.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { storedJson } from '../../db/stored-json.js';
import type { JournalRecord } from './journal-entry.js';

interface Row {
  last_seq: number;
  count: number;
}

// A reader of the newest records should not have to parse all of them.
const recordsPerRow = 200;

/** The journal's rows in a world's database. */
export class JournalRows {
  private rows: Row[];
  private stored: number;

  constructor(
    private readonly db: Db,
    private readonly capacity: number,
  ) {
    this.rows = db.all<Row>('SELECT last_seq, count FROM journal ORDER BY last_seq');
    this.stored = this.rows.reduce((sum, row) => sum + row.count, 0);
  }

  /** How many records the table holds: the last `capacity`, and the rest of the oldest row. */
  count(): number {
    return this.stored;
  }

  /** Adds records, which are newer than all others. Call it in a transaction. */
  append(records: readonly JournalRecord[]): void {
    for (let from = 0; from < records.length; from += recordsPerRow) {
      const batch = records.slice(from, from + recordsPerRow);
      const row = { last_seq: batch.at(-1)?.seq ?? 0, count: batch.length };
      insert(this.db, 'journal', { last_seq: row.last_seq, count: row.count, records: JSON.stringify(batch) });
      this.rows.push(row);
      this.stored += row.count;
    }
    this.trim();
  }

  private trim(): void {
    let surplus = 0;
    for (const { count } of this.rows) {
      if (this.stored - count < this.capacity) break;
      this.stored -= count;
      surplus++;
    }
    const last = this.rows[surplus - 1];
    if (last === undefined) return;
    this.db.run('DELETE FROM journal WHERE last_seq <= @last_seq', { last_seq: last.last_seq });
    this.rows = this.rows.slice(surplus);
  }

  private read({ last_seq }: Row): JournalRecord[] {
    const row = this.db.get<{ records: string }>('SELECT records FROM journal WHERE last_seq = @last_seq', {
      last_seq,
    });
    return row === undefined ? [] : storedJson<JournalRecord[]>(row.records, 'journal.records');
  }

  /** Changes fields of a record, if it is still there. */
  change(seq: number, fields: Partial<JournalRecord>): void {
    const row = this.rows.find(({ last_seq }) => last_seq >= seq);
    const records = row === undefined ? [] : this.read(row);
    const record = records.find((one) => one.seq === seq);
    if (row === undefined || record === undefined) return;
    Object.assign(record, fields);
    this.db.run('UPDATE journal SET records = @records WHERE last_seq = @last_seq', {
      last_seq: row.last_seq,
      records: JSON.stringify(records),
    });
  }

  /** The records after a number, among the newest `keep`, in batches, the oldest first. */
  *after(seq: number, keep: number): Iterable<JournalRecord[]> {
    let surplus = this.stored - keep;
    for (const row of [...this.rows]) {
      const skip = Math.max(0, surplus);
      surplus -= row.count;
      if (row.last_seq <= seq || skip >= row.count) continue;
      yield this.read(row)
        .slice(skip)
        .filter((record) => record.seq > seq);
    }
  }

  /** The newest `keep` records in batches, the newest batch first; inside of a batch the oldest comes first. */
  *backwards(keep: number): Iterable<JournalRecord[]> {
    let left = keep;
    for (const row of [...this.rows].reverse()) {
      if (left <= 0) return;
      yield this.read(row).slice(-left);
      left -= row.count;
    }
  }

  /** Deletes all records. */
  clear(): void {
    this.db.transaction(() => this.db.run('DELETE FROM journal'));
    this.rows = [];
    this.stored = 0;
  }
}
