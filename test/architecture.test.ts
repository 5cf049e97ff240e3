// The layers and the habits of the source tree, held by a test.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = new URL('../src', import.meta.url).pathname;
const files = (readdirSync(src, { recursive: true }) as string[]).filter((file) => file.endsWith('.ts')).sort();
const sources = files.map((file) => {
  const text = readFileSync(join(src, file), 'utf8');
  const imports = [...text.matchAll(/(?:from|import\()\s*'([^']+)'/g)].map((match) => match[1] ?? '');
  return {
    file,
    text,
    lines: text.split('\n').length,
    /** Without comments and texts in backticks or quotes, so that words in them do not count. */
    code: text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').replace(/`[^`]*`|'[^'\n]*'/g, "''"),
    packages: imports
      .filter((name) => !name.startsWith('.'))
      .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name),
    modules: imports
      .filter((name) => name.startsWith('.'))
      .map((name) => normalize(join(dirname(file), name)).replace(/\.js$/, '.ts')),
  };
});

/** Which layers a layer may import from, besides itself. */
const layers: [layer: string, pattern: RegExp, below: string[]][] = [
  ['kernel', /^kernel\//, []],
  ['config', /^config\//, ['kernel']],
  ['store', /^store\//, ['kernel']],
  ['worlds', /^worlds\//, ['kernel', 'config', 'store']],
  ['registry', /^api\/(registry|openapi)\.ts$/, ['kernel', 'config', 'worlds', 'api', 'features']],
  ['api', /^api\//, ['kernel', 'config', 'worlds']],
  ['features', /^features\//, ['kernel', 'config', 'store', 'worlds', 'api']],
  ['controls', /^controls\//, ['kernel', 'config', 'store', 'worlds', 'api', 'features', 'registry']],
  ['http', /^http\//, ['kernel', 'config', 'store', 'worlds', 'api', 'features', 'registry', 'controls']],
  [
    'emulator',
    /^(hosting|control-plane|image-blobs|emulator|index)\.ts$/,
    ['kernel', 'config', 'store', 'worlds', 'api', 'features', 'registry', 'controls', 'http', 'client'],
  ],
  ['testing', /^testing(\.ts$|\/)/, ['kernel', 'features']],
  ['client', /^client(\.ts$|\/)/, ['kernel', 'store', 'api', 'controls']],
  ['vitest', /^vitest\.ts$/, ['kernel', 'controls', 'emulator', 'client']],
  ['cli', /^cli\//, ['kernel', 'config', 'controls', 'testing']],
  // Writes the reference pages; the program does not import it.
  ['docs', /^docs\//, ['kernel', 'config', 'api', 'features', 'registry', 'controls', 'cli']],
];
const layerOf = (file: string): string => layers.find(([, pattern]) => pattern.test(file))?.[0] ?? 'none';

/** What only certain files may do: a package or a pattern in code, and where. */
const only: [what: string, RegExp | string, where: RegExp][] = [
  ['koa', 'koa', /^http\//],
  ['@koa/router', '@koa/router', /^http\//],
  ['koa-body', 'koa-body', /^http\/body\.ts$/],
  ['busboy', 'busboy', /^http\/upload\.ts$/],
  ['better-sqlite3', 'better-sqlite3', /^store\//],
  ['lowdb', 'lowdb', /^(config|controls\/scenarios|cli\/commands\/init)/],
  ['yargs', 'yargs', /^cli\//],
  ['pino', 'pino', /^cli\/log\.ts$/],
  ['re2js', 're2js', /^kernel\/linear-regex\.ts$/],
  ['siwe', 'siwe', /^features\/wallet\/siwe-message\.ts$/],
  ['viem', 'viem', /^(features\/(wallet\/curve|payments\/recover)|testing\/[\w-]+)\.ts$/],
  // One module writes, so that nothing of a client reaches a terminal unescaped; tests print what cloudemu/vitest says.
  ['output', /\bprocess\.std(out|err)\b|\bconsole\.\w+\(/, /^(cli\/(print|terminal)|vitest)\.ts$/],
  ['real time', /\bDate\.now\(|new Date\(\)/, /^(kernel\/clock\.ts|cli\/)/],
  ['chance', /\bMath\.random\(|\brandomBytes\(/, /^kernel\/random\.ts$/],
  ['timers', /\bset(Timeout|Interval|Immediate)\(/, /^(kernel\/clock\.ts|http\/(sse|listen)\.ts|cli\/)/],
];

describe.each(sources.map((source) => [source.file, source] as const))('%s', (file, source) => {
  it('imports only from the layers below its own', () => {
    const allowed = layers.find(([layer]) => layer === layerOf(file))?.[2];
    expect(allowed, 'belongs to a layer').toBeDefined();
    const isCommand = /^cli\/(commands\/(start|run|openapi|config-check|completion)|log|port-holder|standby)\.ts$/.test(
      file,
    );
    const wrong = source.modules.filter(
      (module) => layerOf(module) !== layerOf(file) && allowed?.includes(layerOf(module)) === false,
    );
    expect(isCommand ? [] : wrong).toEqual([]);
  });

  it('keeps packages, time, chance and SQL in their rooms', () => {
    for (const [what, pattern, where] of only) {
      const found = typeof pattern === 'string' ? source.packages.includes(pattern) : pattern.test(source.code);
      if (found) expect(where.test(file), `${what} in ${file}`).toBe(true);
    }
    const sql = /'(SELECT|INSERT|UPDATE|DELETE) |`\s*(SELECT|INSERT|UPDATE|DELETE|CREATE) /.test(source.text);
    if (sql) expect(file).toMatch(/^(store\/|features\/\w+\/store\.ts)/);
  });

  it('says in its first line what it owns, is short, and exports by name', () => {
    expect(source.text.startsWith('// ')).toBe(true);
    expect(source.lines).toBeLessThanOrEqual(300);
    expect(source.code).not.toMatch(/export default|: any\b|as any\b|@ts-/);
    expect(source.code, 'mutable state of the module').not.toMatch(
      /^(let|var) |^(export )?const \w+(: [^=]+)? = new (Map|Set|WeakMap)\(\)/m,
    );
  });
});

it('loads viem and siwe on first use', () => {
  const heavy = ['features/wallet/curve.ts', 'features/wallet/siwe-message.ts', 'features/payments/recover.ts'];
  for (const { file, text } of sources) {
    if (file.startsWith('testing')) continue;
    const statics = [...text.matchAll(/^import (?!type)[^;]*? from '([^']+)'/gms)].map((match) => match[1] ?? '');
    for (const name of statics.filter((each) => each.startsWith('.')))
      expect(heavy, `${file} imports it at once`).not.toContain(
        normalize(join(dirname(file), name)).replace(/\.js$/, '.ts'),
      );
  }
});

it('has a median file of about a hundred lines', () => {
  const sizes = sources.map((source) => source.lines).sort((a, b) => a - b);
  expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(120);
});

it('lets features use each other only in their order', () => {
  const order = [
    'accounts',
    'credits',
    'quotas',
    'keys',
    'sessions',
    'wallet',
    'payments',
    'agents',
    'registry',
    'containers',
    'voice',
    'ai',
    'knowledge',
    'usage',
  ];
  const featureOf = (file: string): string | undefined => /^features\/(\w+)\//.exec(file)?.[1];
  for (const { file, modules } of sources) {
    const mine = featureOf(file);
    for (const module of modules) {
      const theirs = featureOf(module);
      if (mine !== undefined && theirs !== undefined && mine !== theirs)
        expect(order.indexOf(theirs), `${file} uses ${module}`).toBeLessThan(order.indexOf(mine));
    }
  }
});
