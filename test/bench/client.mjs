// Owns the bench's HTTP client: raw keep-alive sockets without pipelining, so that measuring costs little.

import { connect } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');
const retryMs = 2;
const patienceMs = 20_000;

/** One connection; `exchange` must not be called again before its answer has come. */
export class Connection {
  #socket;
  #rest = null;
  #done = null;

  /** Connects to a port of 127.0.0.1. */
  static open(port) {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new Connection(socket));
      });
    });
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#settle(error));
    socket.on('close', () => this.#settle(new Error('the server closed the connection')));
  }

  /** Sends a request; `done(error, status, body)`. */
  exchange(request, done) {
    this.#done = done;
    this.#socket.write(request);
  }

  /** Sends a request and gives its status and body. */
  ask(request) {
    return new Promise((resolve, reject) => {
      this.exchange(request, (error, status, body) => (error === null ? resolve({ status, body }) : reject(error)));
    });
  }

  close() {
    this.#done = null;
    this.#socket.destroy();
  }

  #receive(chunk) {
    const bytes = this.#rest === null ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = bytes;
    const end = bytes.indexOf(headEnd);
    if (end === -1) return;
    const head = bytes.latin1Slice(0, end);
    const rest = bytes.subarray(end + headEnd.length);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    const isChunked = length === undefined && /\r\ntransfer-encoding: chunked/i.test(head);
    if (length === undefined && !isChunked) return this.#settle(new Error(`an answer of unknown length:\n${head}`));
    const body = isChunked ? joinChunks(rest) : rest.length < length ? undefined : rest.subarray(0, Number(length));
    if (body === undefined) return;
    this.#rest = null;
    this.#settle(null, Number(head.slice(9, 12)), body);
  }

  #settle(error, status, body) {
    const done = this.#done;
    this.#done = null;
    done?.(error, status, body);
  }
}

// The body that was sent in chunks; undefined until the last of them has come.
function joinChunks(bytes) {
  const chunks = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = Number.parseInt(bytes.latin1Slice(at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return undefined;
    if (size === 0) return Buffer.concat(chunks);
    chunks.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}

/** The text of a request; a body is sent as JSON, or as a form where it is a text already. */
export function requestText(method, path, { key, body } = {}) {
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}`;
  if (body === undefined) return `${head}\r\n`;
  const isForm = typeof body === 'string';
  const text = isForm ? body : JSON.stringify(body);
  return `${head}Content-Type: application/${isForm ? 'x-www-form-urlencoded' : 'json'}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

/** Asks once, insists on a status and gives the body's bytes. */
export async function askOnce(port, request, status) {
  const connection = await Connection.open(port);
  try {
    const answer = await connection.ask(request);
    insist(status, answer.status, answer.body, request);
    return answer.body;
  } finally {
    connection.close();
  }
}

/** Asks a process that starts until it answers, with 200. */
export async function firstAnswer(child, port, request) {
  while (performance.now() - child.startedAt < patienceMs) {
    if (!child.isLiving()) throw new Error('the server ended before it answered');
    try {
      await askOnce(port, request, 200);
      return;
    } catch (error) {
      if (error.code !== 'ECONNREFUSED') throw error;
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
  throw new Error(`no answer within ${patienceMs} ms`);
}

/** Throws when a status is not the one that was meant, or one of those. */
export function insist(wanted, status, body, request) {
  if ([wanted].flat().includes(status)) return;
  throw new Error(
    `${request.slice(0, request.indexOf('\r'))} answered ${status} instead of ${wanted}: ${body.toString().slice(0, 500)}`,
  );
}

/**
 * Loads a server for a while over several connections, each asking again as soon as it is answered, or, with `perSecond`,
 * when its share of so many is due.
 *
 * @returns how many requests a second were answered, and the milliseconds that each took
 */
export async function load({ port, connections, ms, request, status, perSecond = Infinity }) {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(port)));
  const startedAt = performance.now();
  const until = startedAt + ms;
  const latencies = [];
  const statuses = [status].flat();
  const paceMs = (connections * 1_000) / perSecond;
  const run = (connection) =>
    new Promise((resolve, reject) => {
      const next = () => {
        const text = request();
        const askedAt = performance.now();
        connection.exchange(text, (error, got, body) => {
          if (error !== null) return reject(error);
          if (!statuses.includes(got)) {
            try {
              insist(status, got, body, text);
            } catch (wrong) {
              return reject(wrong);
            }
          }
          latencies.push(performance.now() - askedAt);
          if (performance.now() >= until) resolve();
          else if (paceMs === 0) next();
          else setTimeout(next, askedAt + paceMs - performance.now());
        });
      };
      next();
    });
  try {
    await Promise.all(open.map(run));
    return { latencies, perSecond: (latencies.length / (performance.now() - startedAt)) * 1_000 };
  } finally {
    for (const connection of open) connection.close();
  }
}
