// Preloaded into a measured server: on SIGUSR2 it writes how long its event loop was held up since the last time.

const { writeFileSync } = require('node:fs');
const { monitorEventLoopDelay } = require('node:perf_hooks');

const resolution = 5;
const delay = monitorEventLoopDelay({ resolution });
delay.enable();
process.on('SIGUSR2', () => {
  const over = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - resolution);
  writeFileSync(
    process.env.BENCH_LOOP_DELAY,
    JSON.stringify({ p99: over(delay.percentile(99)), max: over(delay.max) }),
  );
  delay.reset();
});
