// The commands that judge the client: what they print, and their exit codes.

import { describe, expect, test } from 'vitest';
import { rules } from '../../src/tools/verdicts/rules.js';
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
  it('prints every rule, those that failed first, and what to do', async () => {
    const { api, cloudemu } = await start();
    await api('/api/v1/app/agents', { method: 'POST', body: '{"name": "one", "boi": "text"}' });
    const { code, stdout, stderr } = await cloudemu('verdicts');
    expect([code, stderr]).toEqual([0, '']);
    const [first, evidence, ...rest] = stdout.split('\n');
    expect(first).toMatch(/^fail +no-unknown-fields +1 of 1 request had unknown fields/);
    expect(evidence).toMatch(
      /^ {4}2030-01-01T00:00:00\.000Z req_\w+ POST \/api\/v1\/app\/agents: unknown field boi, did you mean bio\?$/,
    );
    expect(rest.join('\n')).toMatch(/^not exercised {2}backoff-grows +No request failed three times in a row/m);
    expect(stdout).toMatch(/\n\n3 passed, 1 failed, 7 not exercised, in 1 request\.\n1 of \d+ operations called/);
    for (const { id } of rules) expect(stdout).toContain(` ${id} `);
  });

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

  it('is called wrongly with another word, or a place that is none', async () => {
    const { cloudemu } = await start();
    expect(await cloudemu('verdicts', '--fail-on', 'fial')).toMatchObject({
      code: 2,
      stderr: '--fail-on must be fail, unclear or not-exercised, got "fial"; did you mean fail?\n',
    });
    const since = await cloudemu('verdicts', '--since', 'yesterday');
    expect(since.code).toBe(2);
    expect(since.stderr).toMatch(/^--since must be a request id, .* a duration such as "10m", got "yesterday"\n$/);
    const unknown = await cloudemu('verdicts', '--since', 'req_0');
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('a request that the journal holds') });
  });

  it('needs an emulator', async () => {
    const url = await closedUrl();
    const { code, stderr } = await runHere(['verdicts', '--url', url]);
    expect(code).toBe(1);
    expect(stderr.startsWith(`No emulator answers at ${url} `)).toBe(true);
  });
});

it('say what was called of the platform, and name in JSON what was not', async () => {
  const { api, cloudemu } = await start();
  await api('/api/v1/containers');
  await api('/api/v1/containers/none');
  await api('/nowhere');
  const { code, stdout } = await cloudemu('verdicts');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^2 of \d+ operations called, 2 of \d+ error codes met \(--json names them\)\.$/m);
  expect(stdout).toMatch(/^1 request went to a path that no operation has\.$/m);
  expect(JSON.parse((await cloudemu('verdicts', '--json')).stdout).coverage).toMatchObject({
    operations: { 'containers.list': 1, 'containers.get': 1, 'containers.create': 0 },
    errors: { NOT_FOUND: 1, RATE_LIMITED: 0 },
    unmatched: 1,
  });
});
