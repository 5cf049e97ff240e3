// The image: its file system, put together without an engine, run as engines run it.

import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import { notWaitedMs, type RunningCommand, run, startCommand } from '../support/command.js';
import { assembleImage, inImage, librariesOf, readImage } from '../support/image.js';
import { smoke } from '../support/smoke.js';

const image = readImage();
let folder: string;
beforeAll(() => {
  folder = assembleImage(image);
});

/** Starts it as the Dockerfile says; a port of its own stands in the place of the image's. */
function start(env: Record<string, string> = {}) {
  const [word = '', ...flags] = image.command;
  expect(word).toBe('start');
  const options = inImage(image, folder, env);
  return startCommand(flags, options).then((emulator) => ({ emulator, options }));
}

it('the image passes the smoke test, its data in the volume', () => smoke(inImage(image, folder), image.volume));

it('the image needs no library that its base image lacks', () => {
  expect(image.base).toBe('gcr.io/distroless/cc-debian12:nonroot');
  // These are of libc6, libgcc-s1 and libstdc++6.
  const there = /^(ld-linux-x86-64|libc|libdl|libm|libpthread|librt|libgcc_s|libstdc\+\+)\.so\.\d$/;
  expect([...librariesOf('dist/cloudemu').keys()].filter((name) => !there.test(name))).toEqual([]);
});

it('the image runs as process 1 and an unprivileged user, and ends without waiting for an open stream', async () => {
  const { emulator } = await start();
  expect(emulator.pid).toBe(1);
  const [inside] = childrenOf(String(emulator.child.pid)).flatMap(childrenOf);
  const status = readFileSync(`/proc/${inside}/status`, 'utf8');
  expect(status).toMatch(new RegExp(`^Uid:(\t${image.user}){4}$`, 'm'));
  expect(status).toMatch(/^CapEff:\t0+$/m);
  const stream = await fetch(`${emulator.control}/events`);
  expect(stream.status).toBe(200);
  const { ms, code, stderr } = await emulator.end();
  expect([code, stderr]).toEqual([0, '']);
  expect(ms).toBeLessThan(notWaitedMs);
  await stream.body?.cancel().catch(() => {});
});

it('the image checks its own health', async () => {
  const { emulator, options } = await start();
  const [name, ...args] = image.health;
  expect([name]).toEqual(image.entrypoint);
  expect(await run(args, options)).toMatchObject({ code: 0, stdout: expect.stringContaining('cloudemu is ready') });
  await emulator.end();
  expect(await run(args, options)).toMatchObject({ code: 1, stderr: expect.stringContaining('Not ready') });
});

it('the image returns URLs that other containers can reach', async () => {
  const { emulator } = await start({
    CLOUDEMU_PUBLIC_URL: 'http://emulator:4747',
    CLOUDEMU_CONTAINERS_TIMING: 'instant',
  });
  const body = { name: 'Shop', project_name: 'shop', ecr_image_uri: 'registry.local/shop:v1' };
  const headers = { authorization: `Bearer ${emulator.apiKey}` };
  const created = await fetch(`${at(emulator)}/api/v1/containers`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const { id } = (await created.json()).data;
  const { url } = (await (await fetch(`${at(emulator)}/api/v1/containers/${id}`, { headers })).json()).data;
  expect(url).toMatch(/^http:\/\/emulator:4747\/_containers\/\w+-shop$/);
  expect(await statusAsNeighbour(emulator, new URL(url))).toBe(200);
  await emulator.end();
});

const childrenOf = (pid: string): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);

const at = ({ port }: RunningCommand): string => `http://127.0.0.1:${port}`;

/** The answer to a neighbour who knows the emulator by the name in the URL. */
function statusAsNeighbour({ port }: RunningCommand, { host, pathname }: URL): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: pathname, headers: { host } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on('error', reject);
  });
}
