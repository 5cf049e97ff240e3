// The one stream of events, and what follows from it: the clock, the connection, and what has changed since when.

import { effect, signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ClockView } from '../../../core/clock.js';
import type { Change, ChangeTopic } from '../changes.js';
import { base, get, RequestError } from './api.js';

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
export function onEvent(listener: (topic: Topic) => void): () => void {
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

/** How long to rest after a reading that took so long: what a page reads is a small share of what the emulator does. */
export function restAfter(tookMs: number): number {
  return Math.min(mostRestMs, Math.max(leastRestMs, 20 * tookMs));
}

/**
 * Reads a path of the control plane: at once, whenever one of the topics comes (at most five times a second, less often
 * while the emulator is busy), at once when the page itself has changed something, and when it is back.
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
  const latest = useRef<() => void>(() => {});
  const key = JSON.stringify([path, query, world]);
  useEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReading = false;
    let isAsked = false;
    let isUrgent = false;
    let rest = leastRestMs;
    const read = async (): Promise<void> => {
      timer = undefined;
      isReading = true;
      isAsked = false;
      const begun = performance.now();
      try {
        value.value = await get<Result>(path, query, ended.signal, world);
        error.value = '';
      } catch (problem) {
        // While the emulator is away the last state stays.
        if (problem instanceof RequestError) error.value = problem.message;
      }
      isReading = false;
      rest = restAfter(performance.now() - begun);
      if (isAsked) schedule(isUrgent ? 0 : rest);
      isUrgent = false;
    };
    const schedule = (wait = rest): void => {
      isAsked = true;
      if (!isReading && !ended.signal.aborted) timer ??= setTimeout(read, wait);
    };
    const readNow = (): void => {
      clearTimeout(timer);
      timer = undefined;
      // The reading that is under way may return the state before the change.
      isUrgent = isReading;
      schedule(0);
    };
    latest.current = () => void read();
    const stop = onEvent((topic) => {
      if (topic === 'own') readNow();
      else if (topic === 'all' || topics.includes(topic)) schedule();
    });
    void read();
    return () => {
      stop();
      clearTimeout(timer);
      ended.abort();
    };
  }, [key]);
  return { value: value.value, error: error.value, reload: () => latest.current() };
}
