// The signal bus of one world: announces that a subject has changed to those who wait for it.

import { real } from './real-time.js';

export class Bus {
  private readonly listeners = new Map<string, Set<() => void>>();
  private readonly ofAll = new Set<(topic: string) => void>();
  private last: string | undefined;

  /** Calls the listeners once the present transaction is over. */
  emit(topic: string): void {
    if (!this.listeners.has(topic) && this.ofAll.size === 0) return;
    // Transactions are synchronous, so a microtask runs after the one that emits has ended.
    real.queueMicrotask(() => {
      for (const listener of [...(this.listeners.get(topic) ?? [])]) listener();
      for (const listener of [...this.ofAll]) listener(topic);
    });
  }

  /** Emits a topic that ends everything: listeners that are added later are called back, too. */
  emitLast(topic: string): void {
    this.last = topic;
    this.emit(topic);
  }

  /** Calls back at each emit of the topic until the returned function is called. */
  on(topic: string, listener: () => void): () => void {
    const set = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, set.add(listener));
    if (topic === this.last) real.queueMicrotask(() => set.has(listener) && listener());
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.listeners.get(topic) === set) this.listeners.delete(topic);
    };
  }

  /** Calls back with the topic of every emit. */
  onAny(listener: (topic: string) => void): () => void {
    this.ofAll.add(listener);
    const ended = this.last;
    if (ended !== undefined) real.queueMicrotask(() => this.ofAll.has(listener) && listener(ended));
    return () => void this.ofAll.delete(listener);
  }
}
