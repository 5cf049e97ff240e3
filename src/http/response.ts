// The answers that a handler returns: JSON, text, bytes, or a stream of server-sent events.

import type { ApiError } from '../core/errors.js';

export interface JsonAnswer {
  kind: 'json';
  status: number;
  body: Record<string, unknown>;
  /** The body as it goes out, of an answer that is kept and sent again. */
  text?: string;
  headers?: Record<string, string>;
  /** It comes from a process of the user's own, which has promised nothing. */
  isForwarded?: true;
}

export interface TextAnswer {
  kind: 'text';
  status: number;
  text: string;
  type: string;
  headers?: Record<string, string>;
}

/** Content that is not text: sent with its exact length unless it goes out in chunks. */
export interface BytesAnswer {
  kind: 'bytes';
  status: number;
  bytes: Buffer;
  type: string;
  /** Sent in chunks, without the length. */
  chunked?: boolean;
  headers?: Record<string, string>;
}

/** A file, or a part of it: sent as it is read. */
export interface FileAnswer {
  kind: 'file';
  status: number;
  file: { path: string; size: number };
  /** The first and the last byte. */
  first: number;
  last: number;
  type: string;
  headers?: Record<string, string>;
}

/** One server-sent event. */
export interface SseEvent {
  id?: string;
  /** Its type, where it has one. */
  event?: string;
  data: string;
  /** It is a comment, which says nothing but that the stream is alive, and this is its text. */
  comment?: string;
}

/** Sends events to a client; `send` resolves when the bytes were handed to the socket. */
export interface SseSink {
  send(events: SseEvent[]): Promise<void>;
  /** Ends the stream after what was sent. */
  end(): void;
  /** Called once when the stream is over, whichever side ended it. */
  onClose(listener: () => void): void;
}

export interface StreamAnswer {
  kind: 'stream';
  status: number;
  /** Sends its events and nothing else: no opening comment, no heartbeat. */
  bare?: boolean;
  open: (sink: SseSink) => void;
}

/** What is too long to be made at once, or still comes from elsewhere: it is sent as it is made, without its length. */
export interface PiecesAnswer {
  kind: 'pieces';
  status: number;
  pieces: AsyncIterable<string | Buffer>;
  /** By default JSON. */
  type?: string;
  headers?: Record<string, string>;
}

/** A response that is computed asynchronously; `gone` aborts when the client leaves before its end. */
export interface LaterAnswer {
  kind: 'later';
  ready: (gone: AbortSignal) => Promise<Answer | ApiError>;
}

/** An error of a handler that keeps what it has written. */
export interface KeptError {
  kind: 'error';
  error: ApiError;
}

/** Answers with an error and keeps what was written; an error that is thrown rolls it back. */
export function keeping(error: ApiError): KeptError {
  return { kind: 'error', error };
}

export type Answer = JsonAnswer | PiecesAnswer | TextAnswer | BytesAnswer | FileAnswer | StreamAnswer;

/** A JSON answer with status 200. */
export function ok(body: Record<string, unknown>): JsonAnswer {
  return { kind: 'json', status: 200, body };
}

/** An answer to be kept: it is turned into text once. */
export function kept(body: Record<string, unknown>): JsonAnswer {
  return fromText(JSON.stringify(body));
}

/** An answer whose text is there already. */
export function fromText(text: string): JsonAnswer {
  return {
    kind: 'json',
    status: 200,
    get body() {
      return JSON.parse(text) as Record<string, unknown>;
    },
    text,
  };
}

/** A JSON answer with another status. */
export function json(status: number, body: Record<string, unknown>, headers?: Record<string, string>): JsonAnswer {
  return headers === undefined ? { kind: 'json', status, body } : { kind: 'json', status, body, headers };
}

export function text(content: string, type = 'text/plain; charset=utf-8'): TextAnswer {
  return { kind: 'text', status: 200, text: content, type };
}

/** Sends a browser elsewhere. */
export function redirect(url: string): TextAnswer {
  const headers = { Location: url, 'Cache-Control': 'no-store', Vary: 'Accept' };
  return { ...text(`See ${url}\n`), status: 302, headers };
}

export function bytes(content: Buffer, type: string, headers: Record<string, string> = {}): BytesAnswer {
  return { kind: 'bytes', status: 200, bytes: content, type, headers };
}

export function stream(open: (sink: SseSink) => void): StreamAnswer {
  return { kind: 'stream', status: 200, open };
}

/** A stream in the way of other servers: its events alone. */
export function bareStream(open: (sink: SseSink) => void): StreamAnswer {
  return { kind: 'stream', status: 200, bare: true, open };
}

/** Statuses whose answers have no body. */
export function isBodiless(status: number | undefined): boolean {
  return status === 204 || status === 205 || status === 304;
}
