// One emulator for all test files, unless CLOUDEMU_URL names a running one.

module.exports = async () => {
  if (process.env.CLOUDEMU_URL) return;
  const { createEmulator } = require('cloudemu');
  globalThis.emulator = await createEmulator({ receipt: '.cloudemu/receipt.json' });
  process.env.CLOUDEMU_URL = globalThis.emulator.url; // the workers inherit it
};
