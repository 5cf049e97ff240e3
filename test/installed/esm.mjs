// The entries of the package as an ES module imports them.

import assert from 'node:assert/strict';
import { createEmulator } from 'cloudemu';
import { connect } from 'cloudemu/client';
import { testWallet } from 'cloudemu/testing';

const emulator = await createEmulator({ seed: '42', timing: 'realistic' });
const { controls } = connect({ url: emulator.url });
const { now } = await controls.clock.get();
const advanced = await controls.clock.advance('10m');
assert.ok(Date.parse(advanced.now) - Date.parse(now) >= 600_000);
assert.match(testWallet('42').address, /^0x[0-9a-fA-F]{40}$/);
const answer = await emulator.fetch('/api/v1/user', { headers: { authorization: `Bearer ${emulator.apiKey}` } });
assert.equal(answer.status, 200);
await emulator.close();
console.log('ESM entries: passed');
