// The package that `npm install cloudemu` brings: SQLite and nothing else, no sources, and pages whose links lead somewhere.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { itFull } from '../support/campaign.js';
import { guides, reference } from '../support/pages.js';
import { createProject, runIn } from '../support/project.js';

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, Record<string, string>>;
const installed = { ...manifest.dependencies, ...manifest.optionalDependencies };

interface Packed {
  size: number;
  files: { path: string }[];
}

function pack(): Packed {
  // Nothing is built and nothing is asked of a registry.
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
  const answer = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  // A list of packages; from npm 12 on an object by their names.
  return Object.values(answer as Record<string, Packed>)[0] as Packed;
}

it('the package installs SQLite and nothing else', () => {
  expect(Object.keys(installed).filter((name) => !name.startsWith('better-sqlite3'))).toEqual([]);
  // A range of vitest here ends every `npm install` of npm 10, which Node 20 has, in an error of npm's own.
  expect(manifest.peerDependencies).toBeUndefined();
  expect(manifest.peerDependenciesMeta).toEqual({ vitest: { optional: true } });
});

// An older Vitest knows no fixtures of a worker: it hands them out as they are declared.
itFull('the package says which Vitest it needs', async () => {
  const project = createProject();
  const older = join(project, 'node_modules/vitest');
  rmSync(older);
  mkdirSync(older);
  writeFileSync(join(older, 'package.json'), '{ "name": "vitest", "type": "module", "exports": "./index.js" }');
  writeFileSync(
    join(older, 'index.js'),
    `export const describe = () => {};
     export const expect = () => {};
     export const fixtures = {};
     export const test = { extend: (more) => Object.assign(fixtures, more) && test };`,
  );
  writeFileSync(
    join(project, 'use.mjs'),
    `import 'cloudemu/vitest';
     import { fixtures } from 'vitest';
     await fixtures.world({ ...fixtures }, () => {}).catch(({ message }) => console.log(message));`,
  );
  expect(await runIn(project, [process.execPath, 'use.mjs'])).toMatchObject({
    stdout: 'cloudemu/vitest needs Vitest 3.2 or later\n',
    code: 0,
  });
});

itFull('the package has bundles that need nothing but what is installed', async () => {
  const { metafile } = await build({
    stdin: {
      contents: readdirSync('dist')
        .filter((name) => /\.c?js$/.test(name))
        .map((name) => `import './${name}';`)
        .join('\n'),
      resolveDir: 'dist',
    },
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  const there = [...builtinModules, ...Object.keys(installed)];
  const missing = Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
    imports
      .filter(({ external, path }) => external === true && path !== '<runtime>')
      .map(({ path }) => path.replace(/^node:/, ''))
      .filter((name) => !there.some((known) => name === known || name.startsWith(`${known}/`)))
      .filter((name) => !(name === 'vitest' && file === 'dist/vitest.js'))
      .map((name) => `${file} needs ${name}`),
  );
  expect(missing).toEqual([]);
  expect(Object.keys(metafile.inputs)).toEqual(expect.arrayContaining(['dist/main.cjs', 'dist/emulator.cjs']));
});

itFull('the package packs less than 4 MB, no sources, and what its pages link to', () => {
  const { size, files } = pack();
  const paths = files.map(({ path }) => path);
  expect(size).toBeLessThan(4_000_000);
  expect(
    paths.filter(
      (path) => !/^(dist|docs|fixtures|test\/recipes)\/|^(package\.json|(README|AGENTS)\.md|LICENSE)$/.test(path),
    ),
  ).toEqual([]);
  expect(paths.filter((path) => /^dist\/dashboard\/(index\.html|(app|style)-\w+\.(js|css))$/.test(path))).toHaveLength(
    3,
  );
  const links = [...guides, ...reference].flatMap((page) =>
    [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, to = '']) =>
      join(dirname(page), to),
    ),
  );
  expect(links).not.toEqual([]);
  expect(links.filter((link) => !paths.some((path) => path === link || path.startsWith(`${link}/`)))).toEqual([]);
});
