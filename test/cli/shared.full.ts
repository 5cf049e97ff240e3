// One emulator for all checkouts of a user: each has its world in it, and no command takes that of another one.

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ground, plainRoot, switchTo } from '../support/checkouts.js';
import { run as runApart } from '../support/command.js';

const it = test.concurrent;

it('start --shared runs one emulator a user, and says where it runs when it runs already', async () => {
  const { dir, state, run, startShared } = ground();
  const shared = await startShared();
  expect(JSON.parse(readFileSync(join(state, 'run.json'), 'utf8'))).toMatchObject({ url: shared.url, dataDir: state });
  expect(statSync(state).mode & 0o777).toBe(0o700);
  const identity = { root: state, name: 'shared', shared: true };
  expect(await (await fetch(shared.health)).json()).toMatchObject({
    identity,
    settings: { file: join(state, 'emulator.config.json') },
  });
  for (const words of ['start --shared --port 0', 'start --shared --detach --port 0', 'start --shared --ephemeral']) {
    const { code, stderr } = await run(dir, words);
    expect([code, stderr], words).toEqual([
      2,
      expect.stringContaining(`already running: ${shared.url} (pid ${shared.pid})`),
    ]);
  }
  const { stdout } = await run(dir, 'start --shared --json');
  expect(JSON.parse(stdout).error.code).toBe('ALREADY_RUNNING');
  const other = await run(dir, 'start --shared --data-dir other');
  expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('--data-dir cannot be given with --shared')]);
  expect(JSON.parse((await run(dir, 'status --shared --json')).stdout)).toMatchObject({ url: shared.url, identity });
});

it.concurrent('a checkout stops the shared emulator only where it says so, and finds its world again after the next start', async () => {
  const { dir, client, run, startShared } = ground();
  const root = plainRoot(dir, 'shop');
  await startShared();
  const mine = await client(root);
  expect(await mine.deploy('cart')).toBe(202);
  const refused = await run(root, 'stop');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('`cloudemu stop --shared` stops it')]);
  expect((await run(root, 'stop --shared')).code).toBe(0);
  expect((await run(root, 'status --shared')).stderr).toBe(
    'No shared emulator runs. `cloudemu start --shared` runs one.\n',
  );
  await startShared();
  const again = await client(root);
  expect(await again.names()).toEqual(['cart']);
  expect(again.apiKey).toBe(mine.apiKey);
  const { stdout } = await run(root, 'world list --json');
  const listed = (JSON.parse(stdout).worlds as { id: string }[]).find(({ id }) => id === 'shop');
  expect(listed).toMatchObject({
    root,
    branch: null,
    ttlMs: null,
    bytes: expect.any(Number),
    usedAt: expect.any(String),
  });
});

it.concurrent('a directory that goes does not disturb the shared emulator that was started in it', async () => {
  const { dir, env, client, run } = ground();
  const [gone, root] = [plainRoot(dir, 'gone'), plainRoot(dir, 'shop')];
  const { stdout } = await run(gone, 'start --shared --detach --port 0 --json', env);
  const { url } = JSON.parse(stdout);
  rmSync(gone, { recursive: true });
  const mine = await client(root);
  expect(mine.url).toBe(`${url}/w/shop`);
  const answer = await fetch(`${mine.url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${mine.apiKey}`, 'content-type': 'application/json' },
    body: '{"model": "gpt-4o", "messages": [{"role": "user", "content": "x"}]}',
  });
  expect(answer.status).toBe(200);
  expect((await run(root, 'stop --shared')).code).toBe(0);
});

it('env names worlds after directory and branch, and makes each once', async () => {
  const { dir, client, run, startShared } = ground();
  const [first, second] = [plainRoot(join(dir, 'a'), 'shop'), plainRoot(join(dir, 'b'), 'shop')];
  for (const root of [first, second]) switchTo(root, 'main');
  const { url } = await startShared();
  const before = await run(first, 'requests');
  expect([before.code, before.stderr]).toEqual([
    1,
    `The shared emulator at ${url} has no world of this directory yet, ${first} (branch main). \`cloudemu env\` makes it.\n`,
  ]);
  expect(JSON.parse((await run(first, 'status --json')).stdout)).toMatchObject({ url, world: null });
  expect((await run(first, 'status --wait')).code).toBe(0);
  const made = await run(first, 'env');
  expect(made.stderr).toBe(
    `note: made the world shop-main of ${first} (branch main), in the shared emulator at ${url}\n`,
  );
  // Two at once.
  const [mine, same, theirs] = await Promise.all([
    client(first, '', runApart),
    client(first, '', runApart),
    client(second),
  ]);
  expect(mine).toMatchObject({ url: `${url}/w/shop-main` });
  expect(same.apiKey).toBe(mine.apiKey);
  expect(theirs.url).toMatch(/\/w\/shop-main-[0-9a-f]{8}$/);
  mkdirSync(join(first, 'src/deep'), { recursive: true });
  expect((await client(join(first, 'src/deep'))).url).toBe(mine.url);
  expect((await client(first, '--world second')).url).toBe(`${url}/w/second`);
  expect(JSON.parse((await run(first, 'status --json')).stdout)).toMatchObject({ world: 'shop-main', branch: 'main' });
});

it.concurrent('a branch that changes under a running world is told, and gets a world of its own', async () => {
  const { dir, client, run, startShared } = ground();
  const root = plainRoot(dir, 'shop');
  switchTo(root, 'main');
  await startShared();
  await (await client(root)).deploy('old');
  switchTo(root, 'fix/cart');
  const told = `note: this is the world shop-main of ${root} (branch main); now its branch is fix/cart, and \`cloudemu env\` makes the world of that\n`;
  for (const words of ['container list', 'clock', 'status', 'clock advance 1s'])
    expect(await run(root, words), words).toMatchObject({ code: 0, stderr: told });
  const next = await client(root);
  expect(next.url).toMatch(/\/w\/shop-fix-cart$/);
  expect(await next.names()).toEqual([]);
  expect(await run(root, 'container list')).toMatchObject({ code: 0, stderr: '', stdout: 'None.\n' });
  switchTo(root, '');
  expect((await client(root)).url).toMatch(/\/w\/shop-detached$/);
  switchTo(root, 'main');
  expect(await (await client(root)).names()).toEqual(['old']);
});

it.concurrent('the emulator of a directory is used before the shared one, and both are named', async () => {
  const { dir, client, run, start, startShared } = ground();
  const root = plainRoot(dir, 'shop');
  const shared = await startShared();
  const inShared = await client(root);
  const own = await start(root);
  expect((await client(root)).url).toBe(own.url);
  expect((await run(root, 'env')).stderr).toBe(
    `note: this is the emulator of this directory, ${root}; the shared one at ${shared.url} is not used (--shared uses it)\n`,
  );
  expect((await run(root, 'status')).stdout).toMatch(`Not used   the shared emulator at ${shared.url}`);
  expect((await client(root, '--shared')).url).toBe(inShared.url);
  await own.end();
  expect((await client(root)).url).toBe(inShared.url);
});

it.concurrent('world gc deletes the worlds whose directories are gone, and no others', async () => {
  const { dir, client, run, startShared } = ground();
  const [gone, kept] = [plainRoot(dir, 'gone'), plainRoot(dir, 'kept')];
  const { control } = await startShared();
  await Promise.all([client(gone), client(kept), client(gone, '--world second')]);
  await fetch(`${control}/worlds`, { method: 'POST', body: '{"id": "of-nobody"}' });
  expect((await run(kept, 'world gc')).stdout).toBe('No directory of a world is gone.\n');
  rmSync(gone, { recursive: true });
  const dry = await run(kept, 'world gc --dry-run');
  expect(dry.stdout).toBe(
    `Would delete gone: ${gone} is gone.\nWould delete second: ${gone} is gone.\nWould delete 2 worlds.\n`,
  );
  const { stdout } = await run(kept, 'world gc --json');
  expect(JSON.parse(stdout)).toMatchObject({ dropped: [{ id: 'gone', root: gone }, { id: 'second' }], total: 2 });
  const { worlds } = JSON.parse((await run(kept, 'world list --json')).stdout) as { worlds: { id: string }[] };
  expect(worlds.map(({ id }) => id)).toEqual(['default', 'kept', 'of-nobody']);
});

it.concurrent('a world begins as the snapshot that worlds.base names, and a reset returns to it', async () => {
  const { dir, client, run, startShared } = ground();
  const root = plainRoot(dir, 'shop');
  writeFileSync(
    join(root, 'emulator.config.json'),
    '{"worlds": {"base": "seeded"}, "containers": {"timing": "instant"}}',
  );
  const { url } = await startShared();
  const without = await run(root, 'env --json');
  const { error, next } = JSON.parse(without.stdout);
  expect([without.code, error.field, next]).toEqual([1, 'worlds.base', [`cloudemu snapshot take seeded --url ${url}`]]);
  const base = await client(root, `--url ${url}`);
  await base.deploy('base');
  await run(root, `snapshot take seeded --url ${url}`);
  const mine = await client(root);
  expect(await mine.names()).toEqual(['base']);
  await mine.deploy('mine');
  const { stdout } = await run(root, 'container list --json');
  const { containers } = JSON.parse(stdout) as { containers: { project_name: string; status: string }[] };
  expect(containers.find(({ project_name }) => project_name === 'mine')).toMatchObject({ status: 'running' });
  expect(await base.names()).toEqual(['base']);
  await run(root, `snapshot remove seeded --url ${url}`);
  expect((await run(root, 'reset')).code).toBe(0);
  expect(await mine.names()).toEqual(['base']);
  expect((await run(root, 'reset --scenario null')).code).toBe(0);
  expect(await (await client(root)).names()).toEqual([]);
});

it.concurrent('the world of a checkout has the settings of its directory', async () => {
  const { dir, run, startShared } = ground();
  const [eliza, plain] = [plainRoot(dir, 'eliza'), plainRoot(dir, 'plain')];
  const file = join(eliza, 'emulator.config.json');
  writeFileSync(file, '{"profile": "elizacloud-v1", "seed": 7, "clock": {"frozen": true}, "scenario": "rate-limited"}');
  await startShared();
  const variables = JSON.parse((await run(eliza, 'env --json')).stdout);
  expect(variables).toMatchObject({ ELIZAOS_CLOUD_API_KEY: expect.stringMatching(/^eliza_/) });
  expect(JSON.parse((await run(eliza, 'clock --json')).stdout)).toMatchObject({ frozen: true });
  expect(JSON.parse((await run(eliza, 'config show')).stdout).keys.prefix).toBe('eliza_');
  expect(JSON.parse((await run(plain, 'env --json')).stdout)).toMatchObject({
    CLOUD_API_KEY: expect.stringMatching(/^ek_/),
  });
  // Neither another scenario nor a reset takes them away.
  for (const words of ['scenario apply crash-loop', 'reset', 'reset --scenario null']) {
    expect(await run(eliza, words), words).toMatchObject({ code: 0 });
    expect(JSON.parse((await run(eliza, 'config show')).stdout).keys.prefix, words).toBe('eliza_');
    expect((await run(eliza, 'env')).stderr).not.toContain('profile');
  }
  writeFileSync(file, '{"profile": "elizacloud-v1", "containers": {"timing": "instant"}}');
  expect((await run(eliza, 'env')).stderr).toMatch(
    /changed since the world was made \(containers\.timing\): `cloudemu world drop eliza`/,
  );
  expect(existsSync(join(eliza, '.cloudemu'))).toBe(false);
});
