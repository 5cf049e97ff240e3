// Journal entries: the recorded parts of a request, and the markers between requests.

import type { Connection } from '../../http/connections.js';
import type { Finding, Outcome } from '../../http/request-context.js';
import type { ChangedTable } from './row-changes.js';

/** One request in a world. Secrets are removed from every field before it is stored. */
export interface JournalEntry {
  kind: 'request';
  /** The journal's own number: it never falls and never repeats, not even after a restore. */
  seq: number;
  requestId: string;
  /** Virtual milliseconds at its start. */
  at: number;
  /** Wall milliseconds at its start. */
  wall: number;
  method: string;
  /** The path inside the world. */
  path: string;
  /** With its question mark, or ''. */
  query: string;
  operation: string | null;
  /** The id of the request's subject: the one in the path, or the one that it created. */
  subject: string | null;
  /** 0 when the client received no status. */
  status: number;
  durationMs: number;
  /** As `wall`, with microseconds after the decimal point. Entries of older versions lack it, as the next field. */
  begunAt?: number;
  /** When the response, or the start of a stream, was passed to the socket in full, or was given up. */
  endedAt?: number;
  /** The owner of the rate windows in which it counted: `key:<id>`, `address:<ip>` and so on. */
  caller: string;
  organizationId: string | null;
  keyId: string | null;
  errorCode: string | null;
  /** The seconds that the response asked the client to wait. */
  retryAfter: number | null;
  /** The fault rule that fired. */
  fault: string | null;
  outcome: Outcome;
  /** The operation took effect although the response was lost. */
  happened?: true;
  /** Entries of older versions lack it. */
  connection?: Connection;
  findings: Finding[];
  warnings: string[];
  assumptions: string[];
  requestHeaders: Record<string, string>;
  /** At most 8 KB; null when there was none. */
  requestBody: string | null;
  /**
   * Equal for equal bodies (JSON in any order of keys, forms by their parts), also where the stored text is cut or
   * redacted; null when there was no body, or it did not arrive in full.
   */
  requestBodyHash: string | null;
  /** The name in a form of the thing that it requests. */
  formName?: string;
  responseHeaders: Record<string, string>;
  responseBody: string | null;
  /** The rows that it changed, where somebody wanted to know them; only `requests.get` has them. */
  changes?: ChangedTable[] | null;
}

/** An event between requests: data were replaced, or a stream ended. */
export interface JournalMarker {
  kind: 'marker';
  seq: number;
  at: number;
  wall: number;
  event: 'reset' | 'restored' | 'scenario' | 'stream-ended';
  /** The snapshot's or scenario's name, or the sequence number of the stream's request. */
  subject: string;
  /** The side that ended the stream. */
  by?: 'client' | 'server';
}

export type JournalRecord = JournalEntry | JournalMarker;

/** A record as lists and streams have it: the rows that a request changed are told where it is shown alone. */
export function withoutChanges<Record extends JournalRecord>(record: Record): Record {
  if (record.kind === 'marker' || record.changes === undefined) return record;
  const { changes: _, ...rest } = record;
  return rest as Record;
}
