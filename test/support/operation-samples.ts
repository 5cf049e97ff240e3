// For each control operation an act, said three times: in process, over HTTP, on the command line.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Controls } from '../../src/controls.js';
import type { Emulator } from '../../src/index.js';
import { tempDir } from './command.js';
import { call, deploy } from './emulator.js';
import { clone } from './voice.js';

/** What there is to be named in an act: `{requestId}` in a text stands for it. */
export type Ground = Record<'requestId' | 'sessionId' | 'jobId' | 'organizationId' | 'snapshotFile', string> & {
  snapshot: ReturnType<Controls['snapshots']['export']>;
};

export interface Sample {
  /** The command line, without --json. */
  line: string;
  /** The act in process; of a stream it takes the first `take` items. */
  act: (controls: Controls, ground: Ground) => unknown;
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  /** How the command ends, where that is not 0. */
  code?: 1;
}

/** Two containers, requests, a fault rule, a snapshot, a scenario, and a world beside: `web`, `stopped`, `fault_1`, `before`, `mine`, `blue`. */
export async function prepareGround(emulator: Emulator): Promise<Ground> {
  const { controls, organizationId } = emulator;
  await deploy(emulator);
  await deploy(emulator, { name: 'stopped', project_name: 'stopped' });
  await controls.clock.advance('1m');
  controls.containers.stop('stopped');
  await call(emulator, 'GET', '/api/v1/containers/none');
  controls.faults.add({ match: { operation: 'keys.*' }, effect: { status: 503 } });
  controls.images.make({ repository: 'web', tag: 'v1' });
  controls.replies.add({ text: 'Hello' });
  controls.snapshots.take({ name: 'before' });
  controls.scenarios.save({ name: 'mine' });
  await controls.worlds.create({ id: 'blue', seed: 1, clock: { start: '2026-01-01T00:00:00Z', frozen: true } });
  const requestId = controls.requests.list().requests[0]?.requestId ?? '';
  await clone(emulator);
  const jobId = controls.jobs.list()[0]?.id ?? '';
  const sessionId = controls.sessions.create({ expiresIn: '1h' }).id;
  const snapshot = controls.snapshots.export('before');
  const snapshotFile = join(tempDir(), 'before.json');
  writeFileSync(snapshotFile, JSON.stringify(snapshot));
  return { organizationId, requestId, sessionId, jobId, snapshotFile, snapshot };
}

const web = { params: { id: 'web' } };
const before = { params: { name: 'before' } };
const mine = { params: { name: 'mine' } };
const rule = { match: { operation: 'containers.create' }, when: { times: 2 }, effect: { status: 503, retryAfter: 30 } };
const ruleFlags = '--operation containers.create --times 2 --status 503 --retry-after 30';
const scenario = { containers: [{ match: { project: 'shop' }, mode: 'crash-loop' }] };
const wallet = `0x${'ab'.repeat(20)}`;

/** By the id of the control operation; several where it does several things. */
export const samples: Record<string, Sample[]> = {
  'control.health': [{ line: 'status', act: (controls) => controls.health() }],
  'control.assumptions': [{ line: 'assumptions', act: (controls) => controls.assumptions() }],
  'control.config': [{ line: 'config show', act: (controls) => controls.config() }],

  'control.clock.get': [{ line: 'clock get', act: ({ clock }) => clock.get() }],
  'control.clock.advance': [
    { line: 'clock advance 10m', act: ({ clock }) => clock.advance('10m'), body: { by: '10m' } },
    {
      line: 'clock advance --to 2026-02-01T00:00:00Z',
      act: ({ clock }) => clock.advance({ to: '2026-02-01T00:00:00Z' }),
      body: { to: '2026-02-01T00:00:00Z' },
    },
  ],
  'control.clock.freeze': [{ line: 'clock freeze', act: ({ clock }) => clock.freeze() }],
  'control.clock.resume': [
    // So slow that nothing happens meanwhile.
    { line: 'clock resume --speed 0.000001', act: ({ clock }) => clock.resume({ speed: 1e-6 }), body: { speed: 1e-6 } },
  ],
  'control.clock.skew': [
    { line: 'clock skew --to null', act: ({ clock }) => clock.skew({ to: null }), body: { to: null } },
  ],

  'control.containers.list': [{ line: 'container list', act: ({ containers }) => containers.list() }],
  'control.containers.get': [{ line: 'container show web', act: ({ containers }) => containers.get('web'), ...web }],
  'control.containers.inspect': [
    {
      line: 'container inspect web --tail 5',
      act: ({ containers }) => containers.inspect('web', { tail: 5 }),
      query: { tail: '5' },
      ...web,
    },
  ],
  'control.containers.fail': [
    {
      line: 'container fail web --mode oom-later',
      act: ({ containers }) => containers.fail('web', { mode: 'oom-later' }),
      ...web,
      body: { mode: 'oom-later' },
    },
  ],
  'control.containers.crash': [
    { line: 'container crash web', act: ({ containers }) => containers.crash('web'), ...web },
  ],
  'control.containers.stop': [{ line: 'container stop web', act: ({ containers }) => containers.stop('web'), ...web }],
  'control.containers.recover': [
    {
      line: 'container recover stopped',
      act: ({ containers }) => containers.recover('stopped'),
      params: { id: 'stopped' },
    },
  ],
  'control.containers.skip': [
    {
      line: 'container skip web --status failed',
      act: ({ containers }) => containers.skip('web', { status: 'failed' }),
      ...web,
      body: { status: 'failed' },
    },
  ],
  'control.failures': [{ line: 'failures', act: (controls) => controls.failures() }],

  'control.await': [
    {
      line: 'await container web --status failed,running --timeout 30s --advance',
      act: (controls) =>
        controls.await({ container: 'web', status: ['failed', 'running'], timeout: '30s', advance: true }),
      body: { container: 'web', status: ['failed', 'running'], timeout: '30s', advance: true },
    },
    {
      line: 'await job {jobId} --status completed --timeout 30s --advance',
      act: (controls, { jobId }) => controls.await({ job: jobId, status: 'completed', timeout: '30s', advance: true }),
      body: { job: '{jobId}', status: 'completed', timeout: '30s', advance: true },
    },
    {
      line: 'await operation containers.* --status 4xx',
      act: (controls) => controls.await({ operation: 'containers.*', count: 1, status: '4xx' }),
      body: { operation: 'containers.*', count: 1, status: '4xx' },
    },
  ],

  'control.images.list': [{ line: 'image list', act: ({ images }) => images.list() }],
  'control.images.get': [
    { line: 'image show web:v1', act: ({ images }) => images.get('web:v1'), params: { image: 'web:v1' } },
  ],
  'control.images.make': [
    {
      line: 'image make shop --tag v2 --platforms linux/amd64 --exposed-ports 3000,9000 --entrypoint ["node","app.js"] --user node --labels {"team":"red"} --size 0.5',
      act: ({ images }) =>
        images.make({
          repository: 'shop',
          tag: 'v2',
          platforms: ['linux/amd64'],
          exposedPorts: [3000, 9000],
          entrypoint: ['node', 'app.js'],
          user: 'node',
          labels: { team: 'red' },
          size: 0.5,
        }),
      body: {
        repository: 'shop',
        tag: 'v2',
        platforms: ['linux/amd64'],
        exposedPorts: [3000, 9000],
        entrypoint: ['node', 'app.js'],
        user: 'node',
        labels: { team: 'red' },
        size: 0.5,
      },
    },
  ],
  'control.images.remove': [
    { line: 'image remove web:v1', act: ({ images }) => images.remove('web:v1'), params: { image: 'web:v1' } },
  ],

  'control.voices': [{ line: 'voice list', act: ({ voices }) => voices.list() }],
  'control.jobs.list': [{ line: 'job list', act: ({ jobs }) => jobs.list() }],
  'control.jobs.get': [
    { line: 'job show {jobId}', act: ({ jobs }, { jobId }) => jobs.get(jobId), params: { id: '{jobId}' } },
  ],
  'control.jobs.finish': [
    { line: 'job finish {jobId}', act: ({ jobs }, { jobId }) => jobs.finish(jobId), params: { id: '{jobId}' } },
  ],
  'control.jobs.fail': [
    {
      line: 'job fail {jobId} --mode too-short',
      act: ({ jobs }, { jobId }) => jobs.fail(jobId, { mode: 'too-short' }),
      params: { id: '{jobId}' },
      body: { mode: 'too-short' },
    },
  ],

  'control.organizations.list': [{ line: 'organization list', act: ({ organizations }) => organizations.list() }],
  'control.organizations.create': [
    {
      line: 'organization create --name Poor --credits 0.4 --plan pro',
      act: ({ organizations }) => organizations.create({ name: 'Poor', credits: 0.4, plan: 'pro' }),
      body: { name: 'Poor', credits: 0.4, plan: 'pro' },
    },
  ],
  'control.organizations.credits': [
    {
      line: 'organization credits {organizationId} --set 0.4',
      act: ({ organizations }, { organizationId }) => organizations.credits(organizationId, { set: 0.4 }),
      params: { id: '{organizationId}' },
      body: { set: 0.4 },
    },
    {
      line: 'organization credits {organizationId} --add -5',
      act: ({ organizations }, { organizationId }) => organizations.credits(organizationId, { add: -5 }),
      params: { id: '{organizationId}' },
      body: { add: -5 },
    },
    {
      line: 'organization credits {organizationId} --fail-nth 2',
      act: ({ organizations }, { organizationId }) => organizations.credits(organizationId, { failNth: 2 }),
      params: { id: '{organizationId}' },
      body: { failNth: 2 },
    },
    {
      line: 'organization credits {organizationId} --fail-nth null',
      act: ({ organizations }, { organizationId }) => organizations.credits(organizationId, { failNth: null }),
      params: { id: '{organizationId}' },
      body: { failNth: null },
    },
  ],
  'control.ledger': [
    {
      line: 'ledger --organization-id {organizationId}',
      act: (controls, { organizationId }) => controls.ledger({ organizationId }),
      query: { organizationId: '{organizationId}' },
    },
    {
      line: 'ledger --operation containers.create',
      act: (controls) => controls.ledger({ operation: 'containers.create' }),
      query: { operation: 'containers.create' },
    },
  ],
  'control.keys': [{ line: 'key list', act: ({ keys }) => keys.list() }],
  'control.keys.create': [
    {
      line: 'key create --name Small --permissions embeddings:read,chat:read --expires-in 10m --rate-limit 5',
      act: ({ keys }) =>
        keys.create({ name: 'Small', permissions: ['embeddings:read', 'chat:read'], expiresIn: '10m', rateLimit: 5 }),
      body: { name: 'Small', permissions: ['embeddings:read', 'chat:read'], expiresIn: '10m', rateLimit: 5 },
    },
  ],
  'control.users.list': [{ line: 'user list', act: ({ users }) => users.list() }],
  'control.users.create': [
    {
      line: 'user create --role viewer --email vera@example.test',
      act: ({ users }) => users.create({ role: 'viewer', email: 'vera@example.test' }),
      body: { role: 'viewer', email: 'vera@example.test' },
    },
  ],
  'control.sessions.list': [{ line: 'session list', act: ({ sessions }) => sessions.list() }],
  'control.sessions.create': [
    {
      line: 'session create --role viewer --expires-in 10m',
      act: ({ sessions }) => sessions.create({ role: 'viewer', expiresIn: '10m' }),
      body: { role: 'viewer', expiresIn: '10m' },
    },
  ],
  'control.sessions.revoke': [
    {
      line: 'session revoke {sessionId}',
      act: ({ sessions }, { sessionId }) => sessions.revoke(sessionId),
      params: { id: '{sessionId}' },
    },
  ],
  'control.wallets': [{ line: 'wallet list', act: ({ wallets }) => wallets.list() }],
  'control.wallets.create': [
    { line: 'wallet create --index 12', act: ({ wallets }) => wallets.create({ index: 12 }), body: { index: 12 } },
  ],
  'control.payments.list': [{ line: 'payments list', act: ({ payments }) => payments.list() }],
  'control.payments.fail': [
    {
      line: 'payments fail insufficient_funds',
      act: ({ payments }) => payments.failNextSettlement('insufficient_funds'),
      body: { failNext: 'insufficient_funds' },
    },
  ],
  'control.payments.balances': [{ line: 'payments balances', act: ({ payments }) => payments.balances() }],
  'control.payments.setBalance': [
    {
      line: `payments balance ${wallet} 2.5`,
      act: ({ payments }) => payments.setBalance({ address: wallet, usdc: 2.5 }),
      body: { address: wallet, usdc: 2.5 },
    },
  ],

  'control.limits.list': [{ line: 'limits list', act: ({ limits }) => limits.list() }],
  'control.limits.set': [
    {
      line: 'limits set --operation containers.create --limit 2 --window 10s',
      act: ({ limits }) => limits.set({ operation: 'containers.create', limit: 2, window: '10s' }),
      body: { operation: 'containers.create', limit: 2, window: '10s' },
    },
  ],
  'control.limits.exhaust': [
    {
      line: 'limits exhaust --feature chat --retry-after 30',
      act: ({ limits }) => limits.exhaust({ feature: 'chat', retryAfter: 30 }),
      body: { feature: 'chat', retryAfter: 30 },
    },
  ],
  'control.limits.release': [{ line: 'limits release', act: ({ limits }) => limits.release() }],

  'control.faults.list': [{ line: 'faults list', act: ({ faults }) => faults.list() }],
  'control.faults.add': [
    { line: `faults add ${ruleFlags}`, act: ({ faults }) => faults.add(rule), body: rule },
    {
      line: `faults add ${ruleFlags} --dry-run`,
      act: ({ faults }) => faults.check(rule),
      query: { dryRun: 'true' },
      body: rule,
    },
  ],
  'control.faults.neverFired': [{ line: 'faults never-fired', act: ({ faults }) => faults.neverFired() }],
  'control.faults.get': [
    { line: 'faults show fault_1', act: ({ faults }) => faults.get('fault_1'), params: { id: 'fault_1' } },
  ],
  'control.faults.remove': [
    { line: 'faults remove fault_1', act: ({ faults }) => faults.remove('fault_1'), params: { id: 'fault_1' } },
  ],
  'control.faults.clear': [{ line: 'faults clear', act: ({ faults }) => faults.clear() }],

  'control.replies.list': [{ line: 'replies list', act: ({ replies }) => replies.list() }],
  'control.replies.add': [
    {
      line: 'replies add --model gpt-* --text Sunny --chunk-size 2 --delay 100ms --times 3',
      act: ({ replies }) => replies.add({ model: 'gpt-*', text: 'Sunny', chunkSize: 2, delay: '100ms', times: 3 }),
      body: { model: 'gpt-*', text: 'Sunny', chunkSize: 2, delay: '100ms', times: 3 },
    },
    {
      line: 'replies add --tool-calls [{"name":"look","arguments":{"at":"Paris"}}] --error {"code":"RATE_LIMITED","after":2}',
      act: ({ replies }) =>
        replies.add({
          toolCalls: [{ name: 'look', arguments: { at: 'Paris' } }],
          error: { code: 'RATE_LIMITED', after: 2 },
        }),
      body: { toolCalls: [{ name: 'look', arguments: { at: 'Paris' } }], error: { code: 'RATE_LIMITED', after: 2 } },
    },
  ],
  'control.replies.clear': [{ line: 'replies clear', act: ({ replies }) => replies.clear() }],

  'control.requests.list': [
    {
      line: 'requests list --operation containers.* --status 4xx,202 --faulted false --limit 5',
      act: ({ requests }) => requests.list({ operation: 'containers.*', status: '4xx,202', faulted: false, limit: 5 }),
      query: { operation: 'containers.*', status: '4xx,202', faulted: 'false', limit: '5' },
    },
  ],
  'control.requests.get': [
    {
      line: 'requests show {requestId}',
      act: ({ requests }, { requestId }) => requests.get(requestId),
      params: { id: '{requestId}' },
    },
  ],
  'control.requests.stream': [
    {
      line: 'requests follow --since 1',
      act: ({ requests }) => requests.follow({ since: '1' }),
      query: { since: '1' },
    },
  ],
  'control.requests.clear': [{ line: 'requests clear', act: ({ requests }) => requests.clear() }],
  'control.timeline': [
    {
      line: 'timeline --kinds container,request --search web --limit 5',
      act: (controls) => controls.timeline({ kinds: 'container,request', search: 'web', limit: 5 }),
      query: { kinds: 'container,request', search: 'web', limit: '5' },
    },
  ],
  'control.events': [{ line: 'events', act: (controls) => controls.events() }],

  'control.reset': [
    { line: 'reset', act: (controls) => controls.reset() },
    { line: 'reset --scenario null', body: { scenario: null }, act: (controls) => controls.reset({ scenario: null }) },
  ],
  'control.snapshots.list': [{ line: 'snapshot list', act: ({ snapshots }) => snapshots.list() }],
  'control.snapshots.take': [
    { line: 'snapshot take now', act: ({ snapshots }) => snapshots.take({ name: 'now' }), body: { name: 'now' } },
  ],
  'control.snapshots.restore': [
    { line: 'snapshot restore before', act: ({ snapshots }) => snapshots.restore('before'), ...before },
  ],
  'control.snapshots.export': [
    { line: 'snapshot export before', act: ({ snapshots }) => snapshots.export('before'), ...before },
    {
      line: 'snapshot export before --without-secrets',
      act: ({ snapshots }) => snapshots.export('before', { withoutSecrets: true }),
      query: { withoutSecrets: 'true' },
      ...before,
    },
  ],
  'control.snapshots.import': [
    {
      line: 'snapshot import {snapshotFile}',
      act: ({ snapshots }, { snapshot }) => snapshots.import(snapshot),
      body: '{snapshot}',
    },
  ],
  'control.snapshots.remove': [
    { line: 'snapshot remove before', act: ({ snapshots }) => snapshots.remove('before'), ...before },
  ],

  'control.scenarios.list': [{ line: 'scenario list', act: ({ scenarios }) => scenarios.list() }],
  'control.scenarios.get': [{ line: 'scenario show mine', act: ({ scenarios }) => scenarios.get('mine'), ...mine }],
  'control.scenarios.apply': [
    { line: 'scenario apply mine', act: ({ scenarios }) => scenarios.apply('mine'), ...mine },
    {
      line: 'scenario apply quota-reached --merge',
      act: ({ scenarios }) => scenarios.apply('quota-reached', { merge: true }),
      params: { name: 'quota-reached' },
      body: { merge: true },
    },
  ],
  'control.scenarios.applyDocument': [
    {
      line: `scenario apply ${JSON.stringify(scenario)}`,
      act: ({ scenarios }) => scenarios.apply(scenario),
      body: scenario,
    },
  ],
  'control.scenarios.save': [
    {
      line: 'scenario save now --title Now',
      act: ({ scenarios }) => scenarios.save({ name: 'now', title: 'Now' }),
      params: { name: 'now' },
      body: { title: 'Now' },
    },
  ],
  'control.expectations': [
    { line: 'expectations --world default', code: 1, act: ({ scenarios }) => scenarios.expectations() },
  ],

  'control.worlds.list': [{ line: 'world list', act: ({ worlds }) => worlds.list() }],
  'control.worlds.create': [
    {
      line: 'world create --id green --seed 42 --clock 2026-01-01T00:00:00Z --frozen --ttl 10m',
      act: ({ worlds }) =>
        worlds.create({ id: 'green', seed: 42, clock: { start: '2026-01-01T00:00:00Z', frozen: true }, ttl: '10m' }),
      body: { id: 'green', seed: 42, clock: { start: '2026-01-01T00:00:00Z', frozen: true }, ttl: '10m' },
    },
  ],
  'control.worlds.drop': [
    { line: 'world drop blue', act: ({ worlds }) => worlds.drop('blue'), params: { id: 'blue' } },
  ],

  'control.verdicts': [
    { line: 'verdicts --since 10m', act: (controls) => controls.verdicts({ since: '10m' }), query: { since: '10m' } },
  ],
  'control.coverage': [
    { line: 'coverage --since 10m', act: (controls) => controls.coverage({ since: '10m' }), query: { since: '10m' } },
  ],
};
