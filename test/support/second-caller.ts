// A second user of the seeded organization: nothing makes one yet, so he is written into the world's file.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { insertUser } from '../../src/features/accounts/store.js';
import type { CreateEmulatorOptions, Emulator } from '../../src/index.js';
import { openDb } from '../../src/store/db.js';
import { startEmulator } from './emulator.js';

export interface SecondCaller {
  userId: string;
  apiKey: string;
}

/** An emulator whose seeded organization has a second user with a key of his own. */
export async function startWithSecondCaller(
  options: CreateEmulatorOptions = {},
): Promise<{ emulator: Emulator; second: SecondCaller }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'cloudemu-second-caller-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const emulator = await startEmulator({ ...options, dataDir });
  return { emulator, second: addUser(emulator, join(dataDir, 'world.db')) };
}

// The running emulator sees at once what another connection writes.
function addUser(emulator: Emulator, file: string): SecondCaller {
  const userId = '00000000-0000-4000-8000-00000000002a';
  const { id, apiKey } = emulator.controls.keys.create({ name: 'Key of the second user' });
  const db = openDb(file);
  try {
    db.transaction(() => {
      insertUser(db, {
        id: userId,
        organization_id: emulator.organizationId,
        email: null,
        name: 'Second User',
        role: 'member',
        wallet_address: null,
        created_at: Date.parse('2026-01-01T00:00:00Z'),
      });
      db.run('UPDATE api_keys SET user_id = ? WHERE id = ?', userId, id);
    });
  } finally {
    db.close();
  }
  return { userId, apiKey };
}
