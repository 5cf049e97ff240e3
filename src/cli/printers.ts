// Results that are printed in a form of their own, not as tables and fields.

import type { PrintStyle } from '../control/command.js';
import { whyUnwritten } from '../core/files.js';
import { parsedJson } from '../core/json.js';
import { writeNamed } from '../core/private-files.js';
import { isTree, type Tree } from '../core/tree.js';
import { counted } from '../core/words.js';
import type { ControlledContainer } from '../platform/containers/control.js';
import { listFailures } from '../platform/containers/lifecycle/failures.js';
import type { ImageDetails } from '../platform/images/views.js';
import type { OperationCount } from '../tools/awaits/operation.js';
import type { HistoryDetails, HistoryPage } from '../tools/history/schema.js';
import { wordsOf } from '../tools/history/words.js';
import type { RequestDetails, RequestList } from '../tools/journal/control.js';
import type { ChangedField, ChangedTable } from '../tools/journal/row-changes.js';
import type { SnapshotComparison } from '../tools/snapshots/compare.js';
import type { Timeline } from '../tools/timeline/schema.js';
import type { WhyAnswer } from '../tools/why/schema.js';
import type { RerunResult } from '../tools/worlds/rerun.js';
import { text, type Values } from './command.js';
import { hanging, namedValues } from './layout.js';
import { fail, type Line, printJson, printLine, printLines, stdoutScreen, tell } from './print.js';
import { indented, inline, label, show } from './show.js';

/** Prints an answer; with --json only where it says so. */
export type Printer = (answer: Tree, values: Values) => void;

export const printers: Record<PrintStyle, Printer> = {
  comparison: orJson(printTables),
  container: orJson((container: ControlledContainer, values) => tell(containerText(container, text(values, 'mode')))),
  'container-details': orJson(printContainerDetails),
  history: orJson(printHistory),
  'history-point': orJson(printHistoryPoint),
  image: orJson(printImage),
  'indented-json': (answer, { json }) => printJson(answer, json === true ? 0 : 2),
  request: orJson(printRequest),
  'request-count': orJson(printCount),
  requests: orJson(printRequests),
  rerun: orJson(printRerun),
  'saved-scenario': orJson(printSaved),
  scenario: (answer, { json }) => (json === true ? printJson(answer) : printJson(answer.document, 2)),
  snapshot: printSnapshot,
  text: orJson(({ text: lines }: { text: string }) => printLines(lines.split('\n'))),
  timeline: orJson(printTimeline),
  why: orJson(printWhy),
};

/** A printer for people, where JSON is the answer as it is. */
function orJson<Answer>(print: (answer: Answer, values: Values) => void): Printer {
  return (answer, values) => (values.json === true ? printJson(answer) : print(answer as Answer, values));
}

// The newest request comes last, next to where the person types, as in logs and the timeline.
function printRequests(answer: RequestList): void {
  const { requests } = answer;
  const columns = 'at status method path requestId operation? durationMs? fault?'.split(' ');
  printLines(show({ ...answer, requests: requests.toReversed() }, columns));
}

// Prints the past and, below the line of now, the forecast.
function printTimeline({ now, entries, hasOlder, ahead }: Timeline): void {
  const before = hasOlder ? ['There are older ones: --limit and --before show them.'] : [];
  const rows = [...entries, { at: now, title: '(now)', result: '', detail: null }, ...ahead];
  printLines([...before, ...indented(rows, { wanted: ['at', 'title', 'result', 'detail?'], by: 0 })]);
}

function printSaved({ name, file }: { name: string; file: string | null }): void {
  if (file !== null) printLine(`Wrote ${file}.`);
  else
    printLine(`Saved ${name} in memory: it is gone with the emulator (the setting data.scenarios keeps it in a file).`);
}

function printSnapshot(snapshot: Tree, values: Values): void {
  const file = text(values, 'file');
  if (file === undefined) {
    if (stdoutScreen().isTerminal)
      fail(2, 'A snapshot is too long for a terminal: name --file, or redirect the output.');
    printJson(snapshot);
    return;
  }
  try {
    writeNamed(file, `${JSON.stringify(snapshot)}\n`);
  } catch (error) {
    fail(1, `${file} ${whyUnwritten(error)}`);
  }
  if (values.json === true) printJson({ name: snapshot.name, file });
  else printLine(`Wrote the snapshot ${String(snapshot.name)} to ${file}.`);
}

// The state of a container in a sentence, and where to read more. `mode` is the failure mode that was just chosen for it.
function containerText(container: ControlledContainer, mode?: string): string {
  const { project_name: name, status, since, error } = container;
  const more = `\`cloudemu container show ${name}\` shows its history.`;
  if (status !== 'failed') return `Container ${name} is ${status} since ${since}. ${more}`;
  const failure = listFailures().find((one) =>
    mode === undefined ? one.mode === container.mode || one.message === error : one.mode === mode,
  );
  if (failure === undefined) return `Container ${name} failed: ${error ?? 'no reason is known'}. ${more}`;
  const title = failure.title.replace(/^\w/, (letter) => letter.toLowerCase());
  return `Container ${name} failed: ${title} (failure mode ${failure.mode}). Clients read "${error ?? ''}". ${more}`;
}

// A container, with its image in a section of its own.
function printContainerDetails({ image, statusHistory, ...rest }: ControlledContainer): void {
  const { uri, digest, config, ...facts } = image;
  printLines([
    ...show({ ...rest }),
    ...section('image', [uri, ...(digest === null ? [] : [digest])], { ...facts, ...config }),
    '',
    ...show({ statusHistory }),
  ]);
}

// An image; its manifest is in its JSON.
function printImage({ uri, digest, manifest, images, ...rest }: ImageDetails): void {
  const sections = images.flatMap(({ platform, digest, size, layers, config }) => [
    ...section(platform ?? 'image', [digest], { size, ...config }),
    '  layers:',
    ...indented(
      layers.map(({ size, digest, mediaType }) => ({ size, digest, mediaType })),
      { by: 4 },
    ),
  ]);
  printLines([uri, digest, ...factsOf({ ...rest }), ...sections]);
}

// Names to copy are on lines of their own, because a digest beside a name does not fit on a terminal.
function section(title: string, names: readonly string[], facts: Tree): Line[] {
  // The platform is made of them.
  const { os, architecture, variant, ...known } = facts;
  return ['', `${title}:`, ...names.map((name) => `  ${name}`), ...factsOf(known)];
}

function factsOf(facts: Tree): Line[] {
  const rows = Object.entries(facts).map(([name, value]) => [label(name), shown(name, value)] as const);
  const known = rows.filter(([, value]) => value !== '-');
  return known.length === 0 ? [] : namedValues(known);
}

function shown(name: string, value: unknown): string | readonly string[] {
  const texts = name === 'labels' ? Object.entries(value as Tree) : [];
  return texts.length === 0 || value === null ? inline(value, name) : texts.map(([key, text]) => `${key}=${text}`);
}

const signs = { added: '+', removed: '-', changed: '~' };

// Rows before and after, line by line, of two states of a world: the tables, and below each its rows.
function printTables({ name, with: other, tables }: SnapshotComparison): void {
  if (tables.length === 0) printLine(`Nothing is different between ${name} and ${other ?? 'now'}.`);
  printRows(tables, '--limit shows more of them');
}

// A request, and below it the rows that it changed.
function printRequest({ changes, ...request }: RequestDetails): void {
  printLines(show({ ...request }));
  if (changes === null) printLine('changes: not recorded (see the settings data.history and data.historyBytes)');
  else printLine(changes.length === 0 ? 'changes: none' : 'changes:');
  printRows(changes ?? [], 'they are not kept');
}

// How many requests there were, and where to read of the last one.
function printCount({ operation, count, last }: OperationCount): void {
  if (last !== null) {
    const { requestId, operation: called, status, at } = last;
    const which = called === operation ? 'the last' : `the last, of ${called},`;
    const answered = status === 0 ? 'no response' : `status ${status}`;
    printLine(`${counted(count, 'request')} of ${operation}: ${which} got ${answered} at ${at}.`);
    tell(`\`cloudemu requests show ${requestId}\` shows it.`);
  }
}

function printRows(tables: readonly ChangedTable[], wayToMore: string): void {
  for (const { table, added, removed, changed, rows } of tables) {
    printLine(`${table}: ${added} added, ${removed} removed, ${changed} changed`);
    for (const row of rows) {
      printLine(`  ${signs[row.change]} ${row.key}${row.name === null ? '' : ` (${row.name})`}`);
      if (row.change !== 'changed') continue;
      for (const { name, before, after } of row.fields.flatMap(partsOf))
        printLine(`      ${name}: ${before ?? 'none'} -> ${after ?? 'none'}`);
    }
    const rest = added + removed + changed - rows.length;
    if (rest > 0) printLine(`  and ${rest} more: ${wayToMore}`);
  }
}

// A column may hold a document, such as the spec of a deployment: only its parts that differ are shown.
function partsOf(field: ChangedField): ChangedField[] {
  const { name, before, after } = field;
  const [former, latter] = [before, after].map((text) => parsedJson(text ?? ''));
  if (!isTree(former) || !isTree(latter)) return [field];
  const textOf = (value: unknown): string | null =>
    value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);
  return [...new Set([...Object.keys(former), ...Object.keys(latter)])].flatMap((key) => {
    const part = { name: `${name}.${key}`, before: textOf(former[key]), after: textOf(latter[key]) };
    return part.before === part.after ? [] : partsOf(part);
  });
}

// How the history of a world is printed: its points, why a request failed, and what came of one that was sent again.

function printHistory({ points, first, last }: HistoryPage): void {
  if (last === null) tell('Nothing has changed in this world yet.');
  else {
    printLines(indented([...points], { wanted: ['point', 'at', 'kind', 'summary', 'requestId?'], by: 0 }));
    tell(
      ...hanging([], `Points ${first} to ${last} are kept. \`cloudemu history show ${last}\` shows one.`),
      ...hanging([], `\`cloudemu world create --at ${last}\` begins a world there.`),
    );
  }
}

// Why a request was answered so, and below it the points that it depended on.
function printWhy({ requestId, status, errorCode, reason, chain }: WhyAnswer): void {
  const what = [status === 0 ? 'no response' : status, errorCode].filter((part) => part !== null).join(' ');
  printLine(`${requestId} got ${what}: ${reason}.`);
  const wanted = ['point', 'at', 'because', 'summary', 'requestId?'];
  if (chain.length > 0) printLines(indented([...chain], { wanted, by: 0 }));
}

// Both answers, and below each what it changed.
function printRerun({ world, original, rerun, changes, followed, endedBefore, partsAt }: RerunResult): void {
  for (const [title, seen, tables] of [
    ['then', original, changes.original],
    ['again', rerun, changes.rerun],
  ] as const) {
    printLine(`${title}: ${seen.status === 0 ? 'no response' : seen.status} ${cut(inline(seen.body ?? ''))}`);
    const words = tables === null ? ['what it changed is not known any more'] : wordsOf(tables);
    printLines((words.length === 0 ? ['it changed nothing'] : words).map((line) => `  ${line}`));
  }
  if (followed > 0) printLine(`${counted(followed, 'following request')} sent, too.`);
  if (endedBefore !== null) printLine(`${endedBefore.reason}. Nothing was sent from there on.`);
  printLine(partsAt === null ? 'All is as it was.' : `The histories part at ${partsAt}.`);
  if (world !== null) tell(`\`cloudemu history --world ${world}\` shows the world in which it was sent.`);
}

function printHistoryPoint({ changes, state, ...point }: HistoryDetails): void {
  printLines(show({ ...point }));
  printLine(changes.length === 0 ? 'changes: none' : 'changes:');
  for (const { words } of changes) printLine(`  ${words}`);
  if (state === undefined) return;
  printLine('The world after it:');
  printLines(show({ ...state }));
}

const longest = 300;

// `--json` has all of it.
const cut = (text: string): string => (text.length <= longest ? text : `${text.slice(0, longest)}…`);
