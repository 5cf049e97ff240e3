// V8's code cache of a start: the functions that a start and a first request use are compiled ahead; the rest stays lazy.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Starts the built command and asks it a few things, so that it knows as it ends which functions a start uses. */
export async function warmUp(command, env = {}) {
  const data = mkdtempSync(join(tmpdir(), 'cloudemu-warm-up-'));
  const [program, ...args] = [...command, 'start', '--ephemeral', '--port', '0', '--json', '--quiet'];
  const child = spawn(program, [...args, '--data-dir', data], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const line = new Promise((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  const text = await Promise.race([line, ended.then(() => undefined)]);
  if (text === undefined) throw new Error('the built command did not start');
  const { url, apiKey, error } = JSON.parse(text);
  // Such as that SQLite could not be built here: the command says what is missing and what to run.
  if (error !== undefined) throw new Error(error.message);
  await use(url, apiKey);
  child.kill('SIGTERM');
  await ended;
  rmSync(data, { recursive: true, force: true });
}

// The first questions of a client's tests: the first create takes 15 ms of CPU instead of 19, and a start no more.
async function use(url, apiKey) {
  const ask = async (method, path, body) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${answer}`);
    return answer;
  };
  const containers = '/api/v1/containers';
  await ask('GET', '/_emulator/health');
  for (const name of ['one', 'two', 'three']) {
    const fields = { name, project_name: name, ecr_image_uri: 'registry/web:v1', port: 3_000 };
    const { id } = JSON.parse(await ask('POST', containers, fields)).data;
    await ask('GET', `${containers}/${id}`);
    await ask('GET', containers);
    await ask('GET', `${containers}/quota`);
    await ask('POST', '/api/v1/chat/completions', { model: 'gpt-4o', messages: [{ role: 'user', content: name }] });
    await ask('POST', '/api/v1/voice/tts', { text: name, voiceId: 'EXAVITQu4vr4xnSDxMaL' });
  }
}

/** The same for the library: a process of its own imports it, asks it a few things, and ends. */
export async function warmUpLibrary(entry) {
  const asks = `
    const { createEmulator } = require(${JSON.stringify(entry)});
    createEmulator().then(async ({ url, apiKey, close }) => {
      const headers = { authorization: 'Bearer ' + apiKey };
      for (let i = 0; i < 3; i++) await (await fetch(url + '/api/v1/containers', { headers })).text();
      await close();
    });`;
  const child = spawn(process.execPath, ['-e', asks], { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  if (code !== 0) throw new Error('the built library did not start');
}
