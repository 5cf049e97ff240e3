// Tables at a real terminal: never wider than it, with colours; in a pipe complete, without.

import { beforeAll, describe, expect, it } from 'vitest';
import { controlOperations } from '../../src/app/controls.js';
import { widthOf } from '../../src/cli/layout.js';
import { createEmulator, type Emulator } from '../../src/index.js';
import { tempDir } from '../support/command.js';
import { runHere } from '../support/command-here.js';
import { commands } from '../support/commands.js';
import { call, deploy } from '../support/emulator.js';
import { atTerminal } from '../support/pty.js';

let emulator: Emulator;
const long = 'a name that is rather long, as people give them';

beforeAll(async () => {
  emulator = await createEmulator({ seed: 'test', clock: '2026-01-01T00:00:00Z', frozen: true });
  await deploy(emulator, { name: `web ${long}`, project_name: long });
  await deploy(
    emulator,
    { name: '漢字'.repeat(20), project_name: '漢字'.repeat(12) },
    { 'x-emulator-failure': 'oom-start' },
  );
  const { uri } = emulator.controls.images.make({
    repository: 'an-image',
    entrypoint: ['node', `${'a/'.repeat(20)}server.js`, '--listen', '0.0.0.0'],
    labels: { 'org.opencontainers.image.version': '1', note: long.repeat(3) },
  });
  await deploy(emulator, { name: 'c', project_name: 'an-image', ecr_image_uri: uri });
  await call(emulator, 'GET', `/api/v1/containers/${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(12)}/logs?tail=5`);
  await call(emulator, 'GET', '/api/v1/containers');
  await call(emulator, 'POST', '/api/v1/app/agents', { name: long, [`boi${'x'.repeat(100)}`]: long });
  const { controls } = emulator;
  controls.faults.add({ match: { operation: 'containers.create', path: '/api/v1/*' }, effect: { status: 503 } });
  await call(emulator, 'POST', '/api/v1/containers', { name: 'x', project_name: 'x', ecr_image_uri: 'a/b:v1' });
  controls.replies.add({ text: long, model: 'gpt-4' });
  controls.organizations.create({ name: long });
  controls.keys.create({ name: long });
  controls.sessions.create();
  controls.snapshots.take({ name: 'a-snapshot' });
  await controls.worlds.create({ id: 'a-world-with-a-rather-long-name-as-tests-have' });
  await controls.clock.advance('1m');
  return () => emulator.close();
});

const codes = /\u001b\[\d+m/g;
const lists = commands.filter(({ words, operation }) =>
  controlOperations.some(
    ({ id, method }) =>
      id === operation &&
      method === 'GET' &&
      /list$|^(failures|ledger|assumptions|verdicts|limits|status|timeline|clock get)/.test(words),
  ),
);

it.each([80, 120])('every list fits %i columns', async (columns) => {
  const failures: string[] = [];
  for (const { words } of lists) {
    const { stdout } = await runHere([...words.split(' '), '--url', emulator.url], { columns });
    if (stdout.trim() === '') failures.push(`${words}: printed nothing`);
    for (const line of stdout.replace(codes, '').split('\n'))
      if (widthOf(line) > columns) failures.push(`${words}: ${line}`);
  }
  expect(failures).toEqual([]);
});

describe.concurrent('at a terminal', () => {
  it.each(['image show an-image', 'container show an-image'])('%s fits 80 columns', async (words) => {
    const text = await atTerminal([...words.split(' '), '--url', emulator.url], 80);
    expect(text).toMatch(/^ *127\S+\/an-image:latest$/m);
    expect(text).toMatch(/ org\.opencontainers\.image\.version=1$/m);
    for (const line of text.replace(codes, '').split('\n')) expect(widthOf(line), line).toBeLessThanOrEqual(80);
  });

  it('shortens ids and instants, and says what it leaves out', async () => {
    const text = (await atTerminal(['requests', '--url', emulator.url], 80)).replace(codes, '');
    expect(text).toMatch(/^at +status +method +path +request\n/);
    expect(text).toMatch(/^00:00:00 +404 +GET +\/api\/v1\/containers\/00000000…\/logs +req_[0-9a-f]{8}…$/m);
    expect(text).toContain('\n(operation, duration, fault: in a wider terminal, or with --json)\n');
  });

  it('shows an answer that is an error in yellow or red, and never in green', async () => {
    const text = await atTerminal(['requests', '--url', emulator.url], 120);
    expect(text).toMatch(/\u001b\[32m200/);
    expect(text).toMatch(/\u001b\[33m404/);
    expect(text).toMatch(/\u001b\[31m503/);
  });

  it.each([{ NO_COLOR: '1' }, { FORCE_COLOR: '0' }])('has no colours where the environment has %o', async (env) => {
    const text = await atTerminal(['requests', '--url', emulator.url], 120, { env });
    expect(text).toContain('404');
    expect(text).not.toContain('\u001b');
  });

  it('shows in colours what run has found', async () => {
    const text = await atTerminal(
      ['run', 'happy-path', '--', process.execPath, '-e', "fetch(process.env.CLOUD_BASE_URL + '/nowhere')"],
      80,
      { cwd: tempDir() },
    );
    expect(text).toMatch(/\u001b\[32mpass /);
    for (const line of text.replace(codes, '').split('\n')) expect(widthOf(line), line).toBeLessThanOrEqual(80);
  });
});

it('the timeline shows when each thing happened and what it was, in a narrow terminal, too', async () => {
  const { stdout } = await runHere(['timeline', '--kinds', 'container', '--url', emulator.url], { columns: 80 });
  const text = stdout.replace(codes, '');
  expect(text).toMatch(/^at +title +result\n01-01 00:00:00 +Container/);
  expect(text).toMatch(/^01-01 00:00:\d\d +Container an-image +running$/m);
  expect(text).toMatch(/^01-01 00:01:00 +\(now\) +-$/m);
});

it('a list in a pipe is complete, and has no colours', async () => {
  const { stdout } = await runHere(['requests', '--url', emulator.url]);
  const [first] = emulator.controls.requests.list().requests;
  expect(stdout).toContain(first?.requestId);
  expect(stdout).toContain('2026-01-01T00:00:00.000Z');
  expect(stdout).not.toMatch(/…|\u001b/);
});
