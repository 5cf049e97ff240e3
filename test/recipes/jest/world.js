// A world for each test. Its seed is the test's name, so that a failure comes again.

const { connect } = require('cloudemu/client');

beforeEach(async () => {
  const { currentTestName } = expect.getState();
  globalThis.world = await connect().createWorld({ seed: currentTestName.slice(-200) });
});

afterEach(async () => {
  const { ok, text } = await world.report();
  await world.close();
  if (!ok) throw new Error(text); // the client did wrong, though the test may have passed
});
