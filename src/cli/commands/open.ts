// `cloudemu open`: the dashboard in the browser.

import { spawn } from 'node:child_process';
import { createClient } from '../client.js';
import { command, target, type ValuesOf } from '../command.js';
import { printJson, printLine } from '../print.js';
import { findTarget } from '../target.js';

const flags = { print: { type: 'boolean', describe: 'Only print its address', byDefault: 'off' }, ...target } as const;

export const openCommand = command({
  words: 'open',
  describe: 'Open the dashboard in the browser',
  flags,
  examples: [
    ['open', 'the timeline of requests, containers, credits and time'],
    ['open --print', 'its address, where there is no browser'],
  ],
  run: open,
});

async function open(options: ValuesOf<typeof flags>): Promise<void> {
  const found = await findTarget(options);
  await createClient(found).health();
  const url = `${found.local}/_emulator/`;
  const isOpened = !options.print && !options.json && (await openInBrowser(url));
  if (options.json) printJson({ url });
  else printLine(isOpened ? `Opened ${url}` : url);
}

const openers: Partial<Record<NodeJS.Platform, [command: string, ...before: string[]]>> = {
  darwin: ['open'],
  // `start` takes its first quoted argument for a title.
  win32: ['cmd', '/c', 'start', ''],
};

// The browser goes on when this command has ended.
function openInBrowser(url: string): Promise<boolean> {
  const [command, ...before] = openers[process.platform] ?? ['xdg-open'];
  const { DISPLAY, WAYLAND_DISPLAY, BROWSER, WSL_DISTRO_NAME } = process.env;
  const hasNone = [DISPLAY, WAYLAND_DISPLAY, BROWSER, WSL_DISTRO_NAME].every((value) => (value ?? '') === '');
  if (command === 'xdg-open' && hasNone) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(command, [...before, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
