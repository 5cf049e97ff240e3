// A network of a program's own, where the default port is free.

import { spawnCommand } from './command.js';
import { works } from './tools.js';

/** Whether this machine lets a test make one. */
export const hasNetworks = works(['unshare', '--map-root-user', '--net', 'ip', 'link', 'set', 'lo', 'up']);

/** Runs a program of Node in a network of its own, and returns what it printed as JSON. */
export async function inOwnNetwork(program: string, env: Record<string, string>) {
  const script = 'ip link set lo up && exec "$0" --input-type=module -e "$1"';
  const words = ['unshare', '--map-root-user', '--net', 'sh', '-c', script, process.execPath];
  const { code, stdout, stderr } = await spawnCommand([program], { program: words, env }).ended;
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}
