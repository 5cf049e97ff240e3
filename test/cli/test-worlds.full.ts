// A world for each test of runners that know nothing of the emulator: node:test, unittest, pytest.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { idOfLabel } from '../../src/tools/worlds/label.js';
import { itFull } from '../support/campaign.js';
import { run, tempDir } from '../support/command.js';
import { itNeeds, itWhere, works } from '../support/tools.js';

const it = test.concurrent;

/** A scenario that gives each test a world of its own. */
const scenario = JSON.stringify({ title: 'apart', seed: 'apart', command: { worldPerTest: true } });

function project(files: Record<string, string>): string {
  const cwd = tempDir();
  for (const [name, text] of Object.entries({ 'apart.json': scenario, ...files })) writeFileSync(join(cwd, name), text);
  return cwd;
}

/** The worlds of a run that were used, by their labels. */
async function worldsOf(cwd: string, command: readonly string[], env: Record<string, string> = {}) {
  const { stdout, stderr, code } = await run(['run', 'apart.json', '--json', '--', ...command], { cwd, env });
  expect(`${stderr}\n${code}`).toMatch(/\n0$/);
  const { worlds } = JSON.parse(stdout) as { worlds: { label: string | null; requests: number }[] };
  return Object.fromEntries(worlds.filter((one) => one.requests > 0).map((one) => [one.label, one.requests]));
}

const client = `
  export const { CLOUD_BASE_URL: base, CLOUD_API_KEY: key } = process.env;
  export async function send(method, path, body) {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const response = await fetch(base + path, { method, headers, body: body && JSON.stringify(body) });
    const { data, error } = await response.json();
    if (!response.ok || error) throw new Error(response.status + ' ' + error);
    return data;
  }
  export const list = () => send('GET', '/api/v1/containers');
  export const deploy = () =>
    send('POST', '/api/v1/containers', { name: 'web', project_name: 'web', ecr_image_uri: 'registry.local/web:v1' });
`;

it('gives each test of node:test its own, with what it starts and the tests inside of it', async () => {
  const cwd = project({
    'client.mjs': client,
    'print.mjs': `import { list } from './client.mjs'; console.log((await list()).length);`,
    'shop.test.mjs': `
      import assert from 'node:assert';
      import { execFileSync } from 'node:child_process';
      import { beforeEach, describe, test } from 'node:test';
      import { deploy, list } from './client.mjs';
      test('deploys', async (t) => {
        await deploy();
        await t.test('inside', async () => assert.equal((await list()).length, 1));
        assert.equal(execFileSync(process.execPath, ['print.mjs'], { encoding: 'utf8' }), '1\\n');
      });
      describe('a suite', () => {
        beforeEach(deploy);
        test('first', async () => assert.equal((await list()).length, 1));
        test('second', async () => assert.equal((await list()).length, 1));
      });
    `,
    'other.test.mjs': `
      import assert from 'node:assert';
      import { test } from 'node:test';
      import { list } from './client.mjs';
      test('starts empty', async () => assert.deepEqual(await list(), []));
    `,
  });
  expect(await worldsOf(cwd, [process.execPath, '--test'])).toEqual({
    'other.test.mjs > starts empty': 1,
    'shop.test.mjs > deploys': 3,
    'shop.test.mjs > a suite > first': 2,
    'shop.test.mjs > a suite > second': 2,
  });
});

it('leaves the id of a label to the world that a test makes itself', async () => {
  const cwd = project({
    'shop.test.mjs': `
      import { test } from 'node:test';
      import { writeFileSync } from 'node:fs';
      test('makes a world', async () => {
        const body = JSON.stringify({ label: 'shop.test.mjs > makes a world' });
        const headers = { 'content-type': 'application/json' };
        const made = await fetch(process.env.CLOUDEMU_URL + '/_emulator/worlds', { method: 'POST', headers, body });
        const { id, baseUrl, apiKey } = await made.json();
        writeFileSync('id.txt', id);
        await fetch(baseUrl + '/api/v1/containers', { headers: { 'x-api-key': apiKey } });
      });
    `,
  });
  expect(await worldsOf(cwd, [process.execPath, '--test'])).toEqual({ 'shop.test.mjs > makes a world': 1 });
  expect(readFileSync(join(cwd, 'id.txt'), 'utf8')).toBe(idOfLabel('shop.test.mjs > makes a world'));
});

const python = `
import json, os, urllib.request

BASE = os.environ["CLOUD_BASE_URL"]
KEY = os.environ["CLOUD_API_KEY"]

def send(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"x-api-key": KEY, "content-type": "application/json"}
    request = urllib.request.Request(BASE + path, method=method, data=data, headers=headers)
    with urllib.request.urlopen(request, timeout=5) as response:
        return json.load(response)["data"]

def deploy():
    return send("POST", "/api/v1/containers", {"name": "web", "project_name": "web", "ecr_image_uri": "registry.local/web:v1"})

def names():
    return [one["name"] for one in send("GET", "/api/v1/containers")]
`;

itNeeds('python3').concurrent(
  'gives each test of unittest its own, and lets a sitecustomize of the user act',
  async () => {
    const cwd = project({
      'client.py': python,
      'sitecustomize.py': 'import os\nos.environ["MINE"] = "kept"\n',
      'test_shop.py': `
import os, unittest, client

class Shop(unittest.TestCase):
    def setUp(self):
        client.deploy()

    def test_deploys(self):
        self.assertEqual(client.names(), ["web"])

    def test_deploys_again(self):
        self.assertEqual((client.names(), os.environ["MINE"]), (["web"], "kept"))
`,
    });
    expect(await worldsOf(cwd, ['python3', '-m', 'unittest', '-q'], { PYTHONPATH: cwd })).toEqual({
      'test_shop.Shop::test_deploys': 2,
      'test_shop.Shop::test_deploys_again': 2,
    });
  },
);

const pythonOfPytest = ['python3', '/usr/bin/python3'].find((name) => works([name, '-m', 'pytest', '--version']));

itWhere(pythonOfPytest !== undefined).concurrent(
  'gives each test of pytest its own, fixtures of the test included',
  async () => {
    const cwd = project({
      'client.py': python,
      'test_shop.py': `
import pytest, client

@pytest.fixture
def web():
    client.deploy()
    yield
    client.names()

def test_web(web):
    assert client.names() == ["web"]

@pytest.mark.parametrize("number", [1, 2])
def test_each(number):
    assert client.names() == []
`,
    });
    expect(await worldsOf(cwd, [pythonOfPytest ?? 'python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'])).toEqual({
      'test_shop.py::test_web': 3,
      'test_shop.py::test_each[1]': 1,
      'test_shop.py::test_each[2]': 1,
    });
  },
);

const explored = async (cwd: string) => {
  const command = ['explore', '--json', '--', process.execPath, '--test'];
  return JSON.parse((await run(command, { cwd })).stdout) as { worlds: number; finds: { grade: string }[] };
};

itFull.concurrent(
  'explores tests apart, and a client with a time limit as long as that of a run is no hang',
  async () => {
    const patient = client.replace('{ method, headers,', '{ method, headers, signal: AbortSignal.timeout(6_000),');
    const cwd = project({
      'client.mjs': patient,
      'shop.test.mjs': `
      import assert from 'node:assert';
      import { test } from 'node:test';
      import { list } from './client.mjs';
      test('lists', async () => assert.deepEqual(await list(), []));
      test('lists again', async () => assert.deepEqual(await list(), []));
    `,
    });
    const { worlds, finds } = await explored(cwd);
    expect([worlds, finds.filter(({ grade }) => grade <= 'C')]).toEqual([2, []]);
  },
);

itFull.concurrent('explores tests together where one needs what another leaves behind', async () => {
  const cwd = project({
    'client.mjs': client,
    'shop.test.mjs': `
      import assert from 'node:assert';
      import { test } from 'node:test';
      import { deploy, list } from './client.mjs';
      test('deploys', deploy);
      test('lists', async () => assert.equal((await list()).length, 1));
    `,
  });
  expect((await explored(cwd)).worlds).toBe(1);
});
