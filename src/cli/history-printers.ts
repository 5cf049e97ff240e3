// How the history of a world is printed: its points, why a request failed, and what came of one that was sent again.

import type { Tree } from '../core/tree.js';
import { counted } from '../core/words.js';
import type { HistoryDetails, HistoryPage } from '../tools/history/schema.js';
import { wordsOf } from '../tools/history/words.js';
import type { WhyAnswer } from '../tools/why/schema.js';
import type { RerunResult } from '../tools/worlds/rerun.js';
import type { Values } from './command.js';
import { hanging } from './layout.js';
import { printJson, printLine, printLines, tell } from './print.js';
import { indented, inline, show } from './show.js';

export function printHistory(answer: Tree, { json }: Values): void {
  const { points, first, last } = answer as unknown as HistoryPage;
  if (json === true) printJson(answer);
  else if (last === null) tell('Nothing has changed in this world yet.');
  else {
    printLines(indented([...points], { wanted: ['point', 'at', 'kind', 'summary', 'requestId?'], by: 0 }));
    tell(
      ...hanging([], `Points ${first} to ${last} are kept. \`cloudemu history show ${last}\` shows one.`),
      ...hanging([], `\`cloudemu world create --at ${last}\` begins a world there.`),
    );
  }
}

// Why a request was answered so, and below it the points that it depended on.
export function printWhy(answer: Tree, { json }: Values): void {
  const { requestId, status, errorCode, reason, chain } = answer as unknown as WhyAnswer;
  if (json === true) {
    printJson(answer);
    return;
  }
  const what = [status === 0 ? 'no response' : status, errorCode].filter((part) => part !== null).join(' ');
  printLine(`${requestId} got ${what}: ${reason}.`);
  const wanted = ['point', 'at', 'because', 'summary', 'requestId?'];
  if (chain.length > 0) printLines(indented([...chain], { wanted, by: 0 }));
}

// Both answers, and below each what it changed.
export function printRerun(answer: Tree, { json }: Values): void {
  if (json === true) {
    printJson(answer);
    return;
  }
  const { world, original, rerun, changes, followed, endedBefore, partsAt } = answer as unknown as RerunResult;
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

export function printHistoryPoint(answer: Tree, { json }: Values): void {
  if (json === true) {
    printJson(answer);
    return;
  }
  const { changes, state, ...point } = answer as unknown as HistoryDetails;
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
