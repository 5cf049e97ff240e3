// Owns the bench's HTTP client: raw keep-alive sockets without pipelining, so that measuring costs little.

import { connect } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');

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
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) return this.#settle(new Error(`an answer without Content-Length:\n${head}`));
    const size = end + headEnd.length + Number(length);
    if (bytes.length < size) return;
    this.#rest = null;
    this.#settle(null, Number(head.slice(9, 12)), bytes.subarray(end + headEnd.length, size));
  }

  #settle(error, status, body) {
    const done = this.#done;
    this.#done = null;
    done?.(error, status, body);
  }
}

/** The text of a request; a body is sent as JSON. */
export function requestText(method, path, { key, body } = {}) {
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${key === undefined ? '' : `Authorization: Bearer ${key}\r\n`}`;
  if (body === undefined) return `${head}\r\n`;
  const text = JSON.stringify(body);
  return `${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
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
