// Regular expressions from strangers: run with a limit of time, because some take for ever on some texts.

import { Script } from 'node:vm';

const limitMs = 250;
const trialMs = 20;
const longestText = 1_024;

/** A regular expression as people write it in JSON. */
export interface RegexText {
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

/** What is wrong with a regular expression, or undefined. */
export function regexProblem({ source, flags }: RegexText): string | undefined {
  if (!/^[isu]*$/.test(flags)) return 'has flags other than i, s and u';
  try {
    new RegExp(source, flags);
  } catch (error) {
    return `is no regular expression (${(error as Error).message.replace(/^.*: /, '')})`;
  }
  return isSlow({ source, flags }) ? 'takes too long on some texts: repeat nothing that repeats within' : undefined;
}

/** Whether it finds something in (the first 1,024 characters of) a text; no, when that takes too long. */
export function regexFinds(regex: RegexText, text: string, longest = longestText): boolean {
  return timed(regex, text.slice(0, longest), limitMs) === true;
}

// Texts that make it try again and again: what it looks for, repeated, and then not what must follow.
function isSlow(regex: RegexText): boolean {
  const letters = [...new Set(regex.source.replace(/\\[wd]/g, '0').match(/[\w\s=.,;:/-]/g) ?? [])].slice(0, 20);
  return [...letters, 'a', ' ', regex.source].some((part) => {
    const text = `${part.repeat(longestText).slice(0, longestText - 1)}\u0001`;
    // A machine that was busy with something else is asked once more.
    return timed(regex, text, trialMs) === undefined && timed(regex, text, 5 * trialMs) === undefined;
  });
}

function timed({ source, flags }: RegexText, text: string, timeout: number): boolean | undefined {
  const values = [source, flags, text].map((value) => JSON.stringify(value));
  const script = new Script(`new RegExp(${values[0]}, ${values[1]}).test(${values[2]})`);
  try {
    return script.runInThisContext({ timeout }) as boolean;
  } catch {
    return undefined;
  }
}
