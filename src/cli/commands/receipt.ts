// `cloudemu receipt`: whether a run has proved anything.

import { join } from 'node:path';
import * as z from 'zod';
import { operationIds } from '../../app/emulator.js';
import { readJsonFile } from '../../config/json-file.js';
import { loadConfig } from '../../config/load.js';
import { rootOf } from '../../core/root.js';
import { counted } from '../../core/words.js';
import { type Receipt, receipt, type Vacuity, vacuitiesIn } from '../../tools/receipt/receipt.js';
import { command, json, settingsFile, type Values } from '../command.js';
import { findingLines } from '../findings.js';
import { hanging } from '../layout.js';
import { fail, type Line, printJson, tell } from '../print.js';
import { startOptions } from '../start-options.js';
import { receiptFile } from '../tested-command.js';

export const receiptCommand = command({
  words: 'receipt',
  describe: 'Say whether the last run of your tests has proved anything',
  args: [{ name: 'file', describe: 'The receipt (default: .cloudemu/receipt.json)', required: false }],
  flags: {
    'allow-empty': {
      type: 'boolean',
      describe: 'Allow tests that send no request, although others of their file do',
    },
    ...settingsFile,
    ...json,
  },
  examples: [
    ['receipt', 'exit code 1 when no request came, a fault never acted, or all was refused'],
    ['receipt artifacts/receipt.json --json', 'in CI, of a receipt that was kept'],
  ],
  run(values) {
    const { file: given, 'allow-empty': allowEmpty = false } = values;
    const file = given ?? join(dataDirOf(values), receiptFile);
    const read = receiptIn(file);
    // A receipt that is named may come from anywhere.
    const root = given === undefined ? rootOf(process.cwd()) : undefined;
    const vacuities = vacuitiesIn(read, { root, allowEmpty });
    if (values.json) printJson({ ok: vacuities.length === 0, file, vacuities, receipt: read });
    else tell(...linesOf(read, vacuities));
    process.exitCode = vacuities.length === 0 ? 0 : 1;
  },
});

function dataDirOf(values: Values): string {
  const { config: file, flags } = startOptions(values);
  return loadConfig({ file, env: process.env, flags, operations: operationIds }).config.data.dir;
}

function receiptIn(file: string): Receipt {
  const reading = readJsonFile(file);
  if ('problem' in reading)
    fail(1, `${file}: ${reading.problem}. cloudemu run and cloudemu explore write a receipt`, {
      code: 'FILE_UNUSABLE',
    });
  const parsed = receipt.safeParse(reading.value);
  if (!parsed.success) fail(2, `${file} is no receipt: ${z.prettifyError(parsed.error).split('\n')[0]}`);
  return parsed.data;
}

function linesOf({ worlds, kind, at, faults }: Receipt, vacuities: readonly Vacuity[]): Line[] {
  const requests = worlds.reduce((sum, one) => sum + one.requests, 0);
  const operations = new Set(worlds.flatMap((one) => Object.keys(one.operations)));
  const head =
    `${kind} of ${at}: ${counted(requests, 'request')} of ${counted(operations.size, 'operation')}` +
    ` in ${counted(worlds.length, 'world')}, ${faults.fired} of ${counted(faults.armed, 'fault')} acted.`;
  return [
    ...hanging([], head),
    ...findingLines(vacuities.map(({ code: rule, says }) => ({ rule, result: 'fail', says, evidence: [] }))),
    ...hanging(
      [],
      vacuities.length === 0 ? 'The run has exercised what it says.' : 'This run proves nothing, or less than it says.',
    ),
  ];
}
