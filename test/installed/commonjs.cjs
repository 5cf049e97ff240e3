// The entries of the package as a CommonJS module requires them.

const assert = require('node:assert/strict');
const { createEmulator } = require('cloudemu');
const { connect } = require('cloudemu/client');
const { signHeaders, testWallet } = require('cloudemu/testing');

async function main() {
  const emulator = await createEmulator({ seed: '42' });
  const wallet = testWallet('42');
  const headers = await signHeaders({ wallet, method: 'GET', path: '/api/v1/user' });
  const answer = await emulator.fetch('/api/v1/user', { headers });
  assert.equal(answer.status, 200);
  const world = await connect({ url: emulator.url }).createWorld({ seed: 1 });
  assert.notEqual(world.apiKey, emulator.apiKey);
  await world.close();
  await emulator.close();
  console.log('CommonJS entries: passed');
}

main();
