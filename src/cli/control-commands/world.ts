// The verbs for time and for whole worlds: clock, reset, snapshots, worlds, settings.

import { writePrivately } from '../../core/private-files.js';
import type { Tree } from '../../core/tree.js';
import { text, type Values } from '../command.js';
import type { OperationCommand } from '../operation-command.js';
import { fail, printJson, printLine } from '../print.js';
import { stdoutScreen } from '../terminal.js';

export const worldCommands: readonly OperationCommand[] = [
  {
    door: 'control.clock.get',
    line: 'clock get',
    bare: true,
    examples: [['clock', 'virtual time, its speed, and the skew of clients']],
  },
  {
    door: 'control.clock.advance',
    line: 'clock advance [by]',
    examples: [
      ['clock advance 10m', 'ten minutes pass, and all that they bring happens'],
      ['clock advance --to 2026-02-01T00:00:00Z', 'until then'],
    ],
  },
  { door: 'control.clock.freeze', line: 'clock freeze', examples: [['clock freeze', 'until resume or advance']] },
  {
    door: 'control.clock.resume',
    line: 'clock resume',
    examples: [['clock resume --speed 60', 'a minute passes each second']],
  },
  {
    door: 'control.clock.skew',
    line: 'clock skew',
    examples: [
      ['clock skew --to 2026-01-01T00:00:00Z', 'your client lives then: what it signs is judged so'],
      ['clock skew --to null', 'it lives now again'],
    ],
  },
  {
    door: 'control.reset',
    line: 'reset',
    examples: [
      ['reset', 'before a test: data, clock, faults and limits are as they began'],
      ['reset --scenario null', 'without the scenario that it began with'],
    ],
  },
  {
    door: 'control.snapshots.list',
    line: 'snapshot list',
    bare: true,
    examples: [['snapshot list', 'names, and where time stood']],
  },
  {
    door: 'control.snapshots.take',
    line: 'snapshot take <name>',
    examples: [['snapshot take three-running', 'one of that name is replaced']],
  },
  {
    door: 'control.snapshots.restore',
    line: 'snapshot restore <name>',
    examples: [['snapshot restore three-running', 'data, clock, limits and faults are as they were']],
  },
  {
    door: 'control.snapshots.export',
    line: 'snapshot export <name>',
    flags: { file: { type: 'string', describe: 'Write it there, readable for you only, instead of printing it' } },
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
    door: 'control.snapshots.import',
    line: 'snapshot import <file>',
    document: 'file',
    only: [],
    examples: [['snapshot import three.json', 'then `snapshot restore` puts it back']],
  },
  {
    door: 'control.snapshots.remove',
    line: 'snapshot remove <name>',
    examples: [['snapshot remove three-running', 'forgets it']],
  },
  {
    door: 'control.worlds.list',
    line: 'world list',
    bare: true,
    columns: 'id baseUrl now frozen? port? ttlMs?',
    examples: [['world list', 'the default one first']],
  },
  {
    door: 'control.worlds.create',
    line: 'world create',
    names: { 'clock.start': 'clock' },
    examples: [
      ['world create --id blue --seed 42 --frozen', 'prints its base URL and its key'],
      ['world create --ttl 10m --json', 'for a script; it ends after ten minutes without a request'],
    ],
  },
  {
    door: 'control.worlds.drop',
    line: 'world drop <id>',
    examples: [['world drop blue', 'ends it with everything in it']],
  },
  {
    door: 'control.config',
    line: 'config show',
    describe: 'Show the settings in force, of the running emulator',
    examples: [['config show', 'where a setting comes out otherwise than you thought']],
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
