// An emulator in a process of its own that tells how much CPU time it has used, so that what a client does is not in it.

import { createEmulator } from '../../../dist/index.js';

const emulator = await createEmulator(JSON.parse(process.argv[2] ?? '{}'));
let world;

const answers = {
  open: async () => {
    world = await emulator.createWorld({ seed: 'measured', clock: { start: '2026-01-01T00:00:00Z', frozen: true } });
    const { url, apiKey, organizationId } = world;
    return { url, apiKey, organizationId };
  },
  /** The remains of earlier requests are gone: all of them before a series, later those that are cheap to find. */
  clean: () => {
    globalThis.gc();
    return null;
  },
  before: () => {
    world.controls.requests.clear();
    globalThis.gc({ type: 'minor' });
    return used();
  },
  /** The newest request is in the journal, which otherwise happens some time after the answer. */
  after: () => {
    world.controls.requests.list({ limit: 1 });
    return used();
  },
  end: () => {
    world.close();
    return null;
  },
  close: () => emulator.close().then(() => null),
};

function used() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

process.on('message', async (message) => {
  process.send(await answers[message]());
  if (message === 'close') process.disconnect();
});
process.send(emulator.port);
