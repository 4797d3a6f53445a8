/** Entities that a transaction touched; listeners receive them after its commit. */

import { type Touched, touchedOf } from "../../store/port.ts";
import type { DirectoryChange } from "../directory.ts";

/** Above this many ids a change says `all`: evicting everything is cheaper than looking each one up. */
const MAX_IDS = 5_000;

/** Kinds of things that are touched under an internal id. */
type Kind = "user" | "group" | "policy";

/** Gathers the things that a transaction touches: by internal id for caches, by name for the log. */
export class ChangeCollector {
  readonly #ids = { user: new Set<string>(), group: new Set<string>(), policy: new Set<string>() };
  readonly #names = { user: new Set<string>(), group: new Set<string>(), policy: new Set<string>() };
  readonly #resources = new Set<string>();

  /** Notes a thing of which a cache may hold what it was. */
  touch(kind: Kind, id: string, name: string): void {
    this.#ids[kind].add(id);
    this.#names[kind].add(name);
  }

  /** Notes a thing that the change is about although no cache depends on it, such as the group of a new member. */
  mention(kind: Kind, name: string): void {
    this.#names[kind].add(name);
  }

  /** Notes a resource type (`<type>`) or a registered resource (`<type>/<id>`). */
  touchResource(name: string): void {
    this.#resources.add(name);
  }

  /** Names of the users that were touched. */
  get users(): readonly string[] {
    return [...this.#names.user];
  }

  /** The change for listeners, or undefined. */
  toChange(): DirectoryChange | undefined {
    const { user, group, policy } = this.#ids;
    const count = user.size + group.size + policy.size;
    if (count > MAX_IDS) return { all: true };
    if (count === 0 && this.#resources.size === 0) return undefined;
    return {
      ...(user.size > 0 && { users: [...user] }),
      ...(group.size > 0 && { groups: [...group] }),
      ...(policy.size > 0 && { policies: [...policy] }),
      ...(this.#resources.size > 0 && { resources: true }),
    };
  }

  /** The same by name, or undefined. */
  toTouched(): Touched | undefined {
    const { user, group, policy } = this.#names;
    return touchedOf({
      users: [...user],
      groups: [...group],
      policies: [...policy],
      resources: [...this.#resources],
    });
  }
}
