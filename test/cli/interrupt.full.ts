// Commands that are interrupted: each says so, leaves former results as they were, and exits with 130.

import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { spawnCommand, tempDir } from '../support/command.js';
import { eventually } from '../support/eventually.js';
import { openTerminal } from '../support/pty.js';
import { startServed } from '../support/served.js';

const it = test.concurrent;
const ways: Server[] = [];
afterAll(() => {
  for (const way of ways) way.close().closeAllConnections();
});
const { execPath: node } = process;

/** The command kills its children a second after the first signal. */
const soonMs = 4_000;

// With any fault it goes on for ever, whatever signal it gets, with a child that does, too.
const stubborn = `
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
const response = await fetch(process.env.CLOUD_BASE_URL + '/api/v1/containers', {
  headers: { authorization: 'Bearer ' + process.env.CLOUD_API_KEY },
}).catch(() => ({ ok: false }));
if (!response.ok) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
  const child = spawn('sh', ['-c', 'trap "" INT TERM HUP; sleep 60 & wait; wait'], { stdio: 'inherit' });
  appendFileSync('pids', process.pid + ' ' + child.pid + '\\n');
  setInterval(() => {}, 1_000);
}`;

function pidsIn(cwd: string): number[] {
  const file = join(cwd, 'pids');
  return existsSync(file) ? (readFileSync(file, 'utf8').match(/\d+/g) ?? []).map(Number) : [];
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('explore', () => {
  const command = ['--', node, 'client.mjs'];

  /** A directory with the report of a former exploration. */
  function explored(): { cwd: string; former: string } {
    const cwd = tempDir();
    const former = '{"report": "of a former exploration"}';
    writeFileSync(join(cwd, 'client.mjs'), stubborn);
    mkdirSync(join(cwd, '.cloudemu'));
    writeFileSync(join(cwd, '.cloudemu/explore-report.json'), former);
    return { cwd, former };
  }

  function expectKept(cwd: string, former: string): void {
    expect(pidsIn(cwd).filter(isAlive)).toEqual([]);
    expect(readFileSync(join(cwd, '.cloudemu/explore-report.json'), 'utf8')).toBe(former);
    expect(existsSync(join(cwd, 'junit.xml'))).toBe(false);
  }

  it('ends with what it found, and leaves the last report', async () => {
    const { cwd, former } = explored();
    const { child, ended } = spawnCommand(['explore', '--jobs', '2', '--json', '--junit', 'junit.xml', ...command], {
      cwd,
    });
    await eventually(() => pidsIn(cwd).length >= 2);
    const sentAt = performance.now();
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await ended;
    expect(performance.now() - sentAt).toBeLessThan(soonMs);
    expect(code).toBe(130);
    const report = JSON.parse(stdout);
    const message = 'Interrupted: the next call goes on after what was tried; the last report stays.';
    expect([report.error, stderr]).toEqual([{ code: 'INTERRUPTED', message }, expect.not.stringContaining(message)]);
    expect(report).toMatchObject({ interrupted: true, gone: [], flaky: [] });
    expect(report.notTried.length).toBeGreaterThan(0);
    // The output of a killed run is no effect of a fault.
    expect(report.unconfirmed).toEqual(report.finds.map(({ name }: { name: string }) => name));
    expectKept(cwd, former);
  });

  it.concurrent('hears Ctrl-C at a terminal', async () => {
    const { cwd, former } = explored();
    const { type, ended } = openTerminal(['explore', '--jobs', '1', '--junit', 'junit.xml', ...command], cwd);
    await eventually(() => pidsIn(cwd).length >= 2);
    const typedAt = performance.now();
    type('\u0003');
    const { code, printed } = await ended;
    expect(performance.now() - typedAt).toBeLessThan(soonMs);
    expect(code).toBe(130);
    expect(printed).toContain('nothing found so far.');
    expect(printed).toMatch(/Not tried: the exploration was interrupted: \d/);
    expect(printed).not.toContain('budget');
    expect(printed).toMatch(/Interrupted: the next call goes on/);
    expectKept(cwd, former);
  });

  it.concurrent('says that nothing was tried where the runs without faults were interrupted', async () => {
    const cwd = tempDir();
    const client = `require('node:fs').writeFileSync('up', ''); setInterval(() => {}, 1000)`;
    const { child, ended } = spawnCommand(['explore', '--', node, '-e', client], { cwd });
    await eventually(() => existsSync(join(cwd, 'up')));
    child.kill('SIGINT');
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([130, '']);
    expect(stderr).toMatch(/^Interrupted: nothing was tried yet\.$/m);
    expect(existsSync(join(cwd, '.cloudemu/explore-report.json'))).toBe(false);
  });
});

describe('run', () => {
  // This runner ends well when it is interrupted, as many do.
  const client = `process.on('SIGINT', () => process.exit(0)); console.log('up'); setInterval(() => {}, 1000);`;
  const words = ['run', 'happy-path', '--junit', 'junit.xml', '--', node, '-e', client];

  function withReport(): string {
    const cwd = tempDir();
    writeFileSync(join(cwd, 'junit.xml'), 'former');
    return cwd;
  }

  it.concurrent('judges nothing, and leaves the last report', async () => {
    const cwd = withReport();
    const { child, out, ended } = spawnCommand(words, { cwd });
    await eventually(() => out.stdout.includes('up'));
    child.kill('SIGINT');
    expect(await ended).toEqual({
      code: 130,
      stdout: 'up\n',
      stderr: 'Interrupted: nothing was judged; the command ended with 0.\n',
    });
    expect(readFileSync(join(cwd, 'junit.xml'), 'utf8')).toBe('former');
  });

  it('hears Ctrl-C at a terminal', async () => {
    const cwd = withReport();
    const { type, shows, ended } = openTerminal(words, cwd);
    await shows(/up/);
    type('\u0003');
    const { code, printed } = await ended;
    expect([code, printed]).toEqual([130, 'up\r\n^CInterrupted: nothing was judged; the command ended with 0.\r\n']);
    expect(readFileSync(join(cwd, 'junit.xml'), 'utf8')).toBe('former');
  });
});

/** A way to an emulator on which requests stay that `stays` names: their responses never come. */
async function wayTo(emulator: string, stays: (method: string, path: string) => boolean) {
  let staying = 0;
  const server = createServer((incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming;
    if (stays(method, path)) {
      staying++;
      return;
    }
    const asked = request(`${emulator}${path}`, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(asked);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ways.push(server);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isBusy: () => staying > 0 };
}

describe('a command that waits', () => {
  const waiting = [
    ['await operation containers.list --timeout 10m', 'SIGINT'],
    ['await operation containers.list --json', 'SIGTERM'],
    ['requests follow', 'SIGHUP'],
    ['status --wait --timeout 10m', 'SIGINT'],
    ['snapshot take before', 'SIGINT'],
  ] as const;
  it.each(waiting)('%s', async (words, signal) => {
    const emulator = await startServed();
    const isHealth = (path: string): boolean => path.endsWith('/health');
    const { url, isBusy } = await wayTo(emulator.url, (_, path) => words.startsWith('status') || !isHealth(path));
    const { child, ended } = spawnCommand([...words.split(' '), '--url', url]);
    await eventually(isBusy);
    child.kill(signal);
    const told = '{"error":{"code":"INTERRUPTED","message":"Interrupted."},"next":[]}\n';
    const outputs = words.includes('--json') ? { stdout: told, stderr: '' } : { stdout: '', stderr: 'Interrupted.\n' };
    expect(await ended).toEqual({ code: 130, ...outputs });
  });

  it.concurrent('at a terminal', async () => {
    const { url, isBusy } = await wayTo('', () => true);
    const { type, ended } = openTerminal(['status', '--wait', '--timeout', '10m', '--url', url], tempDir());
    await eventually(isBusy);
    type('\u0003');
    expect(await ended).toEqual({ code: 130, printed: '^CInterrupted.\r\n' });
  });
});
