// A world for each test. It is labelled with the test's name, from which its ids follow, so that a failure comes again.

const { relative } = require('node:path');
const { connect } = require('cloudemu/client');

const times = new Map(); // tests of one name in a file are numbered

beforeEach(async () => {
  const { currentTestName, testPath } = expect.getState();
  const time = (times.get(currentTestName) ?? 0) + 1;
  times.set(currentTestName, time);
  const name = time === 1 ? currentTestName : `${currentTestName} (${time})`;
  globalThis.world = await connect().createWorld({ label: `${relative('', testPath)} > ${name}` });
});

afterEach(async () => {
  const { ok, text } = await world.report();
  await world.close();
  if (!ok) throw new Error(text); // the client did wrong, though the test may have passed
});
