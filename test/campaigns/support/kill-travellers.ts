// Writers whose work spans worlds: images are pushed, worlds are made and end.

import type { LocalFetch } from '../../../src/core/local-fetch.js';
import {
  type Content,
  content,
  digestOf,
  type Image,
  image,
  logIn,
  mediaTypes,
  type Repository,
} from '../../support/oci.js';
import { ask, Things, Unanswered, Value } from './kill-values.js';
import { agentNames, createAgent, type Desk, fresh, ownWorld, read, type Writer } from './kill-writers.js';

/** Bytes that no other layer has. */
const layerOf = (size: number): Content => content(Buffer.alloc(size, `layer ${fresh()} `), mediaTypes.layer);

/** Sends of a registry client that does not answer any more throw what others throw. */
async function orUnanswered<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: Error & { code?: string }) => {
    if (/ECONN|EPIPE|socket hang up|aborted|fetch failed|terminated/.test(`${error.code} ${error.message}`))
      throw new Unanswered();
    if (/is closed|has ended/.test(error.message)) throw new Unanswered();
    throw error;
  });
}

/** The repository of a world, with credentials that are valid now. */
function repositoryOf(origin: string, id: string, apiKey: string): Promise<Repository> {
  const url = `${origin}/w/${id}`;
  const asked = (path: string, init: RequestInit) => fetch(url + path, init);
  return orUnanswered(logIn({ url, apiKey, fetch: asked as LocalFetch }));
}

async function pushInParts(repository: Repository, tag: string, pushed: Image, onAnswer: () => void): Promise<void> {
  for (const { bytes, digest } of pushed.blobs) {
    let location = await repository.begin();
    for (let at = 0, size = Math.ceil(bytes.length / 3); at < bytes.length; at += size) {
      const part = await repository.send('PATCH', location, { body: bytes.subarray(at, at + size) });
      if (part.status !== 202) throw new Error(`a part was answered ${part.status}: ${part.bytes}`);
      location = part.headers.location ?? location;
      onAnswer();
    }
    const whole = await repository.send('PUT', `${location}?digest=${digest}`);
    if (whole.status !== 201) throw new Error(`a blob was answered ${whole.status}: ${whole.bytes}`);
    onAnswer();
  }
  const put = await repository.putManifest(tag, pushed);
  if (put.status !== 201) throw new Error(`a manifest was answered ${put.status}: ${put.bytes}`);
}

/** Says which of the blobs of an image cannot be pulled whole. */
async function lostBlobs(repository: Repository, tag: string, pushed: Image): Promise<string[]> {
  const problems: string[] = [];
  const manifest = await repository.send('GET', `/manifests/${tag}`);
  if (!manifest.bytes.equals(pushed.bytes))
    problems.push(`the manifest ${tag} is ${manifest.status} ${manifest.bytes}`);
  for (const { digest } of pushed.blobs) {
    const { status, bytes } = await repository.send('GET', `/blobs/${digest}`);
    if (digestOf(bytes) !== digest) problems.push(`a blob of ${tag} is ${status}, ${bytes.length} bytes`);
  }
  return problems;
}

/** Images that are pushed in parts, and removed again. */
export async function pushesWriter(desk: Desk): Promise<Writer> {
  const { apiKey, send } = await ownWorld(desk, 'pushes');
  const images = new Things('image');
  const pushed = new Map<string, Image>();
  const tags = new Map<string, string>();
  const repository = () => repositoryOf(desk.urls().a, 'pushes', apiKey);
  return {
    async step() {
      const gone = desk.draw(4) === 0 ? images.names[0] : undefined;
      if (gone !== undefined) {
        const [tag, of] = [tags.get(gone) ?? '', await repository()];
        await images.end(gone, () => orUnanswered(of.send('DELETE', `/manifests/${gone}`)));
        if (tag !== '') tags.delete(gone);
        desk.onAnswer();
        return;
      }
      const tag = `v${fresh()}`;
      const next = image({ layers: [layerOf(1_000 + desk.draw(20_000)), layerOf(desk.draw(4) === 0 ? 900_000 : 10)] });
      pushed.set(next.digest, next);
      tags.set(next.digest, tag);
      const to = await repository();
      await images.make(next.digest, tag, () => orUnanswered(pushInParts(to, tag, next, desk.onAnswer)));
      desk.onAnswer();
    },
    async check() {
      const of = await repository();
      const { images: listed } = await send('GET', '/_emulator/images');
      const problems = images.seen(
        read<any>(
          listed,
          ({ digest }) => digest,
          ({ tags: [tag] }) => tag,
        ),
      );
      for (const digest of images.names) {
        const [one, tag] = [pushed.get(digest), tags.get(digest)];
        if (one !== undefined && tag !== undefined) problems.push(...(await lostBlobs(of, tag, one)));
      }
      return problems;
    },
  };
}

/** Worlds that are made, filled and ended, and some that end by themselves. */
export async function worldsWriter(desk: Desk): Promise<Writer> {
  const worlds = new Things('world');
  const keys = new Map<string, string>();
  const agents = new Map<string, Value<string>>();
  const asks = (method: string, path: string, body?: unknown, apiKey = '') =>
    ask({ url: desk.urls().a, apiKey }, desk.onAnswer, method, path, body);
  return {
    async step() {
      const kind = desk.draw(6);
      const [some] = worlds.names.slice(desk.draw(5));
      if (kind === 0 && some !== undefined) {
        await worlds.end(some, () => asks('DELETE', `/w/${some}/_emulator/world`));
        agents.delete(some);
      } else if (kind < 4 && some !== undefined) {
        const name = `w${fresh()}`;
        const value = agents.get(some) ?? new Value('');
        agents.set(some, value);
        const next = value.possible.map((names) => [...names.split(',').filter(Boolean), name].sort().join());
        await value.change(next, () => asks('POST', `/w/${some}${createAgent}`, { name }, keys.get(some)));
      } else if (kind === 4) {
        // Nobody says when it is gone.
        await asks('PUT', `/w/short-${fresh()}/_emulator/world`, { ttl: '1s' });
      } else {
        const id = `made-${fresh()}`;
        const { apiKey } = await worlds.make(id, id, () => asks('PUT', `/w/${id}/_emulator/world`, { label: id }));
        keys.set(id, apiKey);
      }
    },
    async check() {
      const listed = (await asks('GET', '/_emulator/worlds?prefix=made-')).worlds as any[];
      for (const { id, apiKey } of listed) keys.set(id, apiKey);
      const problems = worlds.seen(
        read(
          listed,
          ({ id }) => id,
          ({ label }) => label,
        ),
      );
      const some = worlds.names[desk.draw(Math.max(1, worlds.names.length))];
      if (some === undefined) return problems;
      const names = await agentNames((method, path) => asks(method, `/w/${some}${path}`, undefined, keys.get(some)));
      return [...problems, ...(agents.get(some) ?? new Value('')).seen(names.join(), `the world ${some}`)];
    },
  };
}
