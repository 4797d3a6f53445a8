/** The stores that the tests of the directory run on, and stores that fail or are slow. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { AuthorizerError, type ErrorCode } from "@svc-authorizer/policy/errors.ts";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Store } from "../../src/store/port.ts";

/** A kind of store; `open` gives an empty one, `dispose` closes it and removes its files. */
export interface Backend {
  readonly name: string;
  open(): Promise<{ readonly store: Store; dispose(): Promise<void> }>;
}

export const MEMORY: Backend = {
  name: "memory",
  async open() {
    const store = openMemoryStore();
    return { store, dispose: () => store.close() };
  },
};

export const LOCAL: Backend = {
  name: "local",
  async open() {
    const path = mkdtempSync(join(tmpdir(), "directory-test-"));
    const store = await openLocalStore({ path, syncWrites: false });
    return {
      store,
      async dispose() {
        await store.close();
        rmSync(path, { recursive: true, force: true });
      },
    };
  },
};

export const BACKENDS: readonly Backend[] = [MEMORY, LOCAL];

/** A store over another whose commits fail at will; reading goes on. */
interface FailingStore extends Store {
  /** Commits that still succeed. */
  commitsLeft: number;
  /** True: a failing commit is stored nevertheless, as when an answer is lost. */
  loseAnswers: boolean;
  /** Commits that were tried. */
  readonly tried: number;
}

/** Wraps a store so that commits fail with "unavailable" once `commitsLeft` are used up. */
export function failingStore(inner: Store, commitsLeft = Number.POSITIVE_INFINITY): FailingStore {
  let tried = 0;
  return {
    commitsLeft,
    loseAnswers: false,
    get tried() {
      return tried;
    },
    snapshot: () => inner.snapshot(),
    async commit(commit) {
      tried += 1;
      if (this.commitsLeft > 0) {
        this.commitsLeft -= 1;
        return inner.commit(commit);
      }
      if (this.loseAnswers) await inner.commit(commit);
      throw new AuthorizerError("unavailable", "the store is gone");
    },
    get logId() {
      return inner.logId;
    },
    changes: (after, limit) => inner.changes(after, limit),
    history: inner.history,
    subscribe: (listener) => inner.subscribe(listener),
    health: () => inner.health(),
    close: () => inner.close(),
  };
}

/** A store that refuses the commits of sweeps, as if the process ended before each. */
export function unsweeping(inner: Store): Store {
  const failing = failingStore(inner, 0);
  return {
    snapshot: () => inner.snapshot(),
    // Only sweeps delete without putting anything.
    commit: (commit) => (commit.put === undefined ? failing.commit(commit) : inner.commit(commit)),
    get logId() {
      return inner.logId;
    },
    changes: (after, limit) => inner.changes(after, limit),
    history: inner.history,
    subscribe: (listener) => inner.subscribe(listener),
    health: () => inner.health(),
    close: () => inner.close(),
  };
}

/** A store whose commits happen one after the other, with turns of the event loop between them. */
export function slowStore(inner: Store, ms = 2): Store {
  let last: Promise<unknown> = Promise.resolve();
  return {
    snapshot: () => inner.snapshot(),
    commit(commit) {
      const done = last.then(() => delay(ms)).then(() => inner.commit(commit));
      last = done.catch(() => undefined);
      return done;
    },
    get logId() {
      return inner.logId;
    },
    changes: (after, limit) => inner.changes(after, limit),
    history: inner.history,
    subscribe: (listener) => inner.subscribe(listener),
    health: () => inner.health(),
    close: () => inner.close(),
  };
}

/** The code that a promise is rejected with, or "ok". */
export async function codeOf(promise: Promise<unknown>): Promise<ErrorCode | "ok"> {
  try {
    await promise;
    return "ok";
  } catch (error) {
    if (error instanceof AuthorizerError) return error.code;
    throw error;
  }
}

/** A policy with one statement. */
export function policy(name: string, resource = "*") {
  return { name, statement: [{ effect: "allow", action: ["fs:ReadObject"], resource }] };
}
