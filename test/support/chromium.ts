// A real browser for tests, in which every name under `example` is this machine.

import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));

/** Starts it; the caller closes it. */
export function startChromium(): Promise<Browser> {
  if (executablePath === undefined) throw new Error('chromium is missing: apt-get install chromium');
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--host-resolver-rules=MAP *.example 127.0.0.1',
    ],
  });
}
