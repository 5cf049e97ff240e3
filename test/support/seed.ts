// The seed of generated tests: the same on every run, so that a failure comes again.

/** The seed of all generated tests; another one to go looking: `TEST_SEED=7 npm test`. */
export const testSeed = Number(process.env.TEST_SEED ?? 20_261_120);
