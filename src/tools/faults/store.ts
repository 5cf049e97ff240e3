// Fault rules of a world, with how many requests each has matched and fired on.

import type { Db } from '../../db/db.js';
import { insert } from '../../db/insert.js';
import { findRow, listRows } from '../../db/stored-json.js';
import type { FaultRule } from './rule.js';

export interface FaultRow {
  seq: number;
  id: string;
  rule: FaultRule & {
    /** The virtual instant at which its window begins; undefined: at once. */
    beginsAt?: number;
  };
  created_at: number;
  expires_at: number | null;
}

/** The changing part of a rule, stored apart so that counting does not invalidate the cached rules. */
export interface FaultCounts {
  /** Requests that matched its selectors. */
  seen: number;
  /** Requests on which it has fired. */
  hits: number;
  /** A digest of the last request whose connection it broke, and the time (wall milliseconds). */
  lost: string | null;
  lost_at: number | null;
}

const counts = 'fault_counts.seen, fault_counts.hits, fault_counts.lost, fault_counts.lost_at';
const withCounts = `SELECT faults.*, ${counts} FROM faults JOIN fault_counts ON fault_seq = seq`;

export function insertFault(db: Db, row: FaultRow): void {
  insert(db, 'faults', row);
  insert(db, 'fault_counts', { fault_seq: row.seq, seen: 0, hits: 0 });
}

/** The rules without their counts, the oldest first. */
export function listFaultRules(db: Db): FaultRow[] {
  return listRows(db, 'faults', 'SELECT * FROM faults ORDER BY seq');
}

/** The rules with their counts, the oldest first. */
export function faultsWithCounts(db: Db): (FaultRow & FaultCounts)[] {
  return listRows(db, 'faults', `${withCounts} ORDER BY seq`);
}

export function findFault(db: Db, id: string): (FaultRow & FaultCounts) | undefined {
  return findRow(db, 'faults', `${withCounts} WHERE id = @id`, { id });
}

/** Deletes one rule, or all; returns how many there were. */
export function deleteFaults(db: Db, id?: string): number {
  return id === undefined ? db.run('DELETE FROM faults') : db.run('DELETE FROM faults WHERE id = @id', { id });
}

export function readFaultCounts(db: Db, seq: number): FaultCounts | undefined {
  return db.get<FaultCounts>(`SELECT ${counts} FROM fault_counts WHERE fault_seq = @seq`, { seq });
}

/** Changes the counts of a rule; they never fall below zero. */
export function countFault(db: Db, seq: number, seen: number, hits: number): void {
  db.run('UPDATE fault_counts SET seen = max(0, seen + @seen), hits = max(0, hits + @hits) WHERE fault_seq = @seq', {
    seen,
    hits,
    seq,
  });
}

/** Records (or clears) the request whose connection a rule has broken. */
export function markLost(db: Db, seq: number, lost: string | null, at: number | null): void {
  db.run('UPDATE fault_counts SET lost = @lost, lost_at = @at WHERE fault_seq = @seq', { lost, at, seq });
}
