// A stand-in for a container engine's command: it loads images and starts their entry points as processes of this machine,
// which listen on the published port. It demands of its arguments what a real engine demands.
// `docker` and `podman` in a test's PATH run it; ENGINE_STATE is its directory.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const [program, command = '', ...args] = process.argv.slice(2);
const state = process.env.ENGINE_STATE ?? '';
const folder = (name) => {
  mkdirSync(join(state, name), { recursive: true });
  return join(state, name);
};
appendFileSync(join(state, 'calls'), `${JSON.stringify([program, command, ...args])}\n`);

function fail(code, message) {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}

const settings = existsSync(join(state, 'settings')) ? JSON.parse(readFileSync(join(state, 'settings'), 'utf8')) : {};
const { down = [], hangs = [], foreign = [] } = settings;
if (hangs.includes(program)) await new Promise((resolve) => setTimeout(resolve, 60_000));
if (down.includes(program)) fail(1, 'Cannot connect to the daemon. Is the daemon running?');

/** Flags with a value, as `--name x` or `--name=x`; what is left over are the operands. */
function parse(known, switches) {
  const flags = {};
  const rest = [...args];
  while (rest[0]?.startsWith('-')) {
    const [, name, value] = /^-+([\w-]+)(?:=(.*))?$/s.exec(rest.shift()) ?? [];
    if (switches.includes(name)) continue;
    if (!known.includes(name)) fail(125, `unknown flag: --${name}`);
    flags[name] = [...(flags[name] ?? []), value ?? rest.shift()];
  }
  return { flags, rest };
}

const digestOf = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

function filesOf(archive) {
  const files = {};
  for (let at = 0; archive[at] !== 0 && at < archive.length; ) {
    const name = archive.toString('utf8', at, at + 100).replace(/\0.*/s, '');
    const size = Number.parseInt(archive.toString('latin1', at + 124, at + 135), 8);
    files[name] = archive.subarray(at + 512, at + 512 + size);
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

const imageFile = (name) => join(folder('images'), encodeURIComponent(name));
const containerFile = (name) => join(folder('containers'), name);
const containers = () =>
  readdirSync(folder('containers')).map((name) => JSON.parse(readFileSync(containerFile(name), 'utf8')));

function signal(pid, name) {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}

const commands = {
  version: () => console.log('linux amd64'),
  info: () => console.log('linux amd64'),
  async load() {
    const chunks = [];
    for await (const chunk of process.stdin) chunks.push(chunk);
    const files = filesOf(Buffer.concat(chunks));
    const [{ Config, RepoTags, Layers }] = JSON.parse(files['manifest.json'].toString('utf8'));
    const config = JSON.parse(files[Config].toString('utf8'));
    const root = join(folder('roots'), encodeURIComponent(RepoTags[0]));
    Layers.forEach((layer, index) => {
      const bytes = files[layer][0] === 0x1f ? gunzipSync(files[layer]) : files[layer];
      if (digestOf(bytes) !== config.rootfs.diff_ids[index]) fail(1, `invalid diffID for layer ${index}`);
      for (const [name, content] of Object.entries(filesOf(bytes))) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), content);
      }
    });
    writeFileSync(imageFile(RepoTags[0]), JSON.stringify({ name: RepoTags[0], config, root }));
    console.log(`Loaded image: ${RepoTags[0]}`);
  },
  async run() {
    const known = ['pull', 'name', 'label', 'publish', 'memory', 'cpus', 'security-opt', 'env-file', 'env'];
    const { flags, rest } = parse(known, ['rm']);
    const [image] = rest;
    if (!existsSync(imageFile(image))) fail(125, `No such image: ${image}`);
    const { config, root } = JSON.parse(readFileSync(imageFile(image), 'utf8'));
    const [name] = flags.name;
    const [, containerPort] = /^127\.0\.0\.1::(\d+)$/.exec(flags.publish[0]) ?? fail(125, 'publish');
    const variables = Object.fromEntries(
      readFileSync(flags['env-file'][0], 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => [line.split('=', 1)[0], line.slice(line.indexOf('=') + 1)]),
    );
    if ((statSync(flags['env-file'][0]).mode & 0o777) !== 0o600) fail(125, 'others may read the variables');
    for (const each of flags.env ?? []) variables[each] = process.env[each];
    if (foreign.includes(config.architecture)) fail(1, 'exec /app: exec format error');
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address();
    await new Promise((resolve) => server.close(resolve));
    const [entry, ...more] = [...(config.config.Entrypoint ?? []), ...(config.config.Cmd ?? [])];
    if (entry !== 'node') fail(127, `exec: "${entry}": executable file not found in $PATH`);
    const inside = more.map((arg) => (arg.startsWith('/') ? join(root, arg) : arg));
    // A port mapping: the process finds the machine's port under its own.
    const env = { ...variables, STAND_IN_PORT: String(port) };
    const child = spawn(process.execPath, inside, { env, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
    const about = { name, image, labels: flags.label, containerPort, port, pid: child.pid, memory: flags.memory[0] };
    writeFileSync(containerFile(name), JSON.stringify({ ...about, cpus: flags.cpus[0] }));
    child.once('exit', (code, by) => {
      rmSync(containerFile(name), { force: true });
      process.exit(code ?? (by === 'SIGKILL' ? 137 : 143));
    });
  },
  port() {
    const [name, wanted] = args;
    const found = containers().find((each) => each.name === name && `${each.containerPort}/tcp` === wanted);
    if (found === undefined) fail(1, `No such container: ${name}`);
    console.log(`127.0.0.1:${found.port}`);
  },
  async stop() {
    const { rest } = parse(['t'], []);
    for (const found of containers().filter(({ name }) => rest.includes(name))) {
      signal(found.pid, 'SIGTERM');
      while (existsSync(containerFile(found.name)) && signal(found.pid, 0))
        await new Promise((resolve) => setTimeout(resolve, 10));
    }
  },
  rm() {
    const { rest } = parse([], ['force']);
    for (const found of containers().filter(({ name }) => rest.includes(name))) {
      signal(found.pid, 'SIGKILL');
      rmSync(containerFile(found.name), { force: true });
    }
  },
  ps() {
    const { flags } = parse(['filter', 'format'], ['all', 'quiet']);
    const [, label] = /^label=(.*)$/.exec(flags.filter[0]);
    const shown = containers().filter(({ labels }) =>
      labels.some((one) => one === label || one.startsWith(`${label}=`)),
    );
    for (const { name } of shown) console.log(name);
  },
  images() {
    const { flags } = parse(['filter', 'format'], ['quiet']);
    const [, reference] = /^reference=(.*)$/.exec(flags.filter[0]);
    const names = readdirSync(folder('images')).map(decodeURIComponent);
    for (const name of names) if (name.startsWith(reference.replace(/\*$/, ''))) console.log(name);
  },
  rmi() {
    const { rest } = parse([], ['force']);
    for (const name of rest) rmSync(imageFile(name), { force: true });
  },
};

if (commands[command] === undefined) fail(125, `unknown command: ${command}`);
await commands[command]();
