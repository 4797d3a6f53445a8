/** Entities that a transaction touched; listeners receive them after its commit. */

import type { DirectoryChange } from "../directory.ts";

/** Above this many ids a change says `all`: evicting everything is cheaper than looking each one up. */
const MAX_IDS = 5_000;

/** Gathers the ids that a transaction touches. */
export class ChangeCollector {
  readonly users = new Set<string>();
  readonly groups = new Set<string>();
  readonly policies = new Set<string>();
  resources = false;

  /** Forgets what was gathered. */
  clear(): void {
    for (const ids of [this.users, this.groups, this.policies]) ids.clear();
    this.resources = false;
  }

  /** The change for listeners, or undefined. */
  toChange(): DirectoryChange | undefined {
    const count = this.users.size + this.groups.size + this.policies.size;
    if (count > MAX_IDS) return { all: true };
    if (count === 0 && !this.resources) return undefined;
    return {
      ...(this.users.size > 0 && { users: [...this.users] }),
      ...(this.groups.size > 0 && { groups: [...this.groups] }),
      ...(this.policies.size > 0 && { policies: [...this.policies] }),
      ...(this.resources && { resources: true }),
    };
  }
}

/** Listener of changes. */
export type ChangeListener = (change: DirectoryChange) => void;

/** Tells changes to listeners. */
export class ChangeNotifier {
  readonly #listeners = new Set<ChangeListener>();

  /** Adds a listener; returns what removes it. */
  subscribe(listener: ChangeListener): () => void {
    const own: ChangeListener = (change) => listener(change);
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Calls every listener, also after one has thrown; then throws the first failure. */
  notify(change: DirectoryChange): void {
    const failures: unknown[] = [];
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
