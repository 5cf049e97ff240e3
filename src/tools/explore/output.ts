// Reads the output of a test command for one test: whether it failed, and whether with the platform's error.

import { type ErrorCode, errorTable } from '../../core/errors.js';
import { changesFields, codeOf, damages, type FaultEffect } from '../faults/rule.js';
import { rules } from '../verdicts/rules.js';

/** How the end of a test is told in what its command printed. */
export type Failure = 'none' | 'platform' | 'verdict' | 'other' | 'timeout' | 'unknown';

const failMark = /\bFAIL(?:ED|URE)?\b|^ERROR: \w+ \(|^\s*(?:[×✗✘●❯✕✖]|not ok\b|\d+\)|_{3,} )/;
const passMark = /^\s*(?:ok \d|[✓✔√]\s)|\bPASSED\b|\.\.\. ok$/;
/** How many tests failed, in the words of node:test, Vitest and Jest, pytest, Playwright, unittest. */
const failedCounts = [
  /^[#ℹ] fail (\d+)$/,
  /^\s*Tests:?\s.*?\b(\d+) failed/,
  /^=+ .*?\b(\d+) failed/,
  /^ {2}(\d+) failed$/,
  /^FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?/,
];
const ruler = /^\s*(?:[⎯─=—_-]{8,}|(?:Test Files|Test Suites:|Tests:?)\s)/;
/** Lines that quote source code, which do not say what happened. */
const excerpt = /^\s*>?\s*\d*\s*\|/;
/** pytest marks the lines in which an exception says what happened: around them it quotes the source of each frame. */
const marked = /^E {2,}/;
/** Where Python went on from an exception to the next one: the last one is the one that reached the test. */
const wentOn =
  /^(?:During handling of the above exception, another exception occurred|The above exception was the direct cause of the following exception):$/;
/** The begin of what Python prints about one exception. */
const traceback = /^Traceback \(/;
const pythonFrame = /^ *File ".*", line \d+/;
const indented = /^ {4}/;
/** Lines that say where it happened. */
const place = /^\s*(?:at\s.*:\d+|❯ .*:\d+|File ".*", line \d+|Traceback \(|\S+:\d+:(?:\d+:?)?\s*(?:in .*)?$|[-~^ ]+$)/;
/** Lines that say what happened. */
const error =
  /^\s*(?:E\s{2,}\S|(?:Uncaught )?(?:\w+\.)*\w*(?:Error|Exception|Failure)\b(?: \[\w+\])?:|error:|(?:thrown|expected|Expected)\b)/;

const crashes =
  /Cannot (?:read|set) propert|is not a function|is not iterable|is not a constructor|ReferenceError|Maximum call stack|AttributeError|KeyError|IndexError|NoneType|UnboundLocalError|Cannot destructure|(?:undefined|null) is not an object|unhandled/i;
const testTimeouts =
  /test timed out (?:in|after)|Exceeded timeout of|Test timeout of|Hook timed out|Timeout (?:>|\()\s*[\d.]+/i;
// What is empty is an abort whose kind Node 20 loses between two processes.
const network =
  /^\s*(?:\[cause\]: )?\{\}$|ERR_(?:BAD_RESPONSE|NETWORK|EMPTY_RESPONSE|CONNECTION_|INCOMPLETE_CHUNKED|CONTENT_LENGTH|STREAM_PREMATURE)|\bEOF\b|empty reply|transfer closed|(?:could ?n[o']t|failed to) (?:fetch|connect)|load failed|connection attempts failed|(?:server|peer) (?:closed|disconnected|reset)|closed (?:connection|before|without)|payload is not completed|error sending request|ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|UND_ERR|fetch failed|terminated|socket hang up|other side closed|premature close|connection (?:error|reset|aborted|closed|broken)|Connection(?:Reset|Aborted)?Error|RemoteDisconnected|RemoteProtocolError|ReadError|IncompleteRead|network ?error|aborted|time(?:d)? ?out|(?:br[eo]a?ke?s?n?|cut) (?:off|short)|ended (?:early|too soon)/im;
const syntax =
  /SyntaxError|in JSON|JSON\.parse|JSONDecodeError|(?:invalid|not valid|malformed|incomplete|truncated|unterminated|unexpected end)[^\n]{0,40}(?:json|body|answer|response|stream)?/i;

/** By what the error of a fault is recognized in what is printed; without an effect it is a failure mode. */
export function signsOf(effect: FaultEffect | undefined, mode = ''): RegExp[] {
  // A test may fail because a response says something else: only a crash shows that its client cannot bear it.
  if (effect !== undefined && changesFields(effect)) return [/^/];
  if (effect === undefined) return [new RegExp(`${escaped(mode)}|fail|error_message|deploy`, 'i')];
  if (effect.network === 'refuse') return [network];
  if (damages(effect.network) || effect.network === 'close') return [network, syntax];
  if (effect.network !== undefined) return [network];
  const { body } = effect;
  const isOwnError = typeof body === 'object' && body !== null && 'code' in body;
  const code = isOwnError ? (body.code as ErrorCode) : codeOf(effect);
  const { status = effect.status, message } = code === undefined ? { message: undefined } : errorTable[code];
  const own = isOwnError && 'error' in body ? String(body.error) : undefined;
  const texts = [code, message, own].filter((text) => text !== undefined).map(escaped);
  return [new RegExp([...texts, `\\b${effect.status ?? status}\\b`].join('|'), 'i')];
}

/** A rule of the emulator that the client broke, as its report says it to tests that ask for one. */
const brokenRule = new RegExp(`\\b(?:${rules.map(({ id }) => id).join('|')})\\b`);

/** Errors that say that the client asked for something wrong. */
const ofClient: readonly string[] = ['VALIDATION_ERROR', 'INVALID_JSON', 'ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED'];

/** By what errors that the platform answers after a fault are recognized: what is deleted already is gone the next time. */
export function signsOfErrors(codes: Iterable<string>): RegExp[] {
  const known = [...codes].filter((code) => Object.hasOwn(errorTable, code) && !ofClient.includes(code));
  return known.flatMap((code) => signsOf({ error: code as ErrorCode }));
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * How a test failed, by what was printed.
 *
 * @param label the world's id, which begins with what its test is called; `default`: the whole output is meant
 * @param labels those of all worlds, where something else may have failed
 */
export function failureIn(
  output: string,
  label: string,
  signs: readonly RegExp[],
  labels?: readonly string[],
): Failure {
  const lines = plain(output).split('\n');
  const own = label === 'default' ? lines : sectionsOf(lines, label);
  if (own.length === 0 && labels !== undefined) return hasPassed(lines, label, labels) ? 'none' : 'unknown';
  const meant = own.length > 0 ? own : lines;
  const text = saidIn(meant);
  if (testTimeouts.test(text)) return 'timeout';
  if (crashes.test(saidIn(reachedTest(meant)))) return 'other';
  // What says nothing, such as a script with `curl -sf`, does not say that the client did wrong.
  if (text.trim() === '' || signs.some((sign) => sign.test(text))) return 'platform';
  return brokenRule.test(text) ? 'verdict' : 'other';
}

// What is printed about errors, without the source code that runners quote: that names errors which never happened.
function saidIn(lines: readonly string[]): string {
  let isFrame = false;
  const own = lines.filter((line) => {
    isFrame = pythonFrame.test(line) || (isFrame && indented.test(line));
    return !isFrame && !excerpt.test(line);
  });
  return (
    own.some((line) => marked.test(line)) ? own.filter((line) => marked.test(line) || failMark.test(line)) : own
  ).join('\n');
}

// Without the exceptions that Python went on from, and that only say why.
function reachedTest(lines: readonly string[]): string[] {
  const reached: string[] = [];
  for (const line of lines) {
    if (!wentOn.test(line)) reached.push(line);
    else {
      const begin = reached.findLastIndex((one) => traceback.test(one) || failMark.test(one));
      reached.splice(begin + 1);
    }
  }
  return reached;
}

/** The last lines that say something, for a person. */
export function tailOf(output: string, count: number): string[] {
  return plain(output)
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-count);
}

/** What the runner printed of a failed test, or of any. */
export function sectionAbout(output: string, label: string): string[] {
  const lines = plain(output).split('\n');
  return label === 'default' ? sectionsWhere(lines, () => true) : sectionsOf(lines, label);
}

/** The lines of the output that concern a test, or any that failed: which it is, its error, and what follows. */
export function linesAbout(output: string, label: string, count: number): string[] {
  const own = sectionAbout(output, label);
  if (own.length === 0) return tailOf(output, count);
  const said = own
    .map((line) => line.trimEnd())
    .filter((line) => line !== '' && !excerpt.test(line) && !place.test(line));
  const first = Math.max(
    0,
    said.findIndex((line) => error.test(line)),
  );
  return [...said.slice(0, Math.min(first, 1)), ...said.slice(first)].slice(0, count);
}

// Removes the colours that a terminal would show.
function plain(output: string): string {
  return output.replace(/\u001b\[[\d;]*[A-Za-z]/g, '');
}

function sectionsOf(lines: readonly string[], label: string): string[] {
  return sectionsWhere(lines, (line) => isAbout(line, label));
}

// Vitest names all tests that failed with an equal error, one below the other, and prints the error once.
const isOfGroup = (line: string): boolean => /^\s*FAIL {2}\S/.test(line);

// From each line that says that the test failed to the next one that says so of another, or to a ruler; unittest draws one
// below the name of the test, too.
function sectionsWhere(lines: readonly string[], isMeant: (line: string) => boolean): string[] {
  let isOwn = false;
  return lines.filter((line, index) => {
    if (failMark.test(line)) isOwn = isMeant(line) || (isOwn && isOfGroup(line) && isOfGroup(lines[index - 1] ?? ''));
    else if (ruler.test(line) && !failMark.test(lines[index - 1] ?? '')) isOwn = false;
    return isOwn && !ruler.test(line);
  });
}

// A test passed if a line says so, or if as many others failed as the runner counts.
function hasPassed(lines: readonly string[], label: string, labels: readonly string[]): boolean {
  if (lines.some((line) => passMark.test(line) && isAbout(line, label))) return true;
  const [count] = lines.flatMap((line) => failedCounts.flatMap((pattern) => sumOf(pattern.exec(line))));
  return count === labels.filter((one) => sectionsOf(lines, one).length > 0).length;
}

const sumOf = (found: RegExpExecArray | null): number[] =>
  found === null ? [] : [found.slice(1).reduce((sum, number) => sum + Number(number ?? 0), 0)];

/** Names of that many characters may have been cut off in the ids of their worlds. */
const cutName = 39;
const fileName = /\S*\.(?:[cm]?[jt]sx?|py)\b/g;

// Whether a line has the name of the test in it, as whole words; ids have a hash behind it. Of an identifier that begins
// with it, as `test_deploys_twice` does with `test_deploys`, it is not the name.
function isAbout(line: string, label: string): boolean {
  const name = label.replace(/-[0-9a-f]{8}(?:-\d+)?$/, '');
  const said = line.replace(fileName, '');
  const slug = slugOf(said);
  if (name.length >= cutName) return slug.includes(`-${name}`);
  const identifiers = (said.match(identifier) ?? []).map(slugOf).filter((one) => one.includes(`-${name}-`));
  return slug.includes(`-${name}-`) && (identifiers.length === 0 || identifiers.includes(`-${name}-`));
}

const identifier = /\w+_\w+/g;
const slugOf = (text: string): string => `-${text.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-`;
