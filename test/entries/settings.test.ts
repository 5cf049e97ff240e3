// One set of settings: what `cloudemu start` reads, an emulator in a process reads too, in the same order.

import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CreateEmulatorOptions, createEmulator } from '../../src/index.js';
import { itFull } from '../support/campaign.js';
import { startCommand, tempDir } from '../support/command.js';

/** A project with a settings file, and a folder in it without one. */
function projectWith(settings: object | string) {
  const project = realpathSync(tempDir());
  writeFileSync(join(project, 'package.json'), '{}');
  const file = join(project, 'emulator.config.json');
  writeFileSync(file, typeof settings === 'string' ? settings : JSON.stringify(settings));
  mkdirSync(join(project, 'packages/shop'), { recursive: true });
  return { project, file, below: join(project, 'packages/shop') };
}

/** What an emulator in a process shows of itself, where it is started in a directory and an environment. */
async function inProcess(directory: string, options?: CreateEmulatorOptions, env: Record<string, string> = {}) {
  const before = { cwd: process.cwd(), env: process.env };
  const warnings: string[] = [];
  const hear = ({ message }: Error): void => void warnings.push(message);
  process.on('warning', hear);
  process.chdir(directory);
  process.env = { PATH: before.env.PATH, HOME: directory, TMPDIR: before.env.TMPDIR, ...env };
  try {
    const { controls, apiKey: key, port, url, close } = await createEmulator(options);
    const shown = { key, port, url, config: controls.config(), settings: controls.health().settings };
    await close();
    return { ...shown, warnings };
  } finally {
    process.chdir(before.cwd);
    process.env = before.env;
    process.off('warning', hear);
  }
}

describe('createEmulator', () => {
  it('reads the file of the nearest directory upwards, and says so', async () => {
    const { file, below } = projectWith({ profile: 'elizacloud-v1', prices: { deploy: 3 } });
    expect(await inProcess(below)).toMatchObject({
      key: expect.stringMatching(/^eliza_/),
      config: { profile: 'elizacloud-v1', prices: { deploy: 3 } },
      settings: { file, environment: [], profile: 'elizacloud-v1' },
      warnings: [],
    });
  });

  it('lets the environment override the file, and options the environment', async () => {
    const { file, project } = projectWith({ profile: 'elizacloud-v1', prices: { deploy: 3, image: 3 } });
    const env = { CLOUDEMU_PROFILE: 'spec', CLOUDEMU_PRICES_DEPLOY: '4', CLOUDEMU_URL: 'http://127.0.0.1:1' };
    expect(await inProcess(project, { prices: { image: 5 } }, env)).toMatchObject({
      key: expect.stringMatching(/^ek_test_/),
      config: { prices: { deploy: 4, image: 5 } },
      settings: { file, environment: ['CLOUDEMU_PRICES_DEPLOY', 'CLOUDEMU_PROFILE'], profile: 'spec' },
    });
  });

  itFull('leaves the file out where it is told to, also that of CLOUDEMU_CONFIG', async () => {
    const { file, project } = projectWith({ profile: 'elizacloud-v1' });
    const env = { CLOUDEMU_CONFIG: file, CLOUDEMU_PRICES_DEPLOY: '4' };
    expect(await inProcess(project, { configFile: false }, env)).toMatchObject({
      config: { profile: 'spec', prices: { deploy: 4 } },
      settings: { file: null, environment: ['CLOUDEMU_PRICES_DEPLOY'], profile: 'spec' },
    });
  });

  itFull('never takes the address or the data of an emulator that is started', async () => {
    const server = { port: 1, host: '192.0.2.1', publicUrl: 'https://emulator.example', controlToken: 'a-long-token' };
    const { project } = projectWith({ server: { ...server, maxBody: 2_048 }, worlds: { persist: true } });
    const env = { CLOUDEMU_PORT: '2', CLOUDEMU_DATA_DIR: 'state', CLOUDEMU_EPHEMERAL: 'false' };
    const emulator = await inProcess(project, {}, env);
    expect(emulator).toMatchObject({
      url: `http://127.0.0.1:${emulator.port}`,
      config: {
        server: { port: 0, host: 'localhost', publicUrl: null, controlToken: null, maxBody: 2_048 },
        data: { ephemeral: true },
        worlds: { persist: false },
      },
      settings: { environment: [] },
    });
    // Unless an option says so.
    const publicUrl = 'https://mine.example';
    expect(await inProcess(project, { dataDir: 'mine', publicUrl }, env)).toMatchObject({
      url: publicUrl,
      config: { data: { dir: 'mine', ephemeral: false } },
    });
  });

  it('names the file and the field of a mistake', async () => {
    const { file, below } = projectWith({ server: { port: 'x' }, prices: { deploi: 1 } });
    const mistake = await inProcess(below).catch((error: Error) => error);
    expect(mistake).toMatchObject({
      name: 'ConfigError',
      message: [
        `${file}: server.port must be a number, got "x"`,
        `${file}: prices.deploi is unknown; did you mean "deploy"?`,
      ].join('\n'),
    });
    await expect(inProcess(below, { configFile: 'no.json' })).rejects.toThrow('(createEmulator: configFile)');
    const text = projectWith('{ "profile" }');
    await expect(inProcess(text.below)).rejects.toThrow(`${text.file}: `);
  });

  it('warns of variables that are no settings', async () => {
    const { project } = projectWith({});
    const { warnings } = await inProcess(project, {}, { CLOUDEMU_PROFIL: 'spec' });
    expect(warnings).toEqual([
      expect.stringContaining('CLOUDEMU_PROFIL is not a setting; did you mean CLOUDEMU_PROFILE?'),
    ]);
  });
});

it('paths in a file count from its directory, for the command and in a process', async () => {
  const { project, below } = projectWith({
    scenario: './begin.json',
    data: { dir: 'state', scenarios: 'stories' },
    replies: { folder: 'answers' },
    voice: { speech: [{ match: { text: 'hello' }, file: 'hello.mp3' }] },
  });
  writeFileSync(join(project, 'begin.json'), '{ "title": "Begin", "data": { "credits": 7 } }');
  writeFileSync(join(project, 'hello.mp3'), 'sound');
  for (const folder of ['stories', 'answers']) mkdirSync(join(project, folder));
  const places = {
    scenario: join(project, 'begin.json'),
    data: { scenarios: join(project, 'stories') },
    replies: { folder: join(project, 'answers') },
    voice: { speech: [{ file: join(project, 'hello.mp3') }] },
  };
  expect((await inProcess(below)).config).toMatchObject(places);
  const emulator = await startCommand([], { cwd: below });
  expect(emulator.dataDir).toBe(join(project, 'state'));
  const health = await (await fetch(emulator.health)).json();
  expect(health).toMatchObject({ settings: { file: join(project, 'emulator.config.json'), environment: [] } });
  expect(await (await fetch(`${emulator.control}/config`)).json()).toMatchObject(places);
});

itFull('what no setting places is in the root directory', async () => {
  const { project, below } = projectWith({});
  mkdirSync(join(project, 'scenarios'));
  writeFileSync(join(project, 'scenarios/mine.json'), '{ "title": "Mine", "data": { "credits": 7 } }');
  const emulator = await startCommand(['--scenario', 'mine'], { cwd: below });
  expect(emulator.dataDir).toBe(join(project, '.cloudemu'));
});
