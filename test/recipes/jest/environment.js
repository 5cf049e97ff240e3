// Node, as without it; it also lets the setup file know which test runs: a retry is the same test, a namesake is not.

const { TestEnvironment } = require('jest-environment-node');

module.exports = class extends TestEnvironment {
  handleTestEvent({ name, test }) {
    if (name === 'test_start') this.global.currentTest = test;
  }
};
