// What is left to do once this process has ended, even by a kill: a shell that waits for the end of its input does it.

import { spawn } from 'node:child_process';

/**
 * Lets a shell script run when this process is gone; where there is no shell, nothing happens.
 *
 * @param script a fixed text, which names the arguments as "$0", "$1" and so on
 * @returns lets it run now
 */
export function afterProcess(script: string, ...args: readonly string[]): () => void {
  const shell = spawn('sh', ['-c', `cat > /dev/null; ${script}`, ...args], {
    // Signals to this process's group are not meant for it.
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  (shell.stdin as unknown as { unref?: () => void }).unref?.();
  return () => void shell.stdin.end();
}
