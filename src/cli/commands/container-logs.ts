// `cloudemu container logs`: what a container has written; with --follow also what it writes from now on.

import { setTimeout as sleep } from 'node:timers/promises';
import { eventsOf, textOf } from '../../control/request.js';
import { parsedJson } from '../../core/json.js';
import { isTree } from '../../core/tree.js';
import type { ControlledContainer } from '../../platform/containers/control.js';
import { askPlatform, createClient, openPlatform, queryOf } from '../client.js';
import { command, target, type ValuesOf } from '../command.js';
import { markUntrusted } from '../document.js';
import { endWithReader, fail, type Line, note, painted, printJson, printLine, stdoutScreen } from '../print.js';
import { Declined, refusalIn, Unreachable } from '../refusal.js';
import { findTarget, type Target, type TargetOptions } from '../target.js';

const flags = {
  follow: { type: 'boolean', short: 'f', describe: 'Keep printing new lines, until Ctrl-C' },
  tail: { type: 'number', describe: 'Number of lines from the end, 1 to 10000', byDefault: '100' },
  since: { type: 'string', describe: 'Only lines from this ISO 8601 time on' },
  ...target,
} as const;

export const containerLogsCommand = command({
  words: 'container logs',
  valueIs: 'tail',
  describe: 'Print the log of a container',
  args: [{ name: 'id', describe: 'The container’s id or project_name', required: true }],
  flags,
  examples: [
    ['container logs my-app', 'to see why it does not run'],
    ['container logs my-app -f', 'while you advance the clock in another terminal'],
  ],
  run: logs,
});

interface LogEntry {
  timestamp: string;
  level: string;
  message: string;
}

/** The reader of a container's log, and the event after which it reads. */
interface Reader {
  target: Target;
  id: string;
  key: string;
  lastId: string | undefined;
}

const pauseMs = 300;

/** Prints the lines that are there, the oldest first; following goes on until Ctrl-C, or until the container is deleted. */
async function logs(options: ValuesOf<typeof flags> & { id?: string }): Promise<void> {
  const { id = '', follow, json, tail, since } = options;
  endWithReader();
  const first = await readerOf(await findTarget(options), id);
  const asked = queryOf({ tail: tail?.toString(), since });
  if (!follow) {
    for (const entry of await readLogs(first, `/logs${asked}`)) print(entry, json);
    return;
  }
  for (let reader = first; ; reader = await backAgain(options, reader)) {
    await followLogs(reader, `/logs/stream${asked}`, json);
    if (await isGone(reader)) return note('The container was deleted: its log has ended.');
    note('The emulator is no longer reachable: waiting until it is back. Press Ctrl-C to stop.');
  }
}

// Logs are the platform's: they are read with a key of the container's organization.
async function readerOf(target: Target, name: string): Promise<Reader> {
  const client = createClient(target);
  const path = `/containers/${encodeURIComponent(name)}`;
  const [container, keys] = await Promise.all([client.get<ControlledContainer>(path, 'statusHistory'), client.keys()]);
  const key = keys.find((one) => one.organizationId === container.organizationId && one.usable);
  if (key !== undefined) return { target, id: container.id, key: key.apiKey, lastId: undefined };
  return fail(1, `The organization of ${name} has no test key: \`cloudemu key create\` makes one.`, {
    code: 'NOT_FOUND',
    next: [['key', 'create', '--organization', container.organizationId]],
  });
}

async function readLogs(reader: Reader, path: string): Promise<LogEntry[]> {
  const { target, key } = reader;
  const headers = { authorization: `Bearer ${key}` };
  const { status, text } = await askPlatform(target, pathIn(reader, path), { method: 'GET', headers });
  const body = parsedJson(text);
  return status === 200 && isTree(body) ? (body.logs as LogEntry[]) : refused(status, text);
}

function refused(status = 0, text: string): never {
  const { code, message, details } = refusalIn(parsedJson(text));
  throw new Declined(message ?? `The log cannot be read (${status})`, status, details, code);
}

/** Prints what a stream brings, until it ends. */
async function followLogs(reader: Reader, path: string, json = false): Promise<void> {
  const { target, key, lastId } = reader;
  const headers = { authorization: `Bearer ${key}`, ...(lastId !== undefined && { 'last-event-id': lastId }) };
  // For as long as it takes.
  const sending = { method: 'GET', headers };
  const answer = await openPlatform(target, pathIn(reader, path), sending).catch(() => undefined);
  if (answer === undefined) return;
  if (answer.statusCode !== 200) refused(answer.statusCode, await textOf(answer));
  try {
    for await (const { id, data } of eventsOf(answer)) {
      reader.lastId = id ?? reader.lastId;
      const event: unknown = JSON.parse(data);
      if (json) printJson(isTree(event) && event.type === 'log' ? markUntrusted(event, 'whole') : event);
      else if (isTree(event)) tell(event.type, event.data);
    }
  } catch {
    // The emulator ended during the stream.
  }
}

function tell(type: unknown, data: unknown): void {
  if (type === 'log') print(data as LogEntry, false);
  else if (type === 'status' && isTree(data)) note(painted('dim', `The container is ${String(data.status)}.`));
  else if (type === 'reset') note('The world was reset or restored: its log begins again.');
}

function print(entry: LogEntry, json = false): void {
  if (json) printJson(markUntrusted({ ...entry }, 'whole'));
  else printLine(lineOf(entry));
}

function lineOf({ timestamp, level = 'info', message }: LogEntry): Line {
  const time = stdoutScreen().isTerminal ? timestamp.slice(11, 19) : timestamp;
  const word = level.padEnd(5);
  const part = level === 'error' ? painted('red', word) : level === 'warn' ? painted('yellow', word) : word;
  return [painted('dim', time), '  ', part, `  ${message}`];
}

const pathIn = ({ id }: Reader, path: string): string => `/api/v1/containers/${id}${path}`;

async function isGone({ target, id }: Reader): Promise<boolean> {
  try {
    await createClient(target).call('GET', `/containers/${id}`);
    return false;
  } catch (error) {
    return error instanceof Declined && error.status === 404;
  }
}

// The target is looked up each time: an emulator that was started again may have another port.
async function backAgain(options: TargetOptions, { id, lastId }: Reader): Promise<Reader> {
  for (;;) {
    await sleep(pauseMs);
    try {
      const reader = await readerOf(await findTarget(options), id);
      note('It is back.');
      return { ...reader, lastId };
    } catch (error) {
      if (error instanceof Declined)
        fail(1, 'The emulator is back, but it no longer has the container.', { code: 'NOT_FOUND' });
      if (!(error instanceof Unreachable)) throw error;
    }
  }
}
