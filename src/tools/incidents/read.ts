// Reads the file of a recording, in whichever format it is: its content says so, not its name.

import { dirname, join } from 'node:path';
import * as z from 'zod';
import { piecesOf, readNamedText, UnsafePath } from '../../core/checkout-files.js';
import { isTree } from '../../core/tree.js';
import { harOf } from '../journal/har.js';
import { journalEntry } from '../journal/journal-entry.js';
import { isCassette, readCassette } from './cassettes.js';
import type { RecordedExchange, Recording } from './exchange.js';
import { textOf } from './fields.js';
import { exchangeOf, isHar, readHar, recordingOf } from './har.js';
import { linesOf, readEntries } from './json-stream.js';
import { isKeploy, readKeploy } from './keploy.js';
import { isLogLine, readLog } from './logs.js';
import { isSpans, readSpans } from './spans.js';
import { most, tooDense, tooMany, Unreadable } from './unreadable.js';

const readable =
  'HAR, keploy, cassettes of VCR and vcrpy, logs of nginx and Apache, OTLP in JSON, and `cloudemu requests list --json`';

/**
 * The recording in a file.
 *
 * @throws Unreadable with what the file is instead, and what helps; Error with the system's code when it cannot be opened
 */
export async function readRecording(file: string): Promise<Recording> {
  try {
    const head = beginningOf(file);
    const why = otherFormat(file, head);
    if (why !== undefined) throw new Unreadable(why);
    return bounded(await readAs(file, head));
  } catch (error) {
    if (error instanceof Unreadable) throw new Unreadable(`${file} ${error.message}`);
    if (error instanceof UnsafePath) throw new Unreadable(error.message);
    // Of the reader of YAML.
    if (error instanceof ReferenceError) throw new Unreadable(`${file} is YAML whose aliases multiply what it holds`);
    if (error instanceof RangeError) throw new Unreadable(`${file} nests too deep for a recording`);
    throw error;
  }
}

function beginningOf(file: string): Buffer {
  for (const piece of piecesOf(file, most.bytes)) return piece;
  return Buffer.alloc(0);
}

function otherFormat(file: string, head: Buffer): string | undefined {
  const text = head.toString('latin1', 0, 4_096);
  if (text.trim() === '') return 'is empty';
  if (text.startsWith('PK\x03\x04'))
    return 'is a zip, such as a trace of Playwright: unpack it, and import the HAR in it (recordHar writes one)';
  if (text.startsWith('\x1f\x8b')) return `is compressed: gunzip it first`;
  if (/^\d{1,12}:\d{1,12}:/.test(text))
    return `is a flow file of mitmproxy: \`mitmdump -n -r ${file} --set hardump=incident.har\` makes HAR of it`;
  return head.includes(0) ? `is binary. What can be read: ${readable}` : undefined;
}

async function readAs(file: string, head: Buffer): Promise<Recording> {
  const text = head.toString().replace(/^\ufeff/, '');
  const [first = '', second = ''] = text.split(/\r?\n/, 2);
  if (/^\s*\{/.test(text)) {
    const isLines = isWhole(first) && (second.startsWith('{') || isLogLine(first));
    return isLines ? readLines(file, first) : readJson(file);
  }
  if (isLogLine(first) || isLogLine(second)) return readLog(linesOf(piecesOf(file, most.bytes)));
  if (/^(?:---|#|%YAML|version:|http_interactions:|interactions:|kind:|name:)/m.test(text)) return readYaml(file);
  throw new Unreadable(`is in no format that can be read: ${readable}`);
}

function isWhole(line: string): boolean {
  try {
    return isTree(JSON.parse(line));
  } catch {
    return false;
  }
}

function readJson(file: string): Recording {
  const exchanges: RecordedExchange[] = [];
  let room = mostKept;
  let leftOut = 0;
  let index = 0;
  const attached = attachedTo(file);
  const document = readEntries(piecesOf(file, most.bytes), ['log', 'entries'], (entry) => {
    const exchange = exchangeOf(entry, index++, attached);
    if (exchange === undefined) return;
    if (exchanges.length === most.exchanges) throw tooMany();
    const kept = withoutLong(exchange, room);
    room -= sizeOf(kept);
    if (sizeOf(kept) < sizeOf(exchange)) leftOut++;
    exchanges.push(kept);
  });
  if (isHar(document)) {
    const recording = recordingOf(document.log, exchanges);
    if (leftOut > 0)
      recording.limits.push(
        `The bodies of ${leftOut} requests are left out: no text, longer than 256 KB, or beyond 16 MB in all`,
      );
    return recording;
  }
  if (isSpans(document)) return readSpans([document]);
  if (isCassette(document)) return readCassette(document);
  if (isTree(document) && Array.isArray(document.requests)) return ofJournal(document.requests.toReversed());
  throw new Unreadable(`is JSON, but no recording. What can be read: ${readable}`);
}

// One object in a line: a log, the spans of a collector, or `cloudemu requests follow --json`.
function readLines(file: string, first: string): Recording {
  const lines = linesOf(piecesOf(file, most.bytes));
  const document: unknown = JSON.parse(first);
  if (!isSpans(document) && !(isTree(document) && document.requestId !== undefined)) return readLog(lines);
  const documents = [...lines].flatMap((line) =>
    line.trim() === '' ? [] : readEntries([Buffer.from(line)], [], () => {}),
  );
  return isSpans(document) ? readSpans(documents.filter(isSpans)) : ofJournal(documents);
}

const ofRequest = z.lazy(() =>
  journalEntry.unwrap().pick({
    at: true,
    method: true,
    path: true,
    query: true,
    status: true,
    durationMs: true,
    outcome: true,
    requestHeaders: true,
    requestBody: true,
    responseHeaders: true,
    responseBody: true,
  }),
);

function ofJournal(records: readonly unknown[]): Recording {
  const entries = records.flatMap((record) => ofRequest.safeParse(record, { jitless: true }).data ?? []);
  if (entries.length === 0) throw new Unreadable('holds no requests of a journal');
  return { ...readHar(harOf(entries, '')), format: 'the journal of cloudemu' };
}

async function readYaml(file: string): Promise<Recording> {
  const { parseAllDocuments } = await import('yaml');
  const text = readNamedText(file, most.yaml);
  if ((text.match(/[,\n]/g)?.length ?? 0) > most.yamlParts) throw tooDense(most.yamlParts);
  const binary = (tag: string) => ({ tag, resolve: (value: string) => Buffer.from(value, 'base64').toString() });
  const parsed = parseAllDocuments(text, {
    customTags: [binary('!binary'), binary('tag:yaml.org,2002:binary')],
    logLevel: 'error',
  });
  const [problem] = Array.isArray(parsed) ? parsed.flatMap(({ errors }) => errors) : [];
  // Its message repeats parts of the file.
  if (problem !== undefined)
    throw new Unreadable(`is no YAML: ${problem.code} in line ${problem.linePos?.[0].line ?? 1}`);
  const documents = Array.isArray(parsed) ? parsed.map((one): unknown => one.toJS({ maxAliasCount: 100 })) : [];
  const [document] = documents;
  if (isKeploy(documents)) return readKeploy(documents);
  if (isCassette(document)) return readCassette(document);
  throw new Unreadable(`is YAML, but no recording. What can be read: ${readable}`);
}

/** The text of a file that Playwright has put beside a HAR: in its directory, and nowhere else. */
function attachedTo(file: string): (name: string) => string | undefined {
  return (name) => {
    if (!/^[\w-][\w.-]{0,200}$/.test(name)) return undefined;
    try {
      return readNamedText(join(dirname(file), name), mostOfOne);
    } catch {
      return undefined;
    }
  };
}

// What is longer than any answer of the platform is a picture or a program; all bodies together fit into memory.
const mostOfOne = 256 * 1_024;
const mostKept = 16 * 1_024 * 1_024;

const sizeOf = ({ body, text }: RecordedExchange): number => (body?.length ?? 0) + (text?.length ?? 0);

/** An exchange without bodies that are too long, or do not fit into what room there is. */
function withoutLong(exchange: RecordedExchange, room: number): RecordedExchange {
  // The less room there is, the shorter: the answers to writes are, and say most.
  const longest = Math.min(mostOfOne, room / 50);
  const fits = (text: string | null): string | null => (text !== null && text.length > longest ? null : text);
  const isText = /json|text|form|event-stream|^$/.test(textOf(exchange.answer['content-type']));
  return { ...exchange, body: fits(exchange.body), text: isText || exchange.status === 0 ? fits(exchange.text) : null };
}

function bounded(recording: Recording): Recording {
  const { exchanges } = recording;
  if (exchanges.length > most.exchanges) throw tooMany();
  if (exchanges.length === 0) throw new Unreadable('holds no requests');
  return recording;
}
