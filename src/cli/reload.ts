// Edited settings, scenarios and fixtures: a running emulator takes them, with a line that says so.

import { existsSync, statSync, watch } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { ConfigError } from '../config/error.js';
import { keepingStart } from '../config/of-process.js';
import type { Config } from '../config/schema.js';
import { afterWall } from '../core/clock.js';
import { fixturePath, namesIn } from '../core/files.js';
import { differences, type Tree } from '../core/tree.js';
import { note, notes } from './print.js';

export interface Edits {
  /** The settings file, which may not be there yet. */
  file: string;
  /** The folder of the user's own scenarios; it may not be there. */
  scenarios: string;
  /** The folder of the user's own replies; it may not be there. */
  replies: string;
  /** The settings in force. */
  config: Config;
  /** @throws ConfigError */
  load: () => Config;
  apply: (config: Config) => void;
  /** The problems of a fixture or a scenario, a line each. */
  problemsIn: (file: string) => Promise<readonly string[]>;
}

const fixtureFolders = ['profiles', 'failures', 'scenarios', 'replies'];
// Editors write in several steps.
const settlingMs = 100;

/** Watches until the returned function is called. */
export function watchEdits({ file, load, apply, problemsIn, ...edits }: Edits): () => void {
  let { config } = edits;
  const waiting = new Map<string, () => void>();

  function once(path: string, act: (path: string) => void | Promise<void>): void {
    waiting.get(path)?.();
    const run = (): void => {
      waiting.delete(path);
      void act(path);
    };
    waiting.set(path, afterWall(settlingMs, run));
  }
  function reloadSettings(path: string): void {
    let loaded: Config;
    try {
      loaded = load();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      refuse(path, error.problems, 'the settings stay as they were');
      return;
    }
    const next = keepingStart(config, loaded);
    // The schema by which an editor completes is no setting.
    const changed = differences(config as unknown as Tree, next as unknown as Tree).filter(
      (name) => name !== '$schema',
    );
    const later = differences(next as unknown as Tree, loaded as unknown as Tree);
    config = next;
    if (changed.length > 0) {
      apply(next);
      note(`reloaded ${shown(path)}: ${changed.join(', ')}`);
    }
    if (later.length > 0) note(`${shown(path)}: to change ${later.join(', ')} takes a new start`);
  }
  async function reloadFixture(path: string): Promise<void> {
    const isThere = existsSync(path);
    const problems = isThere ? await problemsIn(path) : [];
    if (problems.length > 0) refuse(path, problems, 'it cannot be used');
    else if (!isThere) note(`${shown(path)} is gone`);
    else note(`reloaded ${shown(path)}: it counts from its next use on`);
  }

  const ends = [
    watchFolder(dirname(file), (name) => {
      if (name === basename(file)) once(file, reloadSettings);
    }),
    ...fixtureFolders.map((folder) =>
      watchFolder(fixturePath(folder), (name) => {
        if (isDocument(name)) once(fixturePath(folder, name), folder === 'profiles' ? reloadSettings : reloadFixture);
      }),
    ),
    ...[edits.scenarios, edits.replies].map((folder) =>
      watchFolder(folder, (name) => {
        if (isDocument(name)) once(join(folder, name), reloadFixture);
      }),
    ),
  ];
  return () => {
    for (const end of ends) end();
    for (const cancel of waiting.values()) cancel();
  };
}

function refuse(path: string, problems: readonly string[], consequence: string): void {
  notes([`${shown(path)} was edited, but ${consequence}:`, ...problems.map((line) => `  ${line}`)]);
}

function isDocument(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.');
}

function watchFolder(folder: string, onEdit: (name: string) => void): () => void {
  if (!existsSync(folder)) return () => {};
  let end = (): void => {};
  const poll = (): void => {
    end();
    end = pollFolder(folder, onEdit);
  };
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => {
      if (name !== null) onEdit(name);
    });
    end = () => watcher.close();
    watcher.on('error', poll);
  } catch {
    poll();
  }
  return () => end();
}

const lookMs = 1_000;

// Of a machine that watches no more folders, the documents of a folder are looked at again and again.
function pollFolder(folder: string, onEdit: (name: string) => void): () => void {
  const written = (): Map<string, number | undefined> =>
    new Map(
      namesIn(folder)
        .filter(isDocument)
        .map((name) => [name, statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs]),
    );
  let before = written();
  const look = (): void => {
    const now = written();
    for (const name of new Set([...before.keys(), ...now.keys()])) if (before.get(name) !== now.get(name)) onEdit(name);
    before = now;
    cancel = afterWall(lookMs, look);
  };
  let cancel = afterWall(lookMs, look);
  return () => cancel();
}

function shown(path: string): string {
  const short = relative(process.cwd(), path);
  return short === '' || short.startsWith('..') ? path : short;
}
