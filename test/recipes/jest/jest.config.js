module.exports = {
  globalSetup: './emulator-start.js',
  globalTeardown: './emulator-stop.js',
  setupFilesAfterEnv: ['./world.js'],
};
