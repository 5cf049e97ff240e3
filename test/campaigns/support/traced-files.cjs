// Loaded into a command: notes each path below its directory that it hands to the file system.

const fs = require('node:fs');
const { relative, resolve } = require('node:path');

const { appendFileSync } = fs;
const root = fs.realpathSync(process.cwd());
const seen = new Set();
/** Those that take two paths. */
const ofTwo = /^(rename|copyFile|link|symlink)/;
let isNoting = false;

function note(given) {
  if (isNoting || typeof given !== 'string') return;
  const path = relative(root, resolve(given));
  if (path === '' || path.startsWith('..') || seen.has(path)) return;
  seen.add(path);
  isNoting = true;
  appendFileSync(process.env.TRACED_FILES, `${path}\n`);
  isNoting = false;
}

for (const target of [fs, fs.promises])
  for (const [name, original] of Object.entries(target))
    if (typeof original === 'function' && /^[a-z]/.test(name) && original !== appendFileSync)
      target[name] = Object.assign(function traced(...args) {
        for (const arg of args.slice(0, ofTwo.test(name) ? 2 : 1)) note(arg);
        return original.apply(this, args);
      }, original);
