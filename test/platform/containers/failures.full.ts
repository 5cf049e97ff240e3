// Every failure mode of the catalogue, from its trigger to its end: status, message, logs, checks, metrics, credits.

import { describe, expect, it } from 'vitest';
import type { EmulatorWorld } from '../../../src/index.js';
import { call, deploy, getContainer, image, startWorld, type WorldOptions } from '../../support/emulator.js';

/**
 * How a mode ends, and the log line that tells a developer why, where that is not `failed` and a line with the error itself: a
 * new mode needs no row.
 */
const expected: Record<string, { status?: string; line?: RegExp }> = {
  'image-not-found': { line: /failed to resolve ref .*fail-image-not-found: not found/ },
  'blob-not-found': {
    line: /^CannotPullContainerError: .* content at 127\.0\.0\.1:4747\/acme\/web@sha256:[0-9a-f]{64} not found/,
  },
  'pull-denied': { line: /pull access denied for 127\.0\.0\.1:4747\/acme\/web, repository does not exist/ },
  'image-too-large': { line: /failed to register layer: .* no space left on device/ },
  'no-matching-manifest': { line: /no matching manifest for linux\/arm64\/v8 in the manifest list entries/ },
  'exec-format': { line: /^exec \/usr\/local\/bin\/docker-entrypoint\.sh: exec format error$/ },
  'health-path': { line: /^Health check 1 failed: GET \/health answered 404/ },
  'health-port': { line: /^Server listening on port 8080$/ },
  'health-localhost': { line: /^Server listening on http:\/\/127\.0\.0\.1:3000$/ },
  'slow-start': { line: /^Warm-up complete, server listening on port 3000$/ },
  'oom-start': { line: /^OutOfMemoryError: Container killed due to memory usage$/ },
  'oom-later': { line: /^OutOfMemoryError: Container killed due to memory usage$/ },
  'crash-loop': { line: /^Restarting the task \(restart 2\)$/ },
  'missing-env': { line: /^Error: environment variable DATABASE_URL is required but not set$/ },
  'stack-rollback': { line: /^Stack event: ECSService CREATE_FAILED/ },
  'no-capacity': { line: /no container instance met all of its requirements\. .* insufficient memory/ },
  timeout: { line: /^Stack example-[\w-]+ is still CREATE_IN_PROGRESS and reports no event$/ },
  'flapping-health': { status: 'running', line: /^Health checks passing again/ },
  'credits-exhausted': { status: 'stopped', line: /^Billing: the balance does not cover the next day/ },
};

const modes = (await startWorld()).controls.failures();

interface Container {
  status: string;
  error_message: string | null;
  nextTransitionAt: string | null;
  statusHistory: { status: string; at: string }[];
}

interface Deployed {
  emulator: EmulatorWorld;
  id: string;
}

interface Story extends Deployed {
  /** The container at the end. */
  container: Container;
  logs: { timestamp: string; level: string; message: string }[];
  messages: string[];
  /** When the status changed last. */
  endedAt: string;
}

/** Deploys with the tag of a mode. */
async function begin(mode: string, options: WorldOptions = {}, fields = {}): Promise<Deployed> {
  const emulator = await startWorld(options);
  const { id } = await deploy(emulator, { ecr_image_uri: tagged(`fail-${mode}`), ...fields });
  return { emulator, id };
}

/** The same, and lets three minutes pass: every story is over then. */
async function tell(...how: Parameters<typeof begin>): Promise<Story> {
  const { emulator, id } = await begin(...how);
  await emulator.controls.clock.advance('3m');
  const container: Container = await getContainer(emulator, id);
  const { logs } = (await call(emulator, 'GET', `/api/v1/containers/${id}/logs?tail=10000`)).body;
  const messages = logs.map((line: { message: string }) => line.message);
  return { emulator, id, container, logs, messages, endedAt: container.statusHistory.at(-1)?.at ?? '' };
}

const tagged = (tag: string): string => image.replace(/[^:]+$/, tag);

async function healthOf({
  emulator,
  id,
}: Deployed): Promise<{ status: string; message?: string; data: { statusCode: number | null } }> {
  return (await call(emulator, 'GET', `/api/v1/containers/${id}/health`)).body;
}

/** CPU and memory in use, as shares of their limits. */
async function usageOf({ emulator, id }: Deployed): Promise<{ cpu: number; memory: number }> {
  const { cpu, memory } = (await call(emulator, 'GET', `/api/v1/containers/${id}/metrics`)).body;
  return { cpu: cpu.usage / cpu.limit, memory: memory.usage / memory.limit };
}

async function balance(emulator: EmulatorWorld): Promise<number> {
  return (await call(emulator, 'GET', '/api/v1/credits/balance')).body.balance;
}

/** A text of the catalogue as a pattern: anything may stand where a word in braces is. */
function filled(text: string): RegExp {
  const parts = text.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^$()|[\]\\/{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^{}]+')}$`);
}

describe('the catalogue', () => {
  it('holds every mode, with title, remedy and a message of one line', () => {
    expect(modes.map(({ mode }) => mode)).toEqual(expect.arrayContaining(Object.keys(expected)));
    expect(new Set(modes.map(({ remedy }) => remedy)).size).toBe(modes.length);
    for (const { title, remedy, message } of modes) {
      expect(title).toMatch(/^[A-Z][^{}\n]+$/);
      expect(remedy).toMatch(/^[A-Z][^{}\n]+\.$/);
      expect(message).toMatch(/^[^\n]+$/);
    }
  });

  it('gives credits back exactly for what fails before it ever runs', () => {
    for (const { stage, refund } of modes) expect(refund).toBe(stage !== 'running');
  });
});

describe.each(modes)('$mode', ({ mode, stage, message, exitCode, refund }) => {
  const { status = 'failed', line: reason = filled(message ?? '') } = expected[mode] ?? {};

  // One story for all that is seen of it: a story costs more than the looks.
  it(`shows while ${stage} and ends ${status}, as its message, log, credits, checks and deployments say`, async () => {
    const story = await tell(mode);
    const { emulator, id, container, logs, messages, endedAt } = story;
    const history = container.statusHistory.map((change) => change.status);
    const usual = ['pending', 'building', 'deploying', 'running'];
    const wrong = status === 'stopped' ? ['stopped'] : ['failed'];
    const recovered = status === 'running' ? ['running'] : [];
    expect(history).toEqual([...usual.slice(0, usual.indexOf(stage) + 1), ...wrong, ...recovered]);
    expect(container.status).toBe(status);
    expect(container.nextTransitionAt).toBeNull();

    if (status === 'running') expect(container.error_message).toBeNull();
    else expect(container.error_message).toMatch(filled(message ?? ''));

    expect(messages).toContainEqual(expect.stringMatching(reason));
    expect(messages.filter((text) => /[{}]|undefined|NaN/.test(text))).toEqual([]);
    expect(messages.includes('Deployed successfully')).toBe(stage === 'running');
    if (status !== 'running') expect(logs.at(-1)?.timestamp).toBe(endedAt);
    const exit = messages.find((text) => text.includes('(exit code '));
    expect(exit?.match(/exit code (\d+)/)?.[1]).toBe(exitCode?.toString());

    const refunds = emulator.controls.ledger().filter(({ type }) => type === 'refund');
    expect(refunds).toHaveLength(refund ? 1 : 0);
    if (refund) expect(refunds[0]).toMatchObject({ amount: 0.5, balanceAfter: 1_000, at: endedAt });
    expect(await balance(emulator)).toBe(refund ? 1_000 : 999.5);

    const health = await healthOf(story);
    if (status === 'failed') {
      expect(health).toMatchObject({ status: 'unhealthy', checks: { http: 'failing' } });
      expect(health.message).toMatch(/^http(, memory|, disk)? check failing: [^{}]+$/);
    } else {
      expect(health.status).toBe(status === 'running' ? 'healthy' : 'stopped');
    }
    if (status !== 'running') expect(await usageOf(story)).toEqual({ cpu: 0, memory: 0 });

    const { data } = (await call(emulator, 'GET', `/api/v1/containers/${id}/deployments`)).body;
    expect(data.deployments[0].status).toBe(refund ? 'failed' : 'success');
    expect(data.deployments[0].error === null).toBe(!refund);
  });

  it('ends alike when deployments take no time', async () => {
    const { container, messages } = await tell(mode, { timing: 'instant' });
    expect(container.status).toBe(status);
    expect(messages).toContainEqual(expect.stringMatching(reason));
  });
});

describe('telling modes apart', () => {
  it.each([
    ['health', ['health-path', 'health-port', 'health-localhost', 'slow-start']],
    ['memory', ['oom-start', 'oom-later']],
  ])('gives the %s failure modes distinct logs and reasons', async (_, names) => {
    // The same image for all: only what a mode itself says may differ.
    const fields = (name: string) => ({ ecr_image_uri: image, environment_vars: { EMULATOR_FAIL: name } });
    const stories = await Promise.all(names.map((name) => tell(name, {}, fields(name))));
    const reasons = await Promise.all(stories.map(healthOf));
    expect(new Set(reasons.map(({ message }) => message)).size).toBe(names.length);
    for (const [index, { messages }] of stories.entries()) {
      const others = stories.filter((_story, other) => other !== index).flatMap((story) => story.messages);
      expect(messages.filter((text) => !others.includes(text)).length).toBeGreaterThan(1);
    }
  });

  it('names for health-port a port that is not the right one', async () => {
    const { messages } = await tell('health-port', {}, { port: 8_080 });
    expect(messages).toContain('Server listening on port 3000');
  });

  it('names the architecture that was asked for', async () => {
    const { container } = await tell('no-matching-manifest', {}, { architecture: 'x86_64' });
    expect(container.error_message).toContain('no matching manifest for linux/amd64');
  });
});

describe('health', () => {
  it.each([
    ['health-path', 'http', 'GET /health answers 404', 404],
    ['health-port', 'http', 'connection refused on port 3000: the process listens on 8080', null],
    ['health-localhost', 'http', 'connection refused on port 3000: the process listens on 127.0.0.1 only', null],
    ['oom-later', 'http, memory', 'the process grew to its limit of 1792 MB', null],
    ['image-not-found', 'http', 'the container never started: its image could not be pulled', null],
  ])('names the failing check of %s', async (mode, check, reason, statusCode) => {
    const { message, data } = await healthOf(await tell(mode));
    expect(message).toBe(`${check} check failing: ${reason}`);
    expect(data.statusCode).toBe(statusCode);
  });

  it('flaps under full CPU for a while, says why, and recovers by itself', async () => {
    const { container } = await tell('flapping-health');
    const failure = container.statusHistory.find((change) => change.status === 'failed');
    const { emulator, id } = await begin('flapping-health');
    await emulator.controls.clock.advance({ to: failure?.at });
    const { status, error_message } = await getContainer(emulator, id);
    expect([status, error_message]).toEqual(['failed', 'Health check failed']);
    expect(await healthOf({ emulator, id })).toMatchObject({
      checks: { http: 'failing', memory: 'passing', disk: 'passing' },
      message: 'http check failing: GET /health on port 3000 timed out: the CPU is busy',
    });
    expect((await usageOf({ emulator, id })).cpu).toBeGreaterThan(0.9);
    await emulator.controls.clock.advance('10s');
    expect((await healthOf({ emulator, id })).status).toBe('healthy');
  });
});

describe('memory', () => {
  it.each(['oom-start', 'oom-later'])('climbs to the limit right before %s, and is 0 after', async (mode) => {
    const { endedAt } = await tell(mode);
    const { emulator, id } = await begin(mode);
    const shares: number[] = [];
    for (const before of [1_500, 1_000, 500, 1, 0]) {
      await emulator.controls.clock.advance({ to: new Date(Date.parse(endedAt) - before).toISOString() });
      shares.push((await usageOf({ emulator, id })).memory);
    }
    const last = shares.pop();
    expect(shares).toEqual([...new Set(shares)].sort((a, b) => a - b));
    expect(shares.at(-1)).toBeGreaterThan(0.95);
    expect(last).toBe(0);
  });
});

describe('triggers', () => {
  const byTag = { ecr_image_uri: tagged('fail-timeout') };
  const byVariable = { environment_vars: { EMULATOR_FAIL: 'oom-start' } };
  const byHeader = { 'X-Emulator-Failure': 'crash-loop' };

  it.each([
    ['the image tag', byTag, {}, 'timeout'],
    ['the variable', byVariable, {}, 'oom-start'],
    ['the header', {}, byHeader, 'crash-loop'],
    ['the variable before the tag', { ...byTag, ...byVariable }, {}, 'oom-start'],
    ['the header before both', { ...byTag, ...byVariable }, byHeader, 'crash-loop'],
    ['nothing', {}, {}, null],
  ])('set the failure mode from %s', async (_, fields, headers, mode) => {
    const emulator = await startWorld();
    const { id } = await deploy(emulator, fields, headers);
    expect(emulator.controls.containers.get(id).mode).toBe(mode);
  });

  it.each([
    ['header X-Emulator-Failure', {}, { 'X-Emulator-Failure': 'timeuot' }],
    ['environment_vars.EMULATOR_FAIL', { environment_vars: { EMULATOR_FAIL: 'timeuot' } }, {}],
  ])('with an unknown mode in %s are refused, with a suggestion', async (path, fields, headers) => {
    const emulator = await startWorld();
    const body = { name: 'web', project_name: 'web', ecr_image_uri: image, ...fields };
    const answer = await call(emulator, 'POST', '/api/v1/containers', body, headers);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details).toMatchObject([{ path, suggestion: 'timeout' }]);
    expect(await balance(emulator)).toBe(1_000);
  });

  it('with an unknown mode in a tag only warn, and deploy', async () => {
    const emulator = await startWorld();
    const body = { name: 'web', project_name: 'web', ecr_image_uri: tagged('fail-tiemout') };
    const answer = await call(emulator, 'POST', '/api/v1/containers', body);
    expect(answer.status).toBe(202);
    expect(answer.headers.get('x-emulator-warning')).toContain('did you mean fail-timeout?');
    const unlike = await call(emulator, 'POST', '/api/v1/containers', { ...body, ecr_image_uri: tagged('fail-xyzzy') });
    expect(unlike.headers.get('x-emulator-warning')).toContain('(`cloudemu failures` lists them)');
    await emulator.controls.clock.advance('30s');
    expect((await getContainer(emulator, answer.body.data.id)).status).toBe('running');
  });
});

describe('realistic timing', () => {
  it('of a wrong architecture fails within twelve minutes', async () => {
    const { emulator, id } = await begin('exec-format', { timing: 'realistic' });
    await emulator.controls.clock.advance('5m');
    expect((await getContainer(emulator, id)).status).toBe('deploying');
    await emulator.controls.clock.advance('7m');
    expect((await getContainer(emulator, id)).status).toBe('failed');
  });

  it('of a stalled deployment gives up at thirty minutes, not before', async () => {
    const { emulator, id } = await begin('timeout', { timing: 'realistic' });
    await emulator.controls.clock.advance('29m59s');
    expect((await getContainer(emulator, id)).status).toBe('deploying');
    await emulator.controls.clock.advance('1s');
    const { error_message, statusHistory } = await getContainer(emulator, id);
    expect(error_message).toContain('timed out after 30m.');
    expect(statusHistory.at(-1)).toEqual({ status: 'failed', at: '2026-01-01T00:30:00.000Z' });
  });
});
