// What the page asks of the emulator: requests, operations and their commands, what changes, the world that is shown.

import { effect, type Signal, signal, useSignal } from '@preact/signals';
import { operations } from 'page-operations';
import { createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import type { ClockView } from '../../../core/clock.js';
import type { Change, ChangeTopic } from '../../events/changes.js';
import { base, get, RequestError, request, worldId } from './api.js';
import { shellQuoted } from './text.js';

/** The values of an operation, by the paths of its fields: `{ id: 'blue', 'clock.frozen': true }`. */
export type Input = Readonly<Record<string, unknown>>;

export function operationOf(id: string) {
  const operation = operations[id];
  if (operation === undefined) throw new Error(`no operation is called ${id}`);
  return operation;
}

/** The body of its request: `{ 'match.path': '/x' }` is `{ match: { path: '/x' } }`. */
function bodyOf(id: string, input: Input): Record<string, unknown> {
  const { path, fields } = operationOf(id);
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    const field = fields.find((one) => one.path === name);
    if (value === undefined || path.includes(`{${name}}`) || field?.place === 'query') continue;
    const [first = '', second] = name.split('.');
    body[first] = second === undefined ? value : { ...(body[first] as object), [second]: value };
  }
  return body;
}

/** Does it, in the page's world or in another one. */
export function call<Result>(id: string, input: Input = {}, world?: string): Promise<Result> {
  const { method, path, fields } = operationOf(id);
  const query = Object.fromEntries(
    fields.flatMap(({ path: name, place }) => (place === 'query' ? [[name, input[name]]] : [])),
  );
  const where = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  return request<Result>(method, where, { query, world, ...(method === 'POST' && { body: bodyOf(id, input) }) });
}

/** The flag that names a world, after a blank; the default world needs none. */
export const flagOfWorld = (id: string): string => (id === 'default' ? '' : ` --world ${id}`);

const { command, target: named } = document.documentElement.dataset;

/** How the program is called where its emulator was started. */
export const program = command ?? 'cloudemu';

/** The flags that name this emulator where it was started, each after a blank. */
export const target = named === undefined ? '' : ` ${named}`;

/** A command, given without `cloudemu`, as it is typed into a shell. */
export function commandLine(words: string, world = flagOfWorld(worldId)): string {
  return `${program} ${words}${target}${world}`;
}

/** The command that does the same as an operation with this input. */
export function commandOf(id: string, input: Input, world?: string): string {
  const { line, document, path, fields } = operationOf(id);
  const wordsOf = (value: unknown): string =>
    shellQuoted(typeof value === 'object' && !Array.isArray(value) ? JSON.stringify(value) : String(value));
  const words = line.split(' ').flatMap((word) => {
    const name = /^\W(.*)\W$/.exec(word)?.[1];
    if (name === undefined) return word;
    if (name === document) return wordsOf(bodyOf(id, input));
    const value = input[fields.find((field) => field.name === name)?.path ?? ''];
    return value === undefined ? (word.startsWith('<') ? word : []) : wordsOf(value);
  });
  const flags = fields.flatMap(({ name, path: key }) => {
    const value = input[key];
    if (value === undefined || document !== undefined || new RegExp(`[<[]${name}\\W`).test(line)) return [];
    return value === true ? `--${name}` : `--${name} ${wordsOf(value)}`;
  });
  // What concerns the worlds themselves names its own.
  return commandLine([...words, ...flags].join(' '), /^\/w(orlds)?\b/.test(path) ? '' : world);
}

/**
 * The topics of events that views follow: requests, containers, the clock, what a control operation has changed; `second` as
 * time runs; `own` when this page itself has changed something; `all` when everything must be read anew.
 */
export type Topic = ChangeTopic | 'second' | 'own';

/** connecting: not yet, or not any more. locked: the control token is needed. */
export const connection = signal<'connecting' | 'live' | 'locked'>('connecting');
/** Why nothing can be read, where the emulator says so. */
export const refusal = signal('');

const clockState = signal<{ view: ClockView; received: number } | undefined>(undefined);
/** Virtual time in milliseconds, as it passes; undefined until the emulator has told it. */
export const now = signal<number | undefined>(undefined);
export const clock = signal<ClockView | undefined>(undefined);

const listeners = new Set<(topic: Topic) => void>();

/** Calls back at each event; returns what ends that. */
function onEvent(listener: (topic: Topic) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(topic: Topic): void {
  for (const listener of [...listeners]) listener(topic);
}

/** Has all that the page shows read at once: it has changed something itself. */
export function refresh(): void {
  tell('own');
}

/** Notes what an answer said of the clock. */
export function setClock(view: ClockView): void {
  clock.value = view;
  clockState.value = { view, received: performance.now() };
}

effect(() => {
  const state = clockState.value;
  if (state === undefined) return;
  const start = Date.parse(state.view.now);
  const tick = (): void => {
    now.value = start + Math.round((performance.now() - state.received) * state.view.speed);
  };
  tick();
  if (state.view.frozen) return;
  const timer = setInterval(tick, 250);
  const seconds = setInterval(() => document.hidden || connection.peek() !== 'live' || tell('second'), 1_000);
  return () => {
    clearInterval(timer);
    clearInterval(seconds);
  };
});

/** Whether the page's clock is a second off, as after this machine was asleep. */
function isOff({ now: instant, speed }: ClockView): boolean {
  return Math.abs(Date.parse(instant) - (now.peek() ?? 0)) > 1_000 * Math.max(1, speed);
}

const retryMs = 800;

/** Connects, and connects again whenever the emulator has been away. */
export async function connect(): Promise<void> {
  try {
    setClock(await get<ClockView>('/clock'));
  } catch (error) {
    const isRefused = error instanceof RequestError && (error.status === 401 || error.status === 403);
    connection.value = isRefused ? 'locked' : 'connecting';
    refusal.value = error instanceof RequestError ? error.message : '';
    if (!isRefused || error.status === 403) setTimeout(connect, retryMs);
    return;
  }
  const source = new EventSource(`${base}/_emulator/changes`);
  source.onopen = () => {
    connection.value = 'live';
    tell('all');
  };
  source.onmessage = ({ data }) => {
    const { topics, clock: view } = JSON.parse(data) as Change;
    // Each setting of the clock draws anew whatever shows the time.
    if (topics.includes('clock') || topics.includes('all') || isOff(view)) setClock(view);
    topics.forEach(tell);
  };
  source.onerror = () => {
    source.close();
    connection.value = 'connecting';
    setTimeout(connect, retryMs);
  };
}

/** The result of a GET to the control plane, or the error. */
export interface Data<Result> {
  value: Result | undefined;
  error: string;
  reload: () => void;
}

const leastRestMs = 200;
const mostRestMs = 5_000;

/**
 * Reads something at once, whenever something it wants to know of has changed (at most five times a second, less often while
 * the emulator is busy), at once when the page itself has changed something, and when the emulator is back.
 */
export class Reading {
  readonly #read: () => Promise<void>;
  readonly #error: Signal<string>;
  readonly #stop: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isReading = false;
  #isAsked = false;
  #isEnded = false;
  /** When it may read again, in milliseconds of the page. What a page reads is a small share of what the emulator does. */
  #rested = 0;

  constructor(read: () => Promise<void>, wants: (topic: Topic) => boolean, error: Signal<string>) {
    this.#read = read;
    this.#error = error;
    this.#stop = onEvent((topic) => {
      if (topic === 'own') this.now();
      else if (wants(topic) || topic === 'all') this.soon();
    });
    void this.#run();
  }

  /** Reads as soon as it may again. */
  soon(): void {
    this.#isAsked = true;
    if (this.#isReading || this.#isEnded) return;
    this.#timer ??= setTimeout(() => void this.#run(), this.#rested - performance.now());
  }

  /** Reads without a rest. A reading that is under way may return the state before the change: another one follows it. */
  now(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#rested = 0;
    this.soon();
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    this.#stop();
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    this.#isReading = true;
    this.#isAsked = false;
    const begun = performance.now();
    this.#rested = Infinity;
    try {
      await this.#read();
      this.#error.value = '';
    } catch (problem) {
      // While the emulator is away the last state stays.
      if (problem instanceof RequestError) this.#error.value = problem.message;
    }
    this.#isReading = false;
    const ended = performance.now();
    // The page has changed something meanwhile where there is no rest.
    if (this.#rested > 0) this.#rested = ended + Math.min(mostRestMs, Math.max(leastRestMs, 20 * (ended - begun)));
    if (this.#isAsked) this.soon();
  }
}

/**
 * Reads a path of the control plane, and again whenever one of the topics comes.
 *
 * @param world another world than that of the page; the page does not hear of its changes
 * @example const { value, error } = useData<{ faults: Fault[] }>('/faults', ['request']);
 */
export function useData<Result>(
  path: string,
  topics: readonly Topic[] = [],
  query?: object,
  world?: string,
): Data<Result> {
  const value = useSignal<Result | undefined>(undefined);
  const error = useSignal('');
  const reading = useRef<Reading | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    const read = async (): Promise<void> => {
      value.value = await get<Result>(path, query, ended.signal, world);
    };
    const own = new Reading(read, (topic) => topics.includes(topic), error);
    reading.current = own;
    return () => {
      own.end();
      ended.abort();
    };
  }, [JSON.stringify([path, query, world])]);
  return { value: value.value, error: error.value, reload: () => reading.current?.now() };
}

/** The world whose journal has the request that is shown; undefined: that of the page. At a point of the past it is another one. */
export const RequestWorld = createContext<string | undefined>(undefined);

/** Reads what belongs to the request that is shown. */
export function useRequestData<Result>(path: string, topics: readonly Topic[] = [], query?: object): Data<Result> {
  return useData<Result>(path, topics, query, useContext(RequestWorld));
}
