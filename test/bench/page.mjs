// Owns the measurement of an open dashboard: what it takes from the emulator's throughput, and how smoothly it scrolls.

import { existsSync } from 'node:fs';
import { load, requestText } from './client.mjs';
import { median } from './report.mjs';
import { openEmulator, operations, pinBench } from './servers.mjs';

const sliceMs = 4_000;
const settleMs = 1_500;
const connections = 10;
const arriving = { perSecond: 200, ms: 8_000 };

let created = 0;

/** Four reads of a container, then a new agent. */
function mixed(server) {
  const read = operations.get.request(server);
  let asked = 0;
  return () => {
    if (++asked % 5 !== 0) return read;
    const name = `Agent ${String(++created).padStart(9, '0')}`;
    return requestText('POST', '/api/v1/app/agents', { key: server.key, body: { name } });
  };
}

const rest = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Loads the emulator in turn with the timeline open in Chromium and with the same Chromium at an empty page. */
export async function measurePage({ rounds, tell }) {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));
  if (executablePath === undefined) return { missing: 'chromium is not installed (apt-get install chromium)' };
  const isPinned = pinBench();
  const { chromium } = await import('playwright-core');
  const server = await openEmulator();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const timeline = `http://127.0.0.1:${server.port}/_emulator/#/timeline`;
    const show = async (isOpen) => {
      // A changed fragment alone would load nothing.
      await page.goto('about:blank');
      if (isOpen) {
        await page.goto(timeline);
        await page.waitForSelector('.list-rows');
      }
      await rest(settleMs);
    };
    const request = mixed(server);
    const loadFor = (ms, pace) => load({ port: server.port, connections, ms, status: [200, 201], request, ...pace });
    await show(true);
    await loadFor(2 * sliceMs);
    const pairs = [];
    for (let round = 0; round < rounds; round++) {
      const pair = {};
      // In turn in the other order: whatever drifts falls on both.
      for (const isOpen of round % 2 === 0 ? [true, false] : [false, true]) {
        await show(isOpen);
        const cpuBefore = server.cpu();
        const { perSecond, latencies } = await loadFor(sliceMs);
        const cpuMicros = cpuBefore === undefined ? undefined : ((server.cpu() - cpuBefore) * 1_000) / latencies.length;
        pair[isOpen ? 'open' : 'closed'] = { perSecond, cpuMicros };
      }
      pairs.push(pair);
      tell(`page: pair ${round + 1} of ${rounds}`);
    }
    await show(true);
    const [frames] = await Promise.all([scroll(page), loadFor(arriving.ms, { perSecond: arriving.perSecond })]);
    return { rounds, isPinned, ...summary(pairs), arriving: arriving.perSecond, frames };
  } finally {
    await browser.close();
    await server.stop();
  }
}

function summary(pairs) {
  const side = (name) => ({
    perSecond: median(pairs.map((pair) => pair[name].perSecond)),
    cpuMicros: median(pairs.map((pair) => pair[name].cpuMicros)),
  });
  return {
    open: side('open'),
    closed: side('closed'),
    rates: pairs.map(({ open, closed }) => open.perSecond / closed.perSecond),
    cpu: pairs.map(({ open, closed }) => closed.cpuMicros / open.cpuMicros),
  };
}

/** Frames a second while the list is scrolled up and down. */
function scroll(page) {
  return page.evaluate(
    (ms) =>
      new Promise((resolve) => {
        const box = document.querySelector('.list-box');
        const startedAt = performance.now();
        let frames = 0;
        const frame = () => {
          frames++;
          box.scrollTop += Math.sin(frames / 60) * 60;
          const passed = performance.now() - startedAt;
          if (passed < ms) requestAnimationFrame(frame);
          else resolve((frames / passed) * 1_000);
        };
        requestAnimationFrame(frame);
      }),
    arriving.ms - 1_000,
  );
}
