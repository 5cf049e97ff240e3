// An emulator in a process of its own that tells for how long it held up everybody, and how much memory it has.

import { createEmulator } from '../../../dist/index.js';

const sampleMs = 4;
const megabyte = 1_048_576;

const emulator = await createEmulator(JSON.parse(process.argv[2] ?? '{}'));
let worst = 0;
let peak = 0;
let lastWall = performance.now();
let lastCpu = process.cpuUsage();

// A turn of the event loop lasts as long as the wall says, and on a busy machine no longer than the CPU time that was used.
function sample() {
  const wall = performance.now();
  const { user, system } = process.cpuUsage(lastCpu);
  worst = Math.max(worst, Math.min(wall - lastWall - sampleMs, (user + system) / 1_000));
  peak = Math.max(peak, process.memoryUsage.rss() / megabyte);
  lastWall = wall;
  lastCpu = process.cpuUsage();
}
setInterval(sample, sampleMs);

const answers = {
  begin: () => {
    worst = 0;
    peak = 0;
    return { begun: true };
  },
  end: () => ({ blockedMs: Math.round(worst), rssMb: Math.round(peak) }),
  close: () => emulator.close().then(() => ({ closed: true })),
};

process.on('message', async (message) => {
  sample();
  process.send(await answers[message]());
  if (message === 'close') process.exit();
});
const { url, port, apiKey, organizationId } = emulator;
process.send({ url, port, apiKey, organizationId });
