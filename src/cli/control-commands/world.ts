// The commands for time and for whole worlds: clock, reset, snapshots, worlds, settings.

import { writePrivately } from '../../core/private-files.js';
import type { Tree } from '../../core/tree.js';
import { text, type Values } from '../command.js';
import type { OperationCommand } from '../operation-command.js';
import { fail, printJson, printLine } from '../print.js';
import { stdoutScreen } from '../terminal.js';

export const worldCommands: readonly OperationCommand[] = [
  {
    operation: 'control.clock.get',
    line: 'clock get',
    bare: true,
    examples: [['clock', 'the virtual time, its speed, and the skew of clients’ clocks']],
  },
  {
    operation: 'control.clock.advance',
    line: 'clock advance [by]',
    examples: [
      ['clock advance 10m', 'ten minutes pass, with everything that is due in them'],
      ['clock advance --to 2026-02-01T00:00:00Z', 'advances to that time'],
    ],
  },
  {
    operation: 'control.clock.freeze',
    line: 'clock freeze',
    examples: [['clock freeze', 'time stops until `clock resume`; `clock advance` still moves it']],
  },
  {
    operation: 'control.clock.resume',
    line: 'clock resume',
    examples: [['clock resume --speed 60', 'a minute passes each second']],
  },
  {
    operation: 'control.clock.skew',
    line: 'clock skew',
    examples: [
      ['clock skew --to 2026-01-01T00:00:00Z', 'signatures of clients are checked as if their clocks showed this time'],
      ['clock skew --to null', 'clients’ clocks show the wall time again'],
    ],
  },
  {
    operation: 'control.reset',
    line: 'reset',
    examples: [
      ['reset', 'before a test: resets data, clock, faults and limits'],
      ['reset --scenario null', 'a plain world, without the scenario that it was created with'],
    ],
  },
  {
    operation: 'control.snapshots.list',
    line: 'snapshot list',
    bare: true,
    examples: [['snapshot list', 'names, and the virtual time of each']],
  },
  {
    operation: 'control.snapshots.take',
    line: 'snapshot take <name>',
    examples: [['snapshot take three-running', 'replaces the snapshot of that name, if there is one']],
  },
  {
    operation: 'control.snapshots.restore',
    line: 'snapshot restore <name>',
    examples: [['snapshot restore three-running', 'restores data, clock, limits and faults']],
  },
  {
    operation: 'control.snapshots.export',
    line: 'snapshot export <name>',
    flags: {
      file: { type: 'string', describe: 'Write it to this file, which only you can read, instead of printing it' },
    },
    examples: [
      ['snapshot export three-running --file three.json', 'for another machine, or for CI'],
      [
        'snapshot export three-running --file three.json --without-secrets',
        'without the values of environment variables',
      ],
    ],
    print: printSnapshot,
  },
  {
    operation: 'control.snapshots.import',
    line: 'snapshot import <file>',
    document: 'file',
    only: [],
    examples: [['snapshot import three.json', 'then `snapshot restore` restores it']],
  },
  {
    operation: 'control.snapshots.remove',
    line: 'snapshot remove <name>',
    examples: [['snapshot remove three-running', 'deletes it']],
  },
  {
    operation: 'control.worlds.list',
    line: 'world list',
    bare: true,
    columns: 'id baseUrl now frozen? port? ttlMs?',
    examples: [['world list', 'the default world first']],
  },
  {
    operation: 'control.worlds.create',
    line: 'world create',
    names: { 'clock.start': 'clock' },
    examples: [
      ['world create --id blue --seed 42 --frozen', 'prints its base URL and its key'],
      ['world create --ttl 10m --json', 'for a script; it ends after ten minutes without a request'],
    ],
  },
  {
    operation: 'control.worlds.drop',
    line: 'world drop <id>',
    examples: [['world drop blue', 'deletes it and everything in it']],
  },
  {
    operation: 'control.config',
    line: 'config show',
    describe: 'Show the settings of the running emulator',
    examples: [['config show', 'to see which value a setting really has']],
    print: (answer, { json }) => printJson(answer, json === true ? 0 : 2),
  },
];

function printSnapshot(snapshot: Tree, values: Values): void {
  const file = text(values, 'file');
  if (file === undefined) {
    if (stdoutScreen().isTerminal) fail(2, 'A snapshot fills many screens: name --file, or redirect the output.');
    printJson(snapshot);
    return;
  }
  try {
    writePrivately(file, `${JSON.stringify(snapshot)}\n`);
  } catch (error) {
    fail(1, `${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
  if (values.json === true) printJson({ name: snapshot.name, file });
  else printLine(`Wrote the snapshot ${String(snapshot.name)} to ${file}.`);
}
