import { expect, it } from 'vitest';
import { startEmulator } from './support/emulator.js';
import { loadWith, openIdle, openStream } from './support/sse.js';
it('x', async () => {
  const emulator = await startEmulator({ rateLimits: { enabled: false } });
  const t0 = performance.now(); const log = (s: string) => console.log((performance.now()-t0).toFixed(0), s);
  const idle = await openIdle(emulator); log('idle');
  const reader = await openStream(`${emulator.url}/_emulator/requests/stream`, {}); log('reader');
  const p = loadWith(emulator, 1200); setInterval(() => log('read ' + reader.messages.length + ' journal ' + emulator.controls.requests.list({limit:1}).total), 2000);
  await p; log('loaded');
  await reader.until(1200); log('read');
  reader.close();
  const ids = await idle.readOn(); log('ids ' + ids.length);
}, 60000);
