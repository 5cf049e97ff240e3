// Prints answers on stdout and everything else on stderr. Nothing reaches a terminal but from here, where what is not ours
// (names, paths, errors, what was typed) is made harmless.

import type { WriteStream } from 'node:tty';
import { asTyped } from '../core/typed-command.js';
import { visible, visibleLines } from '../core/visible.js';
import { type ErrorFacts, errorDocument, sentenceOf, type WrongValue, wantsJson } from './error-document.js';

const codes = { red: 31, green: 32, yellow: 33, bold: 1, dim: 2 } as const;

export type Colour = keyof typeof codes;

export interface Painted {
  text: string;
  colour: Colour;
}

/** Text of which everything is shown as it is, and nothing obeyed. */
export type Part = string | Painted;

/** The text on one line; line breaks are shown as `\n`. */
export type Line = Part | readonly Part[];

export function painted(colour: Colour, text: string): Painted {
  return { text, colour };
}

/** A line on stdout. */
export function printLine(line: Line): void {
  process.stdout.write(`${rendered(line, stdoutScreen())}\n`);
}

export function printLines(lines: readonly Line[]): void {
  const screen = stdoutScreen();
  process.stdout.write(lines.map((line) => `${rendered(line, screen)}\n`).join(''));
}

/** Lines of ours on stdout, in which commands begin as the user can type them. */
export function tell(...lines: readonly Line[]): void {
  printLines(lines.map(typed));
}

/** A text of several lines, such as a document. */
export function printText(text: string): void {
  process.stdout.write(`${visibleLines(text)}\n`);
}

/** JSON on stdout, on one line if no indent is given. */
export function printJson(value: unknown, indent = 0): void {
  printText(JSON.stringify(value, null, indent));
}

/** A line to the person, on stderr, in which commands begin as the user can type them. */
export function note(line: Line): void {
  process.stderr.write(`${rendered(typed(line), stderrScreen())}\n`);
}

/** A line as `note` would write it, for those who put lines together themselves. */
export function renderedForPeople(line: Line): string {
  return rendered(line, stderrScreen());
}

/** Writes what is rendered already, or what a command of the user's own prints, which reaches the terminal as it is. */
export function writeAsIs(text: string, stream: 'stdout' | 'stderr' = 'stderr'): void {
  process[stream].write(text);
}

export function notes(lines: readonly Line[]): void {
  for (const line of lines) note(line);
}

/**
 * Says why the command failed and ends it: 1 for what went wrong, 2 for how it was called or set up. With --json, a
 * program reads it on stdout.
 */
export function fail(code: 1 | 2, message: string | readonly string[], facts: ErrorFacts = {}): never {
  tellError(code, message, facts);
  process.exit(code);
}

/** Says what is wrong with the value of an option or argument, and ends the command. */
export function failUsage(wrong: WrongValue): never {
  const { field, received, suggestion } = wrong;
  return fail(2, sentenceOf({ kind: 'value', ...wrong }), { code: 'USAGE', field, received, suggestion });
}

/** Says what went wrong, to a person on stderr or, with --json, to a program on stdout. */
export function tellError(exit: number, message: string | readonly string[], facts: ErrorFacts = {}): void {
  const argv = process.argv.slice(2);
  const lines = [message].flat();
  if (wantsJson(argv)) printJson(errorDocument(exit, lines, facts, argv));
  else notes(lines);
}

/** Keeps a reader that goes away (`| head -1`) or a full disk from ending the command with a stack trace. */
export function guardOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    note(`The output could not be written (${error.code ?? error.message}).`);
    process.exitCode = 1;
  });
  // Nowhere is left to say it.
  process.stderr.on('error', () => {});
}

/** Exits with code 0 when the reader of the output is gone. */
export function endWithReader(): void {
  process.stdout.on('error', () => process.exit(0));
}

function typed(line: Line): readonly Part[] {
  return [line]
    .flat()
    .map((part) => (typeof part === 'string' ? asTyped(part) : painted(part.colour, asTyped(part.text))));
}

function rendered(line: Line, { hasColours }: Screen): string {
  const texts = [line].flat().map((part) => {
    if (typeof part === 'string') return visible(part);
    const text = visible(part.text);
    return hasColours && text !== '' ? `\u001b[${codes[part.colour]}m${text}\u001b[0m` : text;
  });
  return texts.join('');
}

// The properties of this process's streams: whether a person reads them, how wide they are, whether they show colours.

export interface Screen {
  /** A terminal, at which a person reads. */
  isTerminal: boolean;
  /** Its columns; Infinity where there is none, so that scripts get everything. */
  columns: number;
  hasColours: boolean;
}

const usualColumns = 80;

/** The stream of answers. */
export function stdoutScreen(): Screen {
  return screenOf(process.stdout);
}

/** The stream of messages and of the request log. */
export function stderrScreen(): Screen {
  return screenOf(process.stderr);
}

function screenOf({ isTTY, columns }: WriteStream): Screen {
  const isTerminal = isTTY === true;
  const { NO_COLOR = '', FORCE_COLOR = '', TERM } = process.env;
  // The values with which Node and supports-color mean none.
  const isForbidden = NO_COLOR !== '' || FORCE_COLOR === '0' || FORCE_COLOR === 'false';
  return {
    isTerminal,
    // A terminal that does not know its size says 0.
    columns: isTerminal ? columns || usualColumns : Number.POSITIVE_INFINITY,
    hasColours: isTerminal && !isForbidden && TERM !== 'dumb',
  };
}
