// `cloudemu init`: a settings file to begin with.

import { lstatSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeJsonFile } from '../../config/json-file.js';
import { fixturePath, isInside, readText, whyUnwritten } from '../../core/files.js';
import { configFileName } from '../../core/root.js';
import { command, json as flags, type ValuesOf } from '../command.js';
import { fail, printJson, tell } from '../print.js';

export const initCommand = command({
  words: 'init',
  describe: 'Write an initial settings file',
  flags,
  examples: [['init', 'writes emulator.config.json, unless it already exists']],
  run: init,
});

function init({ json }: ValuesOf<typeof flags>): void {
  const file = resolve(configFileName);
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) {
    fail(1, `${file} already exists; nothing was written. \`cloudemu config check\` checks it.`, {
      code: 'FILE_UNUSABLE',
      next: [['config', 'check']],
    });
  }
  const settings = {
    $schema: isInside(shippedSchema) ? `./${schemaBeside}` : schemaLocation(),
    profile: 'spec',
    containers: { timing: 'fast', upstreams: {} },
    rateLimits: { enabled: true },
    quotas: { enabled: true },
  };
  try {
    if (isInside(shippedSchema)) putSchemaBeside(file);
    writeJsonFile(file, settings);
  } catch (error) {
    fail(1, `${file} ${whyUnwritten(error)}.`, { code: 'FILE_UNUSABLE' });
  }
  if (json) printJson({ file });
  else tell(`Wrote ${file}. \`cloudemu config check\` checks it, \`cloudemu start\` uses it.`);
}

const shippedSchema = fixturePath('config.schema.json');
const schemaBeside = 'emulator.config.schema.json';

// No editor looks into the executable.
function putSchemaBeside(file: string): void {
  const copy = join(dirname(file), schemaBeside);
  if (lstatSync(copy, { throwIfNoEntry: false }) === undefined)
    writeFileSync(copy, readText(shippedSchema), { flag: 'wx' });
}

// Editors find the schema by a relative path inside the project, by an absolute one outside.
function schemaLocation(): string {
  const short = relative(process.cwd(), shippedSchema);
  return short.startsWith('..') ? pathToFileURL(shippedSchema).href : `./${short.split(/[\\/]/).join('/')}`;
}
