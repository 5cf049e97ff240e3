// One life of a container's process: loads and starts the image, writes its output to the log, and records its end.

import { createReadStream, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterWall } from '../../../core/clock.js';
import { elapsed } from '../../../core/real-time.js';
import type { World } from '../../../world/world.js';
import { tarEnd, tarHeader, tarPadding } from '../../registry/archive.js';
import { blobStoreOf } from '../../registry/blobs.js';
import { findImage, type Platform } from '../../registry/images.js';
import { type ImageManifest, platformText, readManifest } from '../../registry/manifest.js';
import { askHealth } from '../address/upstream.js';
import { ownRepository, parseImage } from '../image.js';
import { intervene } from '../lifecycle/interventions.js';
import { containerAt } from '../lifecycle/lifecycle.js';
import type { Deployment } from '../lifecycle/timeline.js';
import { type WrittenLine, writeLines } from '../logs/lines-store.js';
import type { ContainerProcess } from '../processes.js';
import { type ContainerRecord, findContainer } from '../store.js';
import type { Engine } from './engine.js';
import { type EngineProcess, engineFailed } from './process.js';

export interface ContainerRun extends ContainerProcess {
  /** The life of the container that this run belongs to. */
  readonly life: string;
  /** The image could not be started here, through no fault of its own: the emulator serves in its place. */
  readonly isSimulated: boolean;
  stop(): Promise<void>;
}

interface RunRequest {
  world: World;
  engine: Engine;
  record: ContainerRecord;
  deployment: Deployment;
  life: string;
}

/** Starts the image of a deployment. */
export function createContainerRun({ world, engine, record, deployment, life }: RunRequest): ContainerRun {
  const { spec } = deployment;
  const log = openLog(world, record.id);
  let process: EngineProcess | undefined;
  let url: string | undefined;
  let isOver = false;
  let isSimulated = false;
  let lastError = '';

  function giveUp(reason: string): void {
    isSimulated = true;
    log.write({ level: 'warn', message: `${reason}: this container is simulated` });
  }

  async function start(): Promise<void> {
    const { name, told } = await prepareImage(world, engine, deployment);
    if (isOver) return;
    if (told !== undefined) log.write({ level: 'warn', message: told });
    process = engine.start(name, spec, (line) => {
      if (line.level === 'error') lastError = line.message;
      log.write(line);
    });
    const { ended } = process;
    void ended.then(exited);
    const port = await process.port;
    if (port === undefined) return;
    const reached = `http://127.0.0.1:${port}`;
    await untilItAnswers(`${reached}${spec.health_check_path}`, () => isOver);
    if (!isOver) url = reached;
  }

  function exited(code: number): void {
    const hasStarted = url !== undefined;
    url = undefined;
    const wasStopped = isOver;
    const config = deployment.plan.image?.config;
    isOver = true;
    if (!wasStopped && !hasStarted && code === engineFailed)
      giveUp(`${engine.program} could not start the image (${lastError})`);
    else if (!wasStopped && !hasStarted && isForeign(engine, deployment) && /exec format error/i.test(lastError))
      giveUp(`this machine runs no images for ${config == null ? 'another processor' : platformText(config)}`);
    log.close();
    if (!wasStopped && !isSimulated) crash(world, record.id, deployment, code);
  }

  const settled = start().catch((error: Error) => {
    if (isOver) return;
    isOver = true;
    giveUp(error.message);
    log.close();
  });
  return {
    life,
    settled,
    get url() {
      return url;
    },
    get isSimulated() {
      return isSimulated;
    },
    async stop() {
      isOver = true;
      url = undefined;
      await process?.stop();
    },
  };
}

/** Loads the image of a deployment; of an index, the image for this machine's processor. */
export async function prepareImage(
  world: World,
  engine: Engine,
  deployment: Deployment,
): Promise<{ name: string; told?: string }> {
  const { image } = deployment.plan;
  if (image === undefined) throw new Error('the image is not in the registry');
  const own = isForeign(engine, deployment) ? digestFor(world, engine, deployment) : undefined;
  const digest = own ?? image.digest;
  const name = await engine.load(digest, (tag) => openArchive(world, digest, tag));
  if (own === undefined) return { name };
  return { name, told: `This machine runs linux/${engine.architecture}: the image for it is started` };
}

function isForeign({ architecture }: Engine, { plan }: Deployment): boolean {
  const needed = plan.image?.config?.architecture;
  return needed !== undefined && needed !== architecture;
}

function digestFor(world: World, { architecture }: Engine, { spec }: Deployment): string | undefined {
  const parsed = parseImage(spec.ecr_image_uri);
  const repository = parsed === undefined ? undefined : ownRepository(world, parsed.repository);
  if (parsed === undefined || repository === undefined) return undefined;
  const platform = { os: 'linux', architecture } as Platform;
  const found = findImage(world, repository, parsed.digest ?? parsed.tag ?? '', platform)?.runs;
  return found?.config?.architecture === architecture ? found.digest : undefined;
}

// The platform calls the end of a process that nothing has stopped a crash, whatever its exit code.
function crash(world: World, id: string, { number }: Deployment, exitCode: number): void {
  const record = findContainer(world.db, id);
  if (record === undefined) return;
  const { serving } = containerAt(record.deployments, world.clock.now());
  if (serving?.deployment.number === number) intervene(world, id, { kind: 'crash', exitCode });
}

const startLimitMs = 60_000;
const betweenLooksMs = 100;

// A port exists before the process listens on it. If it never listens, requests are forwarded and fail there.
async function untilItAnswers(url: string, isOver: () => boolean): Promise<void> {
  const begun = elapsed();
  while (!isOver() && elapsed() - begun < startLimitMs) {
    if ((await askHealth(url)).code !== null) return;
    await new Promise<void>((resolve) => afterWall(betweenLooksMs, resolve));
  }
}

const writeAfterMs = 20;

// Lines are stored together, as a process may write many, and only into the data that it was started for.
function openLog(world: World, containerId: string) {
  const { epoch } = world;
  let lines: WrittenLine[] = [];
  let cancel: (() => void) | undefined;
  let isClosed = false;
  function flush(): void {
    cancel?.();
    cancel = undefined;
    const written = lines;
    lines = [];
    if (written.length > 0 && epoch === world.epoch) writeLines(world, containerId, written);
  }
  return {
    write(line: Omit<WrittenLine, 'at'>): void {
      lines.push({ ...line, at: world.clock.now() });
      if (isClosed) flush();
      else cancel ??= afterWall(writeAfterMs, flush);
    },
    close(): void {
      isClosed = true;
      flush();
    },
  };
}

// A pushed image as the archive that engines load, with its layers read from their files one after the other.

/** @throws Error that names the blob when one is missing */
export function openArchive(world: World, digest: string, tag: string): Readable {
  const blobs = blobStoreOf(world);
  const fileOf = (blob: string): { path: string; size: number } => {
    const size = blobs.sizeOf(blob);
    if (size === undefined) throw new Error(`the blob ${blob} is not there`);
    return { path: blobs.pathOf(blob), size };
  };
  const body = readFileSync(fileOf(digest).path);
  const { mediaType = 'application/vnd.oci.image.manifest.v1+json' } = JSON.parse(body.toString('utf8'));
  const manifest = readManifest(body, mediaType);
  if (typeof manifest === 'string' || manifest.kind !== 'image') throw new Error(`${digest} is not an image`);
  const { config, layers } = manifest.content as ImageManifest;
  const names = layers.map((layer) => nameOf(layer.digest, 'tar'));
  const index = Buffer.from(
    JSON.stringify([{ Config: nameOf(config.digest, 'json'), RepoTags: [tag], Layers: names }]),
  );
  const parts: [name: string, digest: string][] = [[nameOf(config.digest, 'json'), config.digest]];
  for (const layer of new Set(layers.map((each) => each.digest))) parts.push([nameOf(layer, 'tar'), layer]);
  // Missing files are found before anything is sent.
  const files = parts.map(([name, blob]) => ({ name, ...fileOf(blob) }));

  async function* archive(): AsyncGenerator<Buffer> {
    for (const { name, path, size } of files) {
      yield tarHeader(name, size, 0o644);
      yield* createReadStream(path, { highWaterMark: 1_024 * 1_024 });
      yield tarPadding(size);
    }
    yield tarHeader('manifest.json', index.length, 0o644);
    yield index;
    yield tarPadding(index.length);
    yield tarEnd();
  }
  return Readable.from(archive(), { objectMode: false });
}

function nameOf(digest: string, kind: string): string {
  return `${digest.slice('sha256:'.length)}.${kind}`;
}
