/** Resources that tests share, opened and closed around them. */

import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";

/** Anything that has to be closed. */
interface Closable {
  close(): unknown;
}

/**
 * One resource for all tests of the group: opened before the first of them, closed after the last.
 * @returns stands for the resource; tests and hooks of the group may use it, and nothing before them
 */
export function openedOnce<T extends Closable>(open: () => Promise<T>, timeoutMs?: number): T {
  let opened: T | undefined;
  beforeAll(async () => {
    opened = await open();
  }, timeoutMs);
  afterAll(() => opened?.close(), timeoutMs);
  return standingFor(() => opened);
}

/** As {@link openedOnce}, anew for each test. */
export function openedEach<T extends Closable>(open: () => Promise<T>): T {
  let opened: T | undefined;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    // A test whose resource cannot be opened must not find the one before.
    const last = opened;
    opened = undefined;
    await last?.close();
  });
  return standingFor(() => opened);
}

function standingFor<T extends object>(current: () => T | undefined): T {
  const resource = (): T => {
    const found = current();
    if (found === undefined) throw new Error("not open: only tests and hooks may use it");
    return found;
  };
  return new Proxy<T>({} as T, {
    get: (_, name) => {
      const value: unknown = Reflect.get(resource(), name);
      // Methods may read private fields, which only the resource itself has.
      return typeof value === "function" ? value.bind(resource()) : value;
    },
    set: (_, name, value) => Reflect.set(resource(), name, value),
    // A copy (`{ ...resource }`) has what the resource has.
    ownKeys: () => Reflect.ownKeys(resource()),
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(resource(), name);
      return found && { ...found, configurable: true };
    },
  });
}
