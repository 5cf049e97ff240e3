// The signal bus of one world: announces that a subject has changed to those who wait for it.
import { real } from './real-time.js';

export interface Bus {
  /** Calls the listeners once the present transaction is over. */
  emit(topic: string): void;
  /** Emits a topic that ends everything: listeners that are added later are called back, too. */
  emitLast(topic: string): void;
  /** Calls back at each emit of the topic until the returned function is called. */
  on(topic: string, listener: () => void): () => void;
  /** Calls back with the topic of every emit. */
  onAny(listener: (topic: string) => void): () => void;
}

/** A bus with no listeners yet. */
export function createBus(): Bus {
  const listeners = new Map<string, Set<() => void>>();
  const ofAll = new Set<(topic: string) => void>();
  let last: string | undefined;
  function emit(topic: string): void {
    if (!listeners.has(topic) && ofAll.size === 0) return;
    // Transactions are synchronous, so a microtask runs after the one that emits has ended.
    real.queueMicrotask(() => {
      for (const listener of [...(listeners.get(topic) ?? [])]) listener();
      for (const listener of [...ofAll]) listener(topic);
    });
  }
  return {
    emit,
    emitLast(topic) {
      last = topic;
      emit(topic);
    },
    on(topic, listener) {
      const set = listeners.get(topic) ?? new Set();
      listeners.set(topic, set.add(listener));
      if (topic === last) real.queueMicrotask(() => set.has(listener) && listener());
      return () => {
        set.delete(listener);
        if (set.size === 0 && listeners.get(topic) === set) listeners.delete(topic);
      };
    },
    onAny(listener) {
      ofAll.add(listener);
      const ended = last;
      if (ended !== undefined) real.queueMicrotask(() => ofAll.has(listener) && listener(ended));
      return () => void ofAll.delete(listener);
    },
  };
}
