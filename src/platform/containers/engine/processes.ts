// Processes that follow their containers: started when the timeline of a deployment says that it runs, stopped when it
// says otherwise.

import { real } from '../../../core/real-time.js';
import { closing, replaced } from '../../../world/topics.js';
import type { World } from '../../../world/world.js';
import { type ContainerState, containerAt, openRuns, type Run } from '../lifecycle/lifecycle.js';
import type { ContainerProcesses } from '../processes.js';
import { type ContainerRecord, findContainer, listContainers } from '../store.js';
import type { Engine } from './engine.js';
import { type ContainerRun, createContainerRun, prepareImage } from './run.js';

/** The processes of all worlds of an emulator. */
export function createProcesses(engine: Engine, onError: (error: unknown) => void): ContainerProcesses {
  const supervisors = new Map<World, Supervisor>();
  return {
    find: (world, containerId) => supervisors.get(world)?.find(containerId),
    supervise(world) {
      const supervisor = createSupervisor(world, engine, onError);
      supervisors.set(world, supervisor);
      world.bus.on(closing, () => {
        supervisors.delete(world);
        supervisor.end();
      });
    },
    close: () => engine.close(),
  };
}

interface Supervisor {
  find(containerId: string): ContainerRun | undefined;
  end(): void;
}

function createSupervisor(world: World, engine: Engine, onError: (error: unknown) => void): Supervisor {
  const runs = new Map<string, ContainerRun>();
  let cancelSleep: (() => void) | undefined;
  let isOver = false;

  /** Starts or stops the process of a container as its state demands; returns when that changes next. */
  function adjust(record: ContainerRecord, now: number): number | null {
    const state = containerAt(record.deployments, now);
    const serving = state.serving?.deployment.plan.run === 'image' ? state.serving : undefined;
    const life = serving === undefined ? undefined : lifeOf(world, serving, now);
    const current = runs.get(record.id);
    if (current !== undefined && current.life !== life) end(record.id, current);
    if (serving !== undefined && life !== undefined && !runs.has(record.id))
      runs.set(record.id, createContainerRun({ world, engine, record, deployment: serving.deployment, life }));
    prepareNext(state, now);
    return state.nextAt;
  }

  // The image of a deployment in progress is loaded early, so that it starts at once.
  function prepareNext(state: ContainerState, now: number): void {
    for (const { deployment } of openRuns(state, now))
      if (deployment.plan.run === 'image' && ['building', 'deploying'].includes(state.status))
        prepareImage(world, engine, deployment).catch(() => {});
  }

  function end(id: string, run: ContainerRun): void {
    runs.delete(id);
    run.stop().catch(onError);
  }

  function look(): void {
    cancelSleep?.();
    if (isOver) return;
    try {
      const now = world.clock.now();
      const settling = world.settleInParts(now);
      if (settling !== undefined) return void settling.then(look, onError);
      const records = listContainers(world.db).filter(({ deployments }) =>
        deployments.some(({ plan }) => plan.run === 'image'),
      );
      const present = new Set(records.map(({ id }) => id));
      for (const [id, run] of [...runs]) if (!present.has(id)) end(id, run);
      const changes = records.map((record) => adjust(record, now)).filter((at) => at !== null);
      if (changes.length > 0) cancelSleep = world.clock.sleepUntil(Math.min(...changes), look);
    } catch (error) {
      onError(error);
    }
  }

  let isAwaited = false;
  // One pass for all changes of one turn of the event loop.
  const lookSoon = (): void => {
    if (isAwaited) return;
    isAwaited = true;
    real.queueMicrotask(() => {
      isAwaited = false;
      look();
    });
  };
  const stopHearing = world.bus.onAny((topic) => {
    if (topic.startsWith('container:') || topic === replaced) lookSoon();
  });
  lookSoon();

  return {
    find(id) {
      const record = isOver ? undefined : findContainer(world.db, id);
      if (record !== undefined) adjust(record, world.clock.now());
      const run = runs.get(id);
      return run?.isSimulated === true ? undefined : run;
    },
    end() {
      isOver = true;
      cancelSleep?.();
      stopHearing();
      for (const [id, run] of [...runs]) end(id, run);
    },
  };
}

// The same from the moment at which a deployment began to run until it no longer runs, in one life of the world's data.
function lifeOf(world: World, { deployment, timeline }: Run, now: number): string {
  const past = timeline.filter((segment) => segment.at <= now);
  const before = past.findLastIndex(({ phase }) => phase.status !== 'running');
  return `${world.epoch} ${deployment.id} ${before}`;
}
