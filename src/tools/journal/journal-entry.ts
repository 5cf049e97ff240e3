// Journal entries: the recorded parts of a request, and the markers between requests.

import * as z from 'zod';
import { parsedJson } from '../../core/json.js';
import { isTree } from '../../core/tree.js';

const texts = z.lazy(() => z.record(z.string(), z.string()));

const connection = z.lazy(() =>
  z.object({
    number: z.int().describe('Its number at the listener that accepted it'),
    openedAt: z.number().describe('Wall milliseconds since the epoch, with microseconds after the decimal point'),
    others: z.int().describe('How many other connections its caller had open when the request came'),
    earlier: z
      .int()
      .exactOptional()
      .describe('How many requests came by it before, those to the control plane included; older entries lack it'),
  }),
);

export const journalEntry = z.lazy(() =>
  z.object({
    kind: z.literal('request'),
    seq: z.int().describe('Sequence number of the record: it never falls and never repeats, not even after a restore'),
    requestId: z.string(),
    at: z.number().describe('Virtual milliseconds since the epoch, at its start'),
    wall: z.number().describe('Wall milliseconds since the epoch, at its start'),
    method: z.string(),
    path: z.string().describe('The path inside the world'),
    query: z.string().describe('With its question mark, or empty'),
    operation: z.string().nullable(),
    subject: z.string().nullable().describe('Id of the resource that it concerns: in its path, or created by it'),
    status: z.int().describe('0: the client received no response'),
    durationMs: z.number(),
    begunAt: z
      .number()
      .exactOptional()
      .describe('As `wall`, with microseconds after the decimal point; entries of older versions lack it'),
    endedAt: z
      .number()
      .exactOptional()
      .describe('When the response, or the start of a stream, was passed to the socket in full, or was given up'),
    caller: z.string().describe('Owner of the rate windows in which it counted: `key:<id>`, `address:<ip>` and so on'),
    organizationId: z.string().nullable(),
    keyId: z.string().nullable(),
    errorCode: z.string().nullable(),
    retryAfter: z.number().nullable().describe('The seconds that the response asked the client to wait'),
    fault: z.string().nullable().describe('The fault rule that fired'),
    outcome: z
      .enum(['answered', 'lost', 'aborted', 'streaming'])
      .describe(
        'lost: a fault kept all or part of the response from the client; aborted: the client disconnected before it; streaming: a stream that is still open',
      ),
    happened: z
      .literal(true)
      .exactOptional()
      .describe('The operation took effect although the client did not get its response: `outcome` is lost or aborted'),
    connection: connection.exactOptional().describe('The connection that the request used; older entries lack it'),
    findings: z.array(z.enum(['secret-in-url', 'live-key', 'expired-credential', 'unknown-field'])),
    warnings: z.array(z.string()),
    assumptions: z.array(z.string()),
    requestHeaders: texts,
    requestBody: z.string().nullable().describe('At most 8 KB; null: there was none'),
    requestBodyHash: z
      .string()
      .nullable()
      .describe(
        'Equal for equal bodies (JSON in any order of keys, forms by their parts), also where the stored text is cut or redacted; null: there was none, or it did not arrive in full',
      ),
    paymentHash: z.string().exactOptional().describe('Equal for equal payments with USDC; missing: there was none'),
    formName: z.string().exactOptional().describe('The name, in a form, of what it requests'),
    responseHeaders: texts,
    responseBody: z.string().nullable(),
  }),
);

/** One request in a world. Secrets are removed from every field before it is stored. */
export type JournalEntry = z.output<typeof journalEntry>;

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

/** The numbers of records as they are stored. Older versions kept other fields beside them. */
export const journalNumbers = z.lazy(() => {
  const count = z.int().min(0).optional();
  return z.object({ seq: count, total: count, reserved: z.object({ seq: count }).nullish() });
});

const longestMessage = 300;

/** Why an error was answered, as its body says it in one of the platform's styles. */
export function messageOf({ responseBody, errorCode }: JournalEntry): string | undefined {
  const body = parsedJson(responseBody ?? '');
  const error = isTree(body) ? body.error : undefined;
  const message = isTree(error) ? error.message : error;
  if (typeof message !== 'string' || message === '' || message === errorCode) return undefined;
  return message.length > longestMessage ? `${message.slice(0, longestMessage)}…` : message;
}
