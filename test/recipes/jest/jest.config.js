module.exports = {
  globalSetup: './emulator-start.js',
  globalTeardown: './emulator-stop.js',
  testEnvironment: './environment.js',
  setupFilesAfterEnv: ['./world.js'],
};
