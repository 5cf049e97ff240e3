// Regular expressions that users write, matched in time that is linear in the length of the text.

import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { memoizeMany } from './memoize-last.js';

const longestText = 1_024;
/** The size of a program, with repetitions written out: it is the work for each character. */
const largestProgram = 1_000;
/** The characters of an expression: what is longer takes seconds to compile. */
const longestSource = 5_000;

/** A regular expression as people write it in JSON. */
interface RegexText {
  source: string;
  flags: string;
}

/**
 * Takes a text of the form `/source/flags` apart; undefined when it has another form (`/path/to`).
 *
 * @example readRegex('/^curl/i') // { source: '^curl', flags: 'i' }
 */
export function readRegex(text: string): RegexText | undefined {
  const match = /^\/(.+)\/([dgimsuvy]*)$/s.exec(text);
  return match === null ? undefined : { source: match[1] ?? '', flags: match[2] ?? '' };
}

/** The problem of a regular expression, or undefined. */
export function regexProblem(regex: RegexText): string | undefined {
  if (!/^[isu]*$/.test(regex.flags)) return 'has flags other than i, s and u';
  if (regex.source.length > longestSource) return `has more than ${longestSource.toLocaleString('en-US')} characters`;
  try {
    compiled(regex);
    return undefined;
  } catch (error) {
    if (error instanceof TooLarge) return 'is too large: repeat less';
    const reason = (error as Error).message.replace(/^error parsing regexp: /, '');
    return isJavaScript(regex)
      ? `cannot be used (${reason}): write it without looking around or back, and repeat less`
      : `is not a regular expression (${reason})`;
  }
}

// Expressions of JavaScript may look around and refer back, and some of them take for ever; the engine has none of that.
function isJavaScript({ source, flags }: RegexText): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

/** The size of a regular expression that has no problem: what it costs to compile, and for each character of a text. */
export function regexSize(regex: RegexText): number {
  return compiled(regex).programSize();
}

/** Whether it finds something in (the first 1,024 characters of) a text. */
export function regexFinds(regex: RegexText, text: string, longest = longestText): boolean {
  return compiled(regex).test(text.slice(0, longest));
}

function compiled({ source, flags }: RegexText): RE2JS {
  return compileWritten(`${flags}/${source}`);
}

class TooLarge extends Error {}

// The few that rules and replies have are asked again and again. One may take a megabyte; what is too large is not kept.
const compileWritten = memoizeMany(100, (written: string): RE2JS => {
  const slash = written.indexOf('/');
  const [flags, source] = [written.slice(0, slash), written.slice(slash + 1)];
  const { RE2JS: Engine } = loadEngine();
  const bits = (flags.includes('i') ? Engine.CASE_INSENSITIVE : 0) | (flags.includes('s') ? Engine.DOTALL : 0);
  const engine = Engine.compile(Engine.translateRegExp(source), bits);
  if (engine.programSize() > largestProgram) throw new TooLarge();
  return engine;
});

// Few emulators need it. The bundles find it in one beside them (`build.mjs`).
function loadEngine(): typeof import('re2js') {
  return createRequire(import.meta.url)('re2js') as typeof import('re2js');
}
