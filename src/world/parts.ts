// The in-memory state of modules in a world, created on first use.

/** Something that a module keeps of a world, and what it does when something happens to the whole world. */
export interface WorldPart {
  /** All data are replaced: called within the transaction, for what must be read anew. */
  reread?(): void;
  /** All data were replaced: called after the transaction. */
  replaced?(event: Replacement, subject: string): void;
  /** Whether the world has to stay open although no request is under way in it. */
  isBusy?(): boolean;
  /** The world ends; called before its database is closed. */
  close?(): void;
}

/** The reason for which all data were replaced. */
export type Replacement = 'reset' | 'restored' | 'scenario';

/** Names a part and makes it. */
export interface Key<World, Part extends WorldPart> {
  readonly name: string;
  readonly create: (world: World) => Part;
}

/** How parts are made, by their keys. */
export type Makers<World> = ReadonlyMap<Key<World, WorldPart>, (world: World) => WorldPart>;

/** The parts of one world. `close` closes all of them before it throws what one of them has thrown. */
export interface Parts<World> extends Required<WorldPart> {
  get<Part extends WorldPart>(key: Key<World, Part>, world: World): Part;
}

/** No part is made yet; `makers` make those whose keys cannot. */
export function createParts<World>(makers: Makers<World> = new Map()): Parts<World> {
  const parts = new Map<Key<World, WorldPart>, WorldPart>();
  return {
    get<Part extends WorldPart>(key: Key<World, Part>, world: World): Part {
      let part = parts.get(key);
      if (part === undefined) {
        part = (makers.get(key) ?? key.create)(world);
        parts.set(key, part);
      }
      return part as Part;
    },
    reread() {
      for (const part of parts.values()) part.reread?.();
    },
    replaced(event, subject) {
      for (const part of parts.values()) part.replaced?.(event, subject);
    },
    isBusy: () => [...parts.values()].some((part) => part.isBusy?.() === true),
    close() {
      let failure: unknown;
      for (const part of parts.values()) {
        try {
          part.close?.();
        } catch (error) {
          failure ??= error;
        }
      }
      if (failure !== undefined) throw failure;
    },
  };
}
