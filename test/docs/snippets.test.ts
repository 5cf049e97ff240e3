// Every snippet of README.md and docs/*.md does what its page says.
//
// `sh`: all of a page run in order in one shell, against an emulator of the page's own; of most pages only in
// `npm run test:full`, while `npm test` checks that their commands and flags exist. `ts` and `js`: each is a program, of which `npm test` runs those of a few pages.
// `json` and `yaml` must be valid. A snippet with a file name behind its language is written to that file first.
// A comment `=> text` says what the snippet prints. Exceptions are marked behind the language: `no-run` is not executed,
// `full` only in `npm run test:full`. Other languages (`text`) are not executed.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createEmulator } from '../../src/index.js';
import { aiSdk } from '../support/ai-sdk.js';
import { isFull, sampleOf } from '../support/campaign.js';
import { writeDocker } from '../support/docker.js';
import { linkInto } from '../support/installed.js';
import { guides, promisesOf, type Snippet, snippetsOf } from '../support/pages.js';
import { createProject } from '../support/project.js';
import { itNeeds } from '../support/tools.js';
import { usageErrorIn } from '../support/usage-errors.js';

const run = promisify(execFile);
const patienceMs = 200_000;

/** The page whose shell runs in `npm test`; in the others it checks the command lines only: a process for each takes long. */
const quickPage = 'README.md';
/** The pages whose programs are run. */
const runPages = new Set(isFull ? guides : [quickPage, ...sampleOf(guides)]);

let project: string;
/** The output of each program, by page and line. */
let printed: Map<string, string[]>;
beforeAll(async () => {
  project = createProject();
  if (isFull) linkInto(project, aiSdk());
  printed = await runPrograms(guides.flatMap((page) => programsOf(page).map((snippet) => ({ page, snippet }))));
});

function chosenOf(page: string): Snippet[] {
  return snippetsOf(page).filter(({ mark }) => mark === undefined || (mark === 'full' && isFull));
}

function programsOf(page: string): Snippet[] {
  return chosenOf(page).filter(
    ({ language, file }) => /^[tj]s$/.test(language) && file === undefined && runPages.has(page),
  );
}

describe.each(guides)('%s', (page) => {
  const snippets = snippetsOf(page);
  const shell = chosenOf(page).filter(({ language }) => language === 'sh');
  const programs = programsOf(page);
  const pushes = shell.some(({ text }) => text.includes('docker push'));

  it('has snippets in known languages, and valid data', () => {
    // Without this, a snippet would go unseen whose fence is indented, or has no language or three words.
    expect(readFileSync(page, 'utf8').match(/^\s*```/gm) ?? []).toHaveLength(2 * snippets.length);
    for (const { language, file, text, line } of snippets) {
      if (file !== undefined) expect(file, `line ${line}: neither a file nor a mark`).toContain('.');
      expect(['sh', 'ts', 'js', 'json', 'yaml', 'text'], `line ${line}`).toContain(language);
      if (language === 'json') JSON.parse(text);
      if (language === 'yaml') parse(text);
    }
  });

  it('names commands, arguments and flags that there are', () => {
    for (const { text, line } of snippets.filter(({ language }) => language === 'sh')) {
      for (const argv of commandLinesIn(text))
        expect(usageErrorIn(argv), `line ${line}: ${argv.join(' ')}`).toBeUndefined();
    }
  });

  if (shell.length > 0 && (isFull || page === quickPage))
    (pushes ? itNeeds('skopeo') : it)('prints in a shell what it promises', async () => {
      const stdout = await runShell(shell, directoryOf(snippets), pushes);
      let from = 0;
      for (const promise of shell.flatMap(promisesOf)) {
        const at = stdout.indexOf(promise, from);
        expect(at, `"${promise}" is missing in: ${stdout.slice(from)}`).toBeGreaterThanOrEqual(0);
        from = at + promise.length;
      }
    });

  it.each(programs.map((program) => [program.line, program] as const))(
    'runs the program of line %i',
    (line, program) => {
      const promises = promisesOf(program);
      expect(promises).not.toEqual([]);
      expect(printed.get(`${page}:${line}`)).toEqual(promises);
    },
  );
});

/** The words behind each `cloudemu`, up to the end of that command. */
function commandLinesIn(script: string): string[][] {
  const lines = script
    .replaceAll('\\\n', ' ')
    .matchAll(/(?:^|[(|;&] *|\bnpx )cloudemu +((?:'[^']*'|"[^"]*"|[^'"\n|&;>#)])*)/gm);
  return [...lines].map(([, line = '']) =>
    [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replace(/^(['"])(.*)\1$/s, '$2')),
  );
}

/** A directory for a page in the project, with the files of the page and a client that `npm test` runs. */
function directoryOf(snippets: readonly Snippet[]): string {
  const directory = mkdtempSync(join(project, 'page-'));
  // Its own root: scenarios and replies of the page are found in it.
  mkdirSync(join(directory, '.git'));
  cpSync('test/clients/well-behaved.mjs', join(directory, 'client.mjs'));
  cpSync('test/recipes/vitest/cloud.ts', join(directory, 'cloud.ts'));
  for (const { file, text } of snippets) {
    if (file === undefined) continue;
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
  return directory;
}

async function runShell(snippets: readonly Snippet[], directory: string, pushes: boolean): Promise<string> {
  const script = snippets.map(({ text }) => text).join('\n');
  const tools = join(directory, 'tools');
  mkdirSync(tools);
  // npx and npm take half a second each to find what is beside them.
  writeFileSync(join(tools, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  writeFileSync(join(tools, 'npm'), '#!/bin/sh\n[ "$*" = test ] && exec node client.mjs\n', { mode: 0o755 });
  if (pushes) await writeDocker(tools);
  const startsItsOwn = /cloudemu start/.test(script);
  const replies = join(directory, 'replies');
  const settings = existsSync(replies) ? { replies: { folder: replies } } : {};
  const emulator = startsItsOwn ? undefined : await createEmulator({ seed: '42', ...settings });
  const path = `${tools}:${join(project, 'node_modules/.bin')}:${process.env.PATH ?? ''}`;
  const where = emulator === undefined ? { CLOUDEMU_PORT: '0' } : { CLOUDEMU_URL: emulator.url };
  const env = { PATH: path, HOME: directory, XDG_RUNTIME_DIR: directory, NO_COLOR: '1', ...where };
  try {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: directory,
      env,
      timeout: patienceMs,
    });
    return stdout;
  } finally {
    await emulator?.close();
    // A script that fails half-way leaves its emulator behind.
    if (startsItsOwn)
      await run('bash', ['-c', 'cloudemu stop || true; cloudemu stop --shared || true'], { cwd: directory, env });
  }
}

/** Runs programs one after the other, in one process that loads their packages once. */
async function runPrograms(programs: readonly { page: string; snippet: Snippet }[]): Promise<Map<string, string[]>> {
  const directory = mkdtempSync(join(project, 'programs-'));
  const steps = programs.map(({ page, snippet }, index) => {
    // Node 20 does not read TypeScript.
    writeFileSync(join(directory, `${index}.mjs`), transformSync(snippet.text, { loader: 'ts' }).code);
    return `console.log('program ${page}:${snippet.line}'); await import('./${index}.mjs').catch(console.log);`;
  });
  writeFileSync(join(directory, 'all.mjs'), steps.join('\n'));
  const emulator = await createEmulator();
  try {
    const { stdout } = await run(process.execPath, ['all.mjs'], {
      cwd: directory,
      env: { PATH: process.env.PATH, HOME: directory, CLOUDEMU_URL: emulator.url },
    });
    const parts = stdout.split(/^program /m).slice(1);
    return new Map(
      parts.map((part) => {
        const [name = '', ...lines] = part.split('\n').slice(0, -1);
        return [name, lines];
      }),
    );
  } finally {
    await emulator.close();
  }
}
