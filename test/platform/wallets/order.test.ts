// Requests that a wallet signed in one millisecond have one order: the newest first.

import { expect, it } from 'vitest';
import { openDb } from '../../../src/db/db.js';
import { latestSigned } from '../../../src/platform/wallets/store.js';

it('signed requests of one instant are listed with the newest first', () => {
  const db = openDb(':memory:');
  for (const [seq, path] of ['/b', '/a', '/c'].entries())
    db.run(`INSERT INTO wallet_replays (seq, address, timestamp, method, path) VALUES (@seq, '0x1', 5, 'GET', @path)`, {
      seq,
      path,
    });
  expect(latestSigned(db, '0x1', 2).map(({ path }) => path)).toEqual(['/c', '/a']);
  db.close();
});
