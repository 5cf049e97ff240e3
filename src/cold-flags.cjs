// What V8 does otherwise until a process is warm. Most processes of tests and CI never are: they answer a hundred requests.
// On one core and one connection (Node 20, 2026-11-24) a first create takes 14 instead of 22 ms, 100 chats 127 instead of 153,
// 100 speeches 113 instead of 144, and 1,000 creates 723 instead of 1,015 (test/bench/README.md).

const { subscribe, unsubscribe } = require('node:diagnostics_channel');
const { setFlagsFromString } = require('node:v8');

// Optimizing what a start and its first requests run in loops takes longer than running it.
const cold = '--interrupt-budget=400000';
const usual = '--interrupt-budget=67584';
const warmAfter = 1_000;

/** Lets the start and the first thousand requests of this process take less: call it when its bundle is compiled, but has not run. */
module.exports = function beginCold() {
  // Another V8 has other flags and other usual values.
  if (!process.versions.v8.startsWith('11.3.')) return;
  // Node's own modules bring compiled code, which V8 takes under the usual flags only: what a start needs is loaded before.
  for (const id of ['node:http', 'node:crypto', 'node:cluster']) require(id);
  setFlagsFromString(cold);
  let requests = 0;
  const count = () => {
    if (++requests === warmAfter) endCold();
  };
  const endCold = () => {
    unsubscribe('http.server.request.start', count);
    setFlagsFromString(usual);
  };
  subscribe('http.server.request.start', count);
  // Code is kept for the flags that a process starts with.
  process.prependListener('exit', endCold);
};
