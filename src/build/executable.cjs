// Entry of the executable: runs the command's bundle, which is embedded with V8's code cache, and finds the others in it.

const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { getAssetKeys, getRawAsset } = require('node:sea');
const vm = require('node:vm');

const cache = 'dist/main.cache';
const modules = new Map();

/** Loads a bundle, which is embedded as a function (package.mjs); `require` in it knows Node's own modules and the bundles beside it. */
function load(name, cachedData) {
  const filename = join(process.execPath, name);
  const script = new vm.Script(Buffer.from(getRawAsset(name)).latin1Slice(), { filename, cachedData });
  const module = { exports: {} };
  modules.set(name, module);
  script.runInThisContext()(module.exports, requireEmbedded, module, filename, join(filename, '..'));
  return script;
}

function requireEmbedded(id) {
  const builtin = process.getBuiltinModule(id);
  if (builtin !== undefined) return builtin;
  const name = id.replace(/^\.\//, 'dist/');
  if (!modules.has(name)) load(name);
  return modules.get(name).exports;
}

const script = load('dist/main.cjs', getAssetKeys().includes(cache) ? new Uint8Array(getRawAsset(cache)) : undefined);
const cacheTo = process.env.CLOUDEMU_WRITE_CODE_CACHE;
if (cacheTo !== undefined) process.on('exit', () => writeFileSync(cacheTo, script.createCachedData()));
