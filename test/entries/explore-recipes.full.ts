// `cloudemu explore` proves that it can see: with the recipe of each test runner it finds a planted bug, and nothing once that is
// mended; where its faults cannot act, it does not say that all is well.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExploreReport } from '../../src/tools/explore/report.js';
import { createProject, runIn } from '../support/project.js';
import { itWhere, works } from '../support/tools.js';

/** What the client does where a creation fails: send it again, or look what has become of it. */
type Twin = 'planted' | 'mended';

const javascript = (twin: Twin): string => `
  exports.deploy = async (url, key) => {
    const send = async (method, body) => {
      const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
      const signal = AbortSignal.timeout(2_000);
      const response = await fetch(url + '/api/v1/containers', { method, headers, signal, body: body && JSON.stringify(body) });
      if (!response.ok) throw new Error(method + ' containers: ' + response.status + ' ' + (await response.text()));
      const { data, error } = await response.json();
      if (data === undefined) throw new Error(method + ' containers: ' + error);
      return data;
    };
    const shop = { name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry.local/shop:v1' };
    try {
      return (await send('POST', shop)).id;
    } catch (error) {
      if (${twin === 'planted'}) return (await send('POST', shop)).id;
      const found = (await send('GET')).find((one) => one.project_name === 'shop');
      if (found === undefined) throw error;
      return found.id;
    }
  };`;

const python = (twin: Twin): string => `
import json, urllib.request

def deploy(url, key):
    def send(method, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"authorization": "Bearer " + key, "content-type": "application/json"}
        request = urllib.request.Request(url + "/api/v1/containers", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=2) as response:
            answer = json.load(response)
        if "data" not in answer:
            raise RuntimeError(answer.get("error"))
        return answer["data"]

    shop = {"name": "Shop", "project_name": "shop", "ecr_image_uri": "registry.local/shop:v1"}
    try:
        return send("POST", shop)["id"]
    except Exception as error:
        if ${twin === 'planted' ? 'True' : 'False'}:
            return send("POST", shop)["id"]
        found = [one for one in send("GET") if one["project_name"] == "shop"]
        if not found:
            raise error
        return found[0]["id"]
`;

const shell = (twin: Twin): string => `
set -euo pipefail
api() { curl -sSf --max-time 2 -H "Authorization: Bearer $CLOUD_API_KEY" "$CLOUD_BASE_URL/api/v1/containers" "$@"; }
project() { grep -q '"project_name": *"shop"'; }
[ "\${2:-}" = --status ] && exit 0
create() { api -d '{"name": "shop", "project_name": "shop", "ecr_image_uri": "registry.local/shop:v1"}' | project; }
create || ${twin === 'planted' ? 'create' : 'api | project'}
`;

interface Runner {
  runner: string;
  /** The folder of its recipe; undefined: its tests need none. */
  recipe?: string;
  files: (twin: Twin) => Record<string, string>;
  command: readonly string[];
  isThere?: boolean;
}

const pythonOfPytest = ['python3', '/usr/bin/python3'].find((name) => works([name, '-m', 'pytest', '--version']));

const nodeTest = (before = ''): string => `
  import assert from 'node:assert/strict';
  import { after, afterEach, beforeEach, test } from 'node:test';
  import { connect } from 'cloudemu/client';
  import { deploy } from './client.cjs';
  let world;
  beforeEach(async ({ name }) => {
    world = await connect().createWorld({ label: 'shop.test.mjs > ' + name });
    ${before}
  });
  afterEach(() => world.close());
  test('deploys', async () => assert.ok(await deploy(world.url, world.apiKey)));
  test('deploys elsewhere', async () => assert.ok(await deploy(world.url, world.apiKey)));`;

const runners: Runner[] = [
  {
    runner: 'Vitest',
    files: (twin) => ({
      'client.cjs': javascript(twin),
      'shop.spec.mjs': `
        import { expect, test } from 'cloudemu/vitest';
        import { deploy } from './client.cjs';
        test('deploys', async ({ world }) => expect(await deploy(world.url, world.apiKey)).toHaveLength(36));`,
    }),
    command: ['vitest', 'run', 'shop.spec.mjs'],
  },
  {
    runner: 'Jest',
    recipe: 'jest',
    files: (twin) => ({
      'client.cjs': javascript(twin),
      'deploy.spec.js': `
        const { deploy } = require('./client.cjs');
        test('deploys', async () => expect(await deploy(world.url, world.apiKey)).toHaveLength(36));`,
    }),
    command: ['jest', '--ci'],
  },
  {
    runner: 'node:test',
    recipe: 'node',
    files: (twin) => ({ 'client.cjs': javascript(twin), 'deploy.test.mjs': nodeTest() }),
    command: ['node', '--test', 'deploy.test.mjs'],
  },
  {
    runner: 'Playwright',
    recipe: 'playwright',
    files: (twin) => ({
      'client.cjs': javascript(twin),
      'deploy.spec.ts': `
        import { deploy } from './client.cjs';
        import { expect, test } from './world.js';
        test('deploys', async ({ world, baseURL }) => expect(await deploy(baseURL, world.apiKey)).toHaveLength(36));`,
    }),
    command: ['playwright', 'test'],
  },
  {
    runner: 'pytest',
    recipe: 'pytest',
    files: (twin) => ({
      'client.py': python(twin),
      'test_deploy.py': `
from client import deploy

def test_deploys(world):
    assert deploy(world.url, world.api_key)

def test_deploys_elsewhere(world):
    assert deploy(world.url, world.api_key)
`,
    }),
    command: [pythonOfPytest ?? 'python3', '-m', 'pytest', '-p', 'no:cacheprovider'],
    isThere: pythonOfPytest !== undefined,
  },
  {
    runner: 'unittest',
    files: (twin) => ({
      'client.py': python(twin),
      'test_deploy.py': `
import os, unittest
from client import deploy

class Shop(unittest.TestCase):
    def test_deploys(self):
        self.assertTrue(deploy(os.environ["CLOUD_BASE_URL"], os.environ["CLOUD_API_KEY"]))

    def test_deploys_elsewhere(self):
        self.assertTrue(deploy(os.environ["CLOUD_BASE_URL"], os.environ["CLOUD_API_KEY"]))
`,
    }),
    command: ['python3', '-m', 'unittest'],
    isThere: works(['python3', '--version']),
  },
  {
    runner: 'a shell',
    recipe: 'shell',
    files: (twin) => ({ 'deploy.sh': shell(twin) }),
    command: ['bash', 'test.sh'],
    isThere: works(['bash', '--version']) && works(['curl', '--version']),
  },
];

async function explore(files: Record<string, string>, command: readonly string[], recipe?: string) {
  const project = recipe === undefined ? createProject() : createProject(`recipes/${recipe}`);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(project, name), text);
  const { code, stdout, stderr } = await runIn(project, ['cloudemu', 'explore', '--json', '--', ...command]);
  expect(stdout, stderr).toMatch(/^\{"command"/m);
  const report = JSON.parse(stdout) as ExploreReport;
  const graves = report.finds.filter(({ grade }) => grade <= 'C').map(({ grade, what }) => `${grade} ${what}`);
  return { code, report, graves };
}

describe.each(runners)('the recipe for $runner under explore', ({ files, command, recipe, isThere = true }) => {
  itWhere(isThere)(
    'shows a planted bug',
    async () => {
      const { code, report, graves } = await explore(files('planted'), command, recipe);
      expect({ code, notMet: report.notMet }).toEqual({ code: 1, notMet: [] });
      expect(graves).toContainEqual(expect.stringMatching(/^A The first containers\.create takes effect, but /));
    },
    600_000,
  );

  itWhere(isThere)(
    'shows nothing once it is mended',
    async () => {
      const { code, report, graves } = await explore(files('mended'), command, recipe);
      expect({ code, graves, notMet: report.notMet }).toEqual({ code: 0, graves: [], notMet: [] });
      expect(report.tried).toBeGreaterThan(10);
    },
    600_000,
  );
});

describe('explore does not say that all is well', () => {
  it('where a test takes its faults away', async () => {
    const test = nodeTest('await world.controls.faults.clear();');
    const command = ['node', '--test', 'shop.test.mjs'];
    const files = { 'client.cjs': javascript('planted'), 'shop.test.mjs': test };
    const { code, report } = await explore(files, command);
    expect([code, report.finds.length]).toEqual([3, 0]);
    expect(report.notMet.length).toBeGreaterThan(report.tried);
    expect(report.hints.join(' ')).toContain('their worlds lost them');
  }, 600_000);

  it('where the world of a test has another id in each run', async () => {
    const test = nodeTest().replace(/\{ label: .* \}/, '{ id: "w" + process.pid }');
    const files = { 'client.cjs': javascript('planted'), 'shop.test.mjs': test };
    const { code, report } = await explore(files, ['node', '--test', 'shop.test.mjs']);
    expect([code, report.tried]).toEqual([3, 0]);
    expect(report.hints.join(' ')).toContain('Give the world of each test a label');
  }, 600_000);
});
