// What the command line prints: answers on stdout, everything else on stderr.

import { relative } from 'node:path';

/** One line of JSON on stdout. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A message to the person, on stderr. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Says why the command failed and ends it: 1 for what went wrong, 2 for how it was called or set up. */
export function fail(code: 1 | 2, message: string): never {
  note(message);
  process.exit(code);
}

/** Aligned `name  value` lines. */
export function table(rows: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
}

/** Rows of cells in columns, the last of which is as long as it is. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>((max, row) => row.map((cell, i) => Math.max(max[i] ?? 0, cell.length)), []);
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A path as a person in the working directory would write it. */
export function shortPath(path: string): string {
  const short = relative(process.cwd(), path);
  return short !== '' && !short.startsWith('..') ? `./${short}` : path;
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
