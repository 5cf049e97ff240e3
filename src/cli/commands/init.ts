// `cloudemu init`: a settings file to begin with.

import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { JSONFileSync } from 'lowdb/node';
import { configFileName } from '../../config/load.js';
import { fixturePath } from '../../kernel/files.js';
import { fail, printJson, printLine } from '../print.js';

/** Writes emulator.config.json into the working directory; never over an existing one. */
export function init(options: { json: boolean }): void {
  const file = resolve(configFileName);
  if (existsSync(file)) fail(1, `${file} is there already; nothing was written.`);
  new JSONFileSync(file).write({
    $schema: schemaLocation(),
    profile: 'spec',
    server: { port: 4747 },
    containers: { timing: 'fast', upstreams: {} },
    rateLimits: { enabled: true },
    quotas: { enabled: true },
  });
  if (options.json) printJson({ file });
  else printLine(`Wrote ${file}. \`cloudemu config check\` checks it, \`cloudemu start\` uses it.`);
}

// Editors find the schema by a relative path inside the project, by an absolute one outside.
function schemaLocation(): string {
  const schema = fixturePath('config.schema.json');
  const short = relative(process.cwd(), schema);
  return short.startsWith('..') ? `file://${schema}` : `./${short.split(/[\\/]/).join('/')}`;
}

