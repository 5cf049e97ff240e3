// A storage error that meets a sleeping stream: it ends that stream, and nothing else.

import { rmSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import type { Emulator } from '../../../src/index.js';
import { tempDir } from '../../support/command.js';
import { call, closeEmulators, deploy, startEmulator } from '../../support/emulator.js';
import { openStream, type SseReader } from '../../support/sse.js';

afterEach(closeEmulators);

/** An emulator whose refund of a failed deployment comes due by itself, when its data directory has gone. */
async function startDoomed(): Promise<{ emulator: Emulator; id: string; doom(): void }> {
  const dataDir = tempDir();
  const emulator = await startEmulator({ dataDir, timing: 'fast' });
  const { id } = await deploy(emulator, { ecr_image_uri: 'r/a:fail-exec-format' });
  return {
    emulator,
    id,
    doom() {
      emulator.controls.clock.resume({ speed: 60 });
      rmSync(dataDir, { recursive: true });
    },
  };
}

async function expectOthersToGoOn(emulator: Emulator, requests: SseReader): Promise<void> {
  // Writes are refused with the reason; reads are answered.
  expect((await call(emulator, 'GET', '/api/v1/containers')).status).toBe(503);
  await requests.until(1);
  expect((await call(emulator, 'GET', '/_emulator/health')).status).toBe(200);
  requests.close();
}

it('a storage error ends a log stream', async () => {
  const { emulator, id, doom } = await startDoomed();
  const requests = await openStream(`${emulator.url}/_emulator/requests/stream`, {});
  const logs = await openStream(`${emulator.url}/api/v1/containers/${id}/logs/stream`, {
    authorization: `Bearer ${emulator.apiKey}`,
  });
  await logs.until(1);
  doom();
  await logs.ended;
  await expectOthersToGoOn(emulator, requests);
});

it('a storage error ends a stream of events, whose reader in process gets the error', async () => {
  const { emulator, doom } = await startDoomed();
  const requests = await openStream(`${emulator.url}/_emulator/requests/stream`, {});
  const events = await openStream(`${emulator.url}/_emulator/events`, {});
  const read = async (): Promise<void> => {
    for await (const event of emulator.controls.events()) void event;
  };
  const refused = expect(read()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  doom();
  await events.ended;
  await refused;
  await expectOthersToGoOn(emulator, requests);
});
