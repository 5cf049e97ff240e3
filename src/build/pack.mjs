// Makes `npm pack` leave out of package.json what only a checkout needs. Above all the SQLite of Node 20: npm would
// compile it on every Node, as only this project's lock file keeps it off the others.

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../../package.json', import.meta.url));
const whole = `${file}.whole`;

if (process.argv[2] === 'before') {
  const text = readFileSync(file, 'utf8');
  const {
    scripts: _,
    devDependencies: __,
    optionalDependencies: ___,
    allowScripts: ____,
    ...packed
  } = JSON.parse(text);
  writeFileSync(whole, text);
  writeFileSync(file, `${JSON.stringify(packed, null, 2)}\n`);
} else renameSync(whole, file);
