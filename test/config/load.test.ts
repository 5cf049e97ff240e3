// Settings: what stands over what, and what a bad one is told.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/config/error.js';
import { type ConfigSources, loadConfig } from '../../src/config/load.js';
import { createEmulator } from '../../src/index.js';
import { tempDir } from '../support/command.js';
import { expectRecorded } from '../support/transcript.js';

const dirs: string[] = [];
afterEach(() => {
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true });
});

/** A directory whose settings file holds this. */
function withFile(content: unknown, name = 'emulator.config.json'): string {
  const dir = tempDir();
  dirs.push(dir);
  writeFileSync(join(dir, name), typeof content === 'string' ? content : JSON.stringify(content));
  return dir;
}

const empty = (): string => withFile('', 'unrelated');
const load = (sources: ConfigSources) => loadConfig({ cwd: empty(), ...sources }).config;

function problemsOf(sources: ConfigSources): readonly string[] {
  try {
    loadConfig({ cwd: empty(), ...sources });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

it('the flag --timing takes a duration for each stage as JSON', () => {
  const timing = { pending: '1s', building: '2s', deploying: '3s' };
  expect(load({ flags: { timing: JSON.stringify(timing) } }).containers.timing).toEqual(
    load({ settings: { containers: { timing } } }).containers.timing,
  );
  expect(problemsOf({ flags: { timing: '{"pending"' } })).toEqual([
    expect.stringMatching(/--timing must be one of instant, fast, realistic, or an object, got /),
  ]);
});

it('the option config or configFile takes a file in process, and what are no options is refused', async () => {
  const file = join(withFile({ seed: 'of the file' }), 'emulator.config.json');
  for (const options of [{ config: file }, { configFile: file }]) {
    const emulator = await createEmulator(options);
    expect(emulator.controls.config().seed).toBe('of the file');
    await emulator.close();
  }
  for (const none of [null, [], 'port']) {
    await expect(createEmulator(none as never)).rejects.toThrow(/createEmulator takes an object of options, got /);
  }
});

it.each([
  ['Sarah', /; did you mean "EXAVITQu4vr4xnSDxMaL"\?$/],
  ['21m00Tcm4TlvDq8ikWAN', /; did you mean "21m00Tcm4TlvDq8ikWAM"\?$/],
  ['none', /, got "none"$/],
])('the default voice may not be %s', (defaultVoice, hint) => {
  const start = `createEmulator: voice.defaultVoice must be the id of a voice, as GET /api/v1/voice/list?includePremade=true shows it, got "${defaultVoice}"`;
  expect(problemsOf({ settings: { voice: { defaultVoice } } })).toEqual([expect.stringContaining(start)]);
  expect(problemsOf({ settings: { voice: { defaultVoice } } })).toEqual([expect.stringMatching(hint)]);
  expect(problemsOf({ env: { CLOUDEMU_VOICE_DEFAULT_VOICE: defaultVoice } })).toHaveLength(1);
});

it.each(['EXAVITQu4vr4xnSDxMaL', 'q0YrWmU3bDk5sJx8VtLe', '6f1f1a3c-7a52-4d0e-9a52-3b4d8f0c1e2d', null])(
  'the default voice may be %s: what a clone may be called is not refused',
  (defaultVoice) => {
    expect(load({ settings: { voice: { defaultVoice } } }).voice.defaultVoice).toBe(defaultVoice);
  },
);

describe('precedence', () => {
  it('begins with the defaults', () => {
    expect(loadConfig({ cwd: empty() })).toMatchObject({
      file: null,
      warnings: [],
      config: { server: { port: 4747 }, profile: 'spec', keys: { prefix: 'ek_test_' } },
    });
  });

  it('a profile overrides the defaults', () => {
    expect(load({ flags: { profile: 'elizacloud-v1' } })).toMatchObject({
      keys: { prefix: 'eliza_' },
      errors: { style: 'flat' },
    });
  });

  it('the file overrides the profile', () => {
    const { keys, errors } = load({ cwd: withFile({ profile: 'elizacloud-v1', keys: { prefix: 'mine_' } }) });
    expect([keys.prefix, errors.style]).toEqual(['mine_', 'flat']);
  });

  it('the environment overrides the file', () => {
    expect(load({ cwd: withFile({ server: { port: 1 } }), env: { CLOUDEMU_PORT: '2' } }).server.port).toBe(2);
  });

  it('a flag overrides the environment', () => {
    expect(
      load({ cwd: withFile({ server: { port: 1 } }), env: { CLOUDEMU_PORT: '2' }, flags: { port: 3 } }).server.port,
    ).toBe(3);
  });

  it('a flag can ask for no scenario, and for no other thing of that name', () => {
    const cwd = withFile({ scenario: 'quota-reached' });
    expect(load({ cwd }).scenario).toBe('quota-reached');
    expect(load({ cwd, flags: { scenario: 'none' } }).scenario).toBe(null);
    expect(load({ cwd, flags: { scenario: './none' } }).scenario).toBe('./none');
  });

  it('the profile itself may come from anywhere, by the same rule', () => {
    const cwd = withFile({ profile: 'elizacloud-v1' });
    expect(load({ cwd }).profile).toBe('elizacloud-v1');
    expect(load({ cwd, env: { CLOUDEMU_PROFILE: 'spec' } }).keys.prefix).toBe('ek_test_');
    expect(load({ cwd, env: { CLOUDEMU_PROFILE: 'spec' }, flags: { profile: 'elizacloud-v1' } }).keys.prefix).toBe(
      'eliza_',
    );
  });

  it('the long name of a variable means the same as the short', () => {
    expect(load({ env: { CLOUDEMU_CONTAINERS_TIMING: 'instant' } }).containers.timing).toBe('instant');
    expect(load({ env: { CLOUDEMU_TIMING: 'instant' } }).containers.timing).toBe('instant');
  });

  it('leaves the neighbours of a setting alone', () => {
    const { quotas, rateLimits } = load({ cwd: withFile({ rateLimits: { presets: { STANDARD: { limit: 5 } } } }) });
    expect(rateLimits.presets.STANDARD).toEqual({ limit: 5, window: 60_000 });
    expect(rateLimits.presets.CRITICAL).toEqual({ limit: 5, window: 300_000 });
    expect(quotas.enabled).toBe(true);
  });

  it('--strict and --quiet mean several settings', () => {
    expect(load({ flags: { strict: true } }).strict).toEqual({ inputs: true, guesses: true, responses: true });
    expect(load({ flags: { quiet: true } }).log).toMatchObject({ requests: false, banner: false });
    expect(load({ flags: { quiet: false }, env: { CLOUDEMU_QUIET: '1' } }).log).toMatchObject({
      requests: true,
      banner: true,
    });
  });
});

describe('the file', () => {
  it('is emulator.config.json of the directory', () => {
    const cwd = withFile({ seed: 'x' });
    expect(loadConfig({ cwd }).file).toBe(join(cwd, 'emulator.config.json'));
  });

  it('is that of the nearest directory above which has one', () => {
    const cwd = withFile({ seed: 'x' });
    const below = join(cwd, 'a', 'b');
    mkdirSync(below, { recursive: true });
    expect(loadConfig({ cwd: below }).file).toBe(join(cwd, 'emulator.config.json'));
    writeFileSync(join(cwd, 'a', 'emulator.config.json'), '{}');
    expect(loadConfig({ cwd: below }).file).toBe(join(cwd, 'a', 'emulator.config.json'));
  });

  it('of this repository says what the defaults say: tests in which emulators read it have exact defaults', () => {
    const { config } = loadConfig({ file: 'emulator.config.json' });
    expect({ ...config, $schema: undefined }).toEqual({ ...load({}), $schema: undefined });
  });

  it('is the one asked for, then that of CLOUDEMU_CONFIG', () => {
    const cwd = withFile({ seed: 'mine' }, 'mine.json');
    writeFileSync(join(cwd, 'yours.json'), '{"seed": "yours"}');
    expect(load({ cwd, file: 'mine.json', env: { CLOUDEMU_CONFIG: 'yours.json' } }).seed).toBe('mine');
    expect(load({ cwd, env: { CLOUDEMU_CONFIG: 'yours.json' } }).seed).toBe('yours');
    expect(load({ cwd, env: { CLOUDEMU_CONFIG: '' } }).seed).toBeNull();
  });

  it('is not looked for when none is wanted', () => {
    expect(load({ cwd: withFile('{'), file: null }).seed).toBeNull();
  });

  it('may begin with a byte order mark and name its schema', () => {
    expect(load({ cwd: withFile('\uFEFF{"$schema": "./x.json", "seed": 5}') }).seed).toBe('5');
  });

  it('that is missing is told with who asked for it', () => {
    const cwd = empty();
    expect(problemsOf({ cwd, file: 'x.json' })).toEqual([
      `${join(cwd, 'x.json')}: there is no such file (--config). \`cloudemu init\` writes an emulator.config.json.`,
    ]);
    expect(problemsOf({ cwd, env: { CLOUDEMU_CONFIG: 'x.json' } })[0]).toContain('(CLOUDEMU_CONFIG)');
  });

  it('may name a folder of replies that is not there yet, with a warning', () => {
    const cwd = withFile({ replies: { folder: 'no-such-folder' } });
    expect(loadConfig({ cwd }).warnings).toEqual([
      `${join(cwd, 'emulator.config.json')}: replies.folder: there is no directory ${resolve('no-such-folder')}`,
    ]);
  });

  it('has no control characters in the name of the platform, and no NUL in a path', () => {
    const cwd = withFile({ service: { name: 'a\nb' }, data: { scenarios: 'a\0b' } });
    expect(problemsOf({ cwd }).join()).toMatch(
      /service\.name must not contain control characters.*data\.scenarios must not contain NUL/,
    );
  });

  it('that is a directory is reported', () => {
    const cwd = empty();
    expect(problemsOf({ cwd, file: '.' })).toEqual([`${cwd}: must be a file, is a directory`]);
  });
});

describe('a bad value is told with its source, its path, what came and the nearest right one', () => {
  it('in a file, in flags and in the environment', () =>
    expectRecorded(join(import.meta.dirname, 'bad-settings.txt'), (line) => {
      const [, name = '', value = ''] = /^(flags|CLOUDEMU_\w+)[ =](.*)$/.exec(line) ?? [];
      if (name === 'flags') return problemsOf({ flags: JSON.parse(value) }).join('\n');
      if (name !== '') return problemsOf({ env: { [name]: value } }).join('\n');
      const cwd = withFile(line);
      return problemsOf({ cwd }).join('\n').replaceAll(join(cwd, 'emulator.config.json'), 'FILE');
    }));

  it.each(['PROMPT_COMMAND', 'BASH_ENV', 'PATH', '_URL', 'NODE_OPTIONS', 'cloud_URL', 'CLOUD_URL_X'])(
    'no variable %s, by which a checkout could run what it likes',
    (name) => {
      const problem = `must be capital letters, digits and underscores that end in _URL or _KEY, got "${name}"`;
      expect(problemsOf({ cwd: withFile({ env: { baseUrl: ['CLOUD_BASE_URL', name] } }) })).toEqual([
        expect.stringContaining(`env.baseUrl[1] ${problem}`),
      ]);
      expect(problemsOf({ cwd: withFile({ env: { apiKey: [name] } }) })).toEqual([
        expect.stringContaining(`env.apiKey[0] ${problem}`),
      ]);
    },
  );

  it('names the source that was in force', () => {
    expect(problemsOf({ cwd: withFile({ server: { port: 'x' } }), flags: { port: 99_999 } })).toEqual([
      '--port must be at most 65535, got 99999',
    ]);
    expect(problemsOf({ cwd: withFile({ server: { port: 'x' } }), flags: { port: 1 } })).toEqual([]);
  });

  it('in process, speaks of the options', async () => {
    await expect(createEmulator({ port: 99_999 })).rejects.toThrow(
      /^createEmulator: port must be at most 65535, got 99999$/,
    );
    await expect(createEmulator({ dataDir: '' })).rejects.toThrow(
      /^createEmulator: dataDir must not be empty, got ""$/,
    );
    await expect(createEmulator({ log: { format: 'x' as 'json' } })).rejects.toThrow(
      /^createEmulator: log\.format must be one of auto, pretty, json, got "x"$/,
    );
  });

  it('never repeats the control token', () => {
    expect(problemsOf({ flags: { 'control-token': 'hunter2' } })).toEqual([
      '--control-token must be at least 8 characters long, got a string of 7 characters',
    ]);
  });

  it('reports them all, and which file was read', () => {
    const cwd = withFile({ server: { port: 'x' }, log: { format: 'x' } });
    const error = (() => {
      try {
        loadConfig({ cwd });
      } catch (thrown) {
        return thrown as ConfigError;
      }
      return undefined;
    })();
    expect(error?.problems).toHaveLength(2);
    expect(error?.message).toBe(error?.problems.join('\n'));
    expect(error?.file).toBe(join(cwd, 'emulator.config.json'));
  });
});
