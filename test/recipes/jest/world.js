// A world for each test. It is labelled with the test's name, from which its ids follow, so that a failure comes again.

const { relative } = require('node:path');
const { connect } = require('cloudemu/client');

const times = new Map(); // tests of one name in a file are numbered
const numbers = new WeakMap(); // a retry keeps the number of its test

beforeEach(async () => {
  const { currentTestName, testPath } = expect.getState();
  const { currentTest = {} } = globalThis;
  if (!numbers.has(currentTest)) {
    times.set(currentTestName, (times.get(currentTestName) ?? 0) + 1);
    numbers.set(currentTest, times.get(currentTestName));
  }
  const time = numbers.get(currentTest);
  const name = time === 1 ? currentTestName : `${currentTestName} (${time})`;
  globalThis.world = await connect().createWorld({ label: `${relative('', testPath)} > ${name}` });
});

afterEach(async () => {
  const failed = currentTest.errors.length > 0;
  const { ok, text } = await world.finish({ failed }); // a world in which something went wrong is kept
  if (failed || !ok) throw new Error(text); // the client may have done wrong, though the test has passed
});
