/** Counts and times what a store does, between its users and the store itself. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Commit, ScannedRecord, ScanOptions, Snapshot, Store, StoredRecord } from "../../store/port.ts";
import { FastHistogram, REQUEST_BOUNDS } from "./histograms/fast-histogram.ts";
import { OpenSnapshots } from "./open-snapshots.ts";

/** Operations that are counted. */
type StoreOperation = "snapshot" | "get" | "getMany" | "scan" | "commit";

/** Runs an operation in a span of its name, where requests are traced. */
export type InSpan = <T>(name: string, work: () => T) => T;

/** The result of an operation; `conflict` is the normal end of a lost race. */
type StoreResult = "ok" | "conflict" | "unavailable" | "error";

/** Counters of one operation. */
interface StoreOperationCounters {
  readonly results: Record<StoreResult, number>;
  readonly duration: FastHistogram;
}

/** Counters of one store. */
export type StoreCounters = Readonly<Record<StoreOperation, StoreOperationCounters>>;

/** Counters for {@link observeStore}, all zero. */
export function createStoreCounters(): StoreCounters {
  const zero = (): StoreOperationCounters => ({
    results: { ok: 0, conflict: 0, unavailable: 0, error: 0 },
    duration: new FastHistogram(REQUEST_BOUNDS),
  });
  return { snapshot: zero(), get: zero(), getMany: zero(), scan: zero(), commit: zero() };
}

/**
 * The same store, with every snapshot, read and commit counted and timed.
 * @param open is told of snapshots that are opened and released
 * @param inSpan absent if nothing is traced
 * @param onCommitted called with the revision of each commit, in the asynchronous context of who commits
 */
export function observeStore(
  store: Store,
  counters: StoreCounters,
  onCommitted: (revision: number) => void = () => {},
  open: OpenSnapshots = new OpenSnapshots(),
  inSpan?: InSpan,
): Store {
  const measured: Measured =
    inSpan === undefined
      ? (operation, run) => timed(counters[operation], run)
      : (operation, run) => inSpan(`store.${operation}`, () => timed(counters[operation], run));
  return {
    get logId() {
      return store.logId;
    },
    snapshot: async () =>
      new ObservedSnapshot(await measured("snapshot", () => store.snapshot()), measured, open),
    commit: async (commit: Commit) => {
      const revision = await measured("commit", () => store.commit(commit));
      onCommitted(revision);
      return revision;
    },
    changes: (after, limit) => store.changes(after, limit),
    history: store.history,
    subscribe: (listener) => store.subscribe(listener),
    ...optionalOf(store),
    health: () => store.health(),
    close: () => store.close(),
  };
}

type OptionalName = { [K in keyof Store]-?: object extends Pick<Store, K> ? K : never }[keyof Store];

/** Members that not every store has. One that is missing here is an error of types: it would be gone in every service. */
const OPTIONAL: Readonly<Record<OptionalName, true>> = {
  tellsEveryChange: true,
  namesEntries: true,
  takeTurn: true,
  follow: true,
  clearReaders: true,
  lease: true,
  catchUp: true,
  prove: true,
  assertFresh: true,
  copyState: true,
  trouble: true,
  upgradeLog: true,
  stage: true,
};

/** The optional members that a store has. */
function optionalOf(store: Store): Partial<Store> {
  const found: Record<string, unknown> = {};
  for (const name of Object.keys(OPTIONAL) as OptionalName[]) {
    const member = store[name] as (() => unknown) | undefined;
    if (member !== undefined) found[name] = member.bind(store);
  }
  return found;
}

type Measured = <T>(operation: StoreOperation, run: () => Promise<T>) => Promise<T>;

class ObservedSnapshot implements Snapshot {
  readonly #snapshot: Snapshot;
  readonly #measured: Measured;
  readonly #open: OpenSnapshots;

  constructor(snapshot: Snapshot, measured: Measured, open: OpenSnapshots) {
    this.#snapshot = snapshot;
    this.#measured = measured;
    this.#open = open;
    open.opened(this);
  }

  get revision(): number {
    return this.#snapshot.revision;
  }

  get base(): string | undefined {
    return this.#snapshot.base;
  }

  get(partition: string, key: string): Promise<StoredRecord | undefined> {
    return this.#measured("get", () => this.#snapshot.get(partition, key));
  }

  getMany(partition: string, keys: readonly string[]): Promise<readonly (StoredRecord | undefined)[]> {
    return this.#measured("getMany", () => this.#snapshot.getMany(partition, keys));
  }

  scan(partition: string, options: ScanOptions): Promise<readonly ScannedRecord[]> {
    return this.#measured("scan", () => this.#snapshot.scan(partition, options));
  }

  release(): void {
    this.#open.released(this);
    this.#snapshot.release();
  }
}

async function timed<T>(counters: StoreOperationCounters, run: () => Promise<T>): Promise<T> {
  const start = performance.now();
  let result: StoreResult = "error";
  try {
    const value = await run();
    result = "ok";
    return value;
  } catch (error) {
    result = resultOf(error);
    throw error;
  } finally {
    counters.results[result]++;
    counters.duration.observe((performance.now() - start) / 1_000);
  }
}

function resultOf(error: unknown): StoreResult {
  if (!(error instanceof AuthorizerError)) return "error";
  return error.code === "conflict" || error.code === "unavailable" ? error.code : "error";
}
