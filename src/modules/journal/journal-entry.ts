// What the journal keeps of a request, and the markers between requests.

import type { Connection } from '../../http/connections.js';
import type { Finding, Outcome } from '../../http/request-context.js';

/** One request in a world. Secrets are gone from every field before it is stored. */
export interface JournalEntry {
  kind: 'request';
  /** The journal's own number: it never falls and never repeats, not even after a restore. */
  seq: number;
  requestId: string;
  /** Virtual milliseconds at its beginning. */
  at: number;
  /** Wall milliseconds at its beginning. */
  wall: number;
  method: string;
  /** The path inside the world. */
  path: string;
  /** With its question mark, or ''. */
  query: string;
  operation: string | null;
  /** The id of what the request is about: the path's, or that of what it created. */
  subject: string | null;
  /** 0 when the client got no status. */
  status: number;
  durationMs: number;
  /** As `wall`, with microseconds behind the point. Missing in what older versions kept, as the next. */
  begunAt?: number;
  /** When the answer, or the beginning of a stream, had been handed to the socket in full, or was given up. */
  endedAt?: number;
  /** Whose rate windows it counted in: `key:<id>`, `address:<ip>` and so on. */
  caller: string;
  organizationId: string | null;
  keyId: string | null;
  errorCode: string | null;
  /** Seconds that the answer asked the client to wait. */
  retryAfter: number | null;
  /** The fault rule that acted. */
  fault: string | null;
  outcome: Outcome;
  /** What was asked for has happened, though the answer was lost. */
  happened?: true;
  /** Missing in what older versions kept. */
  connection?: Connection;
  findings: Finding[];
  warnings: string[];
  assumptions: string[];
  requestHeaders: Record<string, string>;
  /** At most 8 KB; null when there was none. */
  requestBody: string | null;
  /**
   * Equal for equal bodies (JSON in whatever order of keys, forms by their parts), also where the stored text is cut or
   * redacted; null when there was no body, or not all of it came.
   */
  requestBodyHash: string | null;
  /** What a form calls the thing that it asks for. */
  formName?: string;
  responseHeaders: Record<string, string>;
  responseBody: string | null;
}

/** Something between requests: data moved under them, or a stream came to its end. */
export interface JournalMarker {
  kind: 'marker';
  seq: number;
  at: number;
  wall: number;
  event: 'reset' | 'restored' | 'scenario' | 'stream-ended';
  /** The snapshot's or scenario's name, or the sequence number of the stream's request. */
  subject: string;
  /** Who ended the stream. */
  by?: 'client' | 'server';
}

export type JournalRecord = JournalEntry | JournalMarker;
