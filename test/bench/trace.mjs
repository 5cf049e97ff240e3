// Which functions of the sources an action runs: `npm run trace -- create`. Needs Node 22.15 or newer.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { registerHooks } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';

const sourcesUrl = new URL('../../src/', import.meta.url).href;
const sources = fileURLToPath(sourcesUrl);

// The sources themselves are loaded, so that V8 counts their functions and not those of a bundle.
registerHooks({
  resolve(specifier, context, next) {
    const isOurs = specifier.startsWith('.') && context.parentURL?.startsWith(sourcesUrl);
    return next(isOurs ? specifier.replace(/\.js$/, '.ts') : specifier, context);
  },
  load(url, context, next) {
    const isJson = url.endsWith('.json') && !url.includes('/node_modules/');
    if (!isJson && !url.endsWith('.ts')) return next(url, context);
    const text = readFileSync(fileURLToPath(url), 'utf8');
    const source = isJson ? `export default ${text}` : transformSync(text, { loader: 'ts', target: 'es2023' }).code;
    return { format: 'module', source, shortCircuit: true };
  },
});

const { createEmulator } = await import('../../src/index.ts');
const emulator = await createEmulator({ port: 0, configFile: false });

async function send(method, path, body) {
  const response = await fetch(`${emulator.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  await response.text();
}

let made = 0;
const name = () => `traced-${++made}`;
await emulator.controls.snapshots.take({ name: 'traced' });

const actions = {
  create: () =>
    send('POST', '/api/v1/containers', {
      name: name(),
      project_name: name(),
      ecr_image_uri: '123456789012.dkr.ecr.us-east-1.amazonaws.com/traced:1',
      port: 3000,
    }),
  list: () => send('GET', '/api/v1/containers'),
  balance: () => send('GET', '/api/v1/credits/balance'),
  agent: () => send('POST', '/api/v1/app/agents', { name: name() }),
  chat: () =>
    send('POST', '/api/v1/chat/completions', { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hello' }] }),
  restore: () => emulator.controls.snapshots.restore('traced'),
  world: () => emulator.createWorld(),
};

const [asked = 'create', ...rest] = process.argv.slice(2);
const showsFunctions = rest.includes('--functions');
const names = asked === 'all' ? Object.keys(actions) : [asked];
const unknown = names.find((one) => actions[one] === undefined);
if (unknown !== undefined)
  throw new Error(`There is no action "${unknown}". Name one of: all, ${Object.keys(actions).join(', ')}`);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** The functions that ran, each with its file and how often it was called; what a module does when it loads is not one. */
async function functionsOf(action) {
  await session.post('Profiler.takePreciseCoverage');
  await action();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result
    .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(sources))
    .flatMap(({ url, functions }) =>
      functions
        .filter(
          ({ functionName, ranges }) => ranges[0].count > 0 && !(functionName === '' && ranges[0].startOffset === 0),
        )
        .map(({ functionName, ranges }) => ({
          file: relative(sources, fileURLToPath(url)),
          functionName,
          calls: ranges[0].count,
        })),
    );
}

for (const one of names) {
  // Twice before: what is loaded or prepared once is not what an action costs.
  await actions[one]();
  await actions[one]();
  const ran = await functionsOf(actions[one]);
  const files = new Set(ran.map(({ file }) => file)).size;
  const calls = ran.reduce((sum, { calls }) => sum + calls, 0);
  console.log(`${one}: ${ran.length} functions in ${files} files, ${calls} calls`);
  if (showsFunctions)
    for (const { file, functionName, calls } of ran) console.log(`  ${file}  ${functionName || '(arrow)'}  ${calls}`);
}
await emulator.close();
