// What `npm install cloudemu` brings: SQLite and nothing else, no sources, and pages whose links lead somewhere.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { itFull } from '../support/campaign.js';
import { guides, reference } from '../support/pages.js';

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

it('installs SQLite and nothing else', () => {
  expect(Object.keys(installed).filter((name) => !name.startsWith('better-sqlite3'))).toEqual([]);
  expect(Object.keys(manifest.peerDependencies ?? {})).toEqual(['vitest']);
});

it('has bundles that need nothing but what is installed', async () => {
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

itFull('packs less than 4 MB, no sources, and what its pages link to', () => {
  const { size, files } = pack();
  const paths = files.map(({ path }) => path);
  expect(size).toBeLessThan(4_000_000);
  expect(
    paths.filter((path) => !/^(dist|docs|fixtures|test\/recipes)\/|^(package\.json|README\.md|LICENSE)$/.test(path)),
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
