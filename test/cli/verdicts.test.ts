// The commands that judge the client: what they print, and their exit codes.

import { describe, expect, test } from 'vitest';
import { closedUrl } from '../support/closed-port.js';
import type { Outcome } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { type Served, startServed } from '../support/served.js';

const it = test.concurrent;

interface Running extends Served {
  /** Requests with the test key. */
  api(path: string, init?: RequestInit): Promise<Response>;
  cloudemu(...args: string[]): Promise<Outcome>;
}

async function start(): Promise<Running> {
  const served = await startServed();
  return {
    ...served,
    api: (path, init) => fetch(served.url + path, { ...init, headers: { authorization: `Bearer ${served.apiKey}` } }),
    cloudemu: (...args) => runHere([...args, '--url', served.url]),
  };
}

describe('verdicts', () => {
  it('sets the exit code as it is asked to', async () => {
    const { api, cloudemu } = await start();
    await api('/api/v1/containers');
    expect((await cloudemu('verdicts', '--fail-on', 'fail')).code).toBe(0);
    expect((await cloudemu('verdicts', '--fail-on', 'not-exercised')).code).toBe(1);
    const bad = (await api('/api/v1/containers?pge=2')).headers.get('x-request-id') ?? '';
    expect((await cloudemu('verdicts')).code).toBe(0);
    const failed = await cloudemu('verdicts', '--fail-on', 'fail', '--json');
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.stdout)).toMatchObject({ fail: 1, requests: 2, complete: true });
    expect((await cloudemu('verdicts', '--fail-on', 'fail', '--since', bad)).code).toBe(1);
    await api('/api/v1/containers');
    const last = (await api('/api/v1/containers')).headers.get('x-request-id') ?? '';
    expect((await cloudemu('verdicts', '--fail-on', 'fail', '--since', last)).code).toBe(0);
  });

  it('judges each world by itself and names its test; --world and --since narrow', async () => {
    const { url, cloudemu } = await start();
    const made = async (label: string): Promise<{ id: string; list(query: string): Promise<string> }> => {
      const response = await fetch(`${url}/_emulator/worlds`, { method: 'POST', body: JSON.stringify({ label }) });
      const { id, baseUrl, apiKey } = (await response.json()) as { id: string; baseUrl: string; apiKey: string };
      const headers = { authorization: `Bearer ${apiKey}` };
      const list = async (query: string): Promise<string> =>
        (await fetch(`${baseUrl}/api/v1/containers${query}`, { headers })).headers.get('x-request-id') ?? '';
      return { id, list };
    };
    const [good, bad] = [await made('a.spec.ts > lists'), await made('a.spec.ts > lists badly')];
    await good.list('');
    const requestId = await bad.list('?pge=2');
    const all = await cloudemu('verdicts', '--fail-on', 'fail');
    expect(all.code).toBe(1);
    expect(all.stdout).toMatch(
      new RegExp(
        `World ${good.id} of a\\.spec\\.ts > lists: 1 request\\npass .*World ${bad.id} of a\\.spec\\.ts > lists badly: 1 request\\nfail +no-unknown`,
        's',
      ),
    );
    expect(all.stdout).not.toContain('World default');
    const report = JSON.parse((await cloudemu('verdicts', '--json')).stdout);
    expect(report).toMatchObject({ fail: 1, requests: 2 });
    expect(report.verdicts.filter(({ verdict }: { verdict: string }) => verdict === 'fail')).toMatchObject([
      { rule: 'no-unknown-fields', world: bad.id, label: 'a.spec.ts > lists badly' },
    ]);
    expect((await cloudemu('verdicts', '--fail-on', 'fail', '--world', good.id)).code).toBe(0);
    const since = JSON.parse((await cloudemu('verdicts', '--json', '--since', requestId)).stdout);
    expect(since).toMatchObject({ fail: 1, requests: 1 });
  });

  it('needs an emulator', async () => {
    const url = await closedUrl();
    const { code, stderr } = await runHere(['verdicts', '--url', url]);
    expect(code).toBe(1);
    expect(stderr.startsWith(`No emulator answers at ${url} `)).toBe(true);
  });
});

it('name in JSON what was called of the platform, and what was not', async () => {
  const { api, cloudemu } = await start();
  await api('/api/v1/containers');
  await api('/api/v1/containers/none');
  await api('/nowhere');
  expect(JSON.parse((await cloudemu('verdicts', '--json')).stdout).coverage).toMatchObject({
    operations: { 'containers.list': 1, 'containers.get': 1, 'containers.create': 0 },
    errors: { NOT_FOUND: 1, RATE_LIMITED: 0 },
    unmatched: 1,
  });
});
