// What V8 does otherwise until a process is warm. Most processes of tests and CI never are: they answer a hundred requests.
// On one core and one connection (Node 20, 2026-11-24) a first create takes 14 instead of 22 ms, 100 chats 111 instead of 153,
// 100 speeches 93 instead of 144, and 1,000 creates 723 instead of 1,015 (test/bench/README.md).

const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const { setFlagsFromString } = require('node:v8');

const flags = {
  // Optimizing what a start and its first requests run in loops takes longer than running it.
  'interrupt-budget': { cold: 400_000, usual: 67_584 },
  // V8 begins to mark the whole heap some megabytes before its limit, where a start ends; so, at the limit itself (100 %).
  // The first 100 requests take 17 % (creates) to 39 % (lists) less. The first collection finds 22 MB instead of 15, and a
  // process through which a layer of 100 MB passes holds 8 to 16 MB more.
  'incremental-marking-hard-trigger': { cold: 100, usual: 0 },
};
const warmAfter = 1_000;
// Node tells with a long regular expression that ::1 is an address, and V8 takes 4 of a start's 120 ms to compile it well.
// What requests match is compiled as usual.
const untilFirst = { cold: '--no-regexp-optimization', usual: '--regexp-optimization' };

/** Lets the start and the first thousand requests of this process take less: call it when its bundle is compiled, but has not run. */
module.exports = function beginCold() {
  // Another V8 has other flags and other usual values.
  if (!process.versions.v8.startsWith('11.3.')) return;
  // Node's own modules bring compiled code, which V8 takes under the usual flags only: what a start needs is loaded before.
  for (const id of ['node:http', 'node:crypto', 'node:cluster']) require(id);
  setFlags('cold');
  setFlagsFromString(untilFirst.cold);
  let requests = 0;
  const count = () => {
    if (++requests === 1) setFlagsFromString(untilFirst.usual);
    if (requests === warmAfter) endCold();
  };
  const endCold = () => {
    unsubscribe('http.server.request.start', count);
    setFlagsFromString(untilFirst.usual);
    setFlags('usual');
  };
  subscribe('http.server.request.start', count);
  // Code is kept for the flags that a process starts with.
  process.prependListener('exit', endCold);
};

function setFlags(kind) {
  for (const [name, values] of Object.entries(flags)) setFlagsFromString(`--${name}=${values[kind]}`);
}
