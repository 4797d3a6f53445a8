/** Shared by the parts of the store contract: the backend under test and short ways to use it. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { afterEach, beforeEach, expect } from "vitest";
import type { Expectation } from "../../../src/store/expectation.ts";
import type { Commit, ScannedRecord, Snapshot, Store, StoredRecord } from "../../../src/store/port.ts";
import { withSnapshot } from "../../../src/store/port.ts";

/** A backend under test, opened empty. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens the same data again; absent for a backend that keeps nothing. */
  readonly reopen?: () => Promise<Store>;
  /** Closes whatever is open and removes the data. */
  readonly close: () => Promise<void>;
}

/** The partition that most tests use. */
export const P = "things";

/** The store of the running test and short ways to use it. */
export class StoreHarness {
  #opened: OpenedStore | undefined;
  #store: Store | undefined;

  /** Opens a store before each test of the current suite and closes it afterwards. */
  constructor(open: () => Promise<OpenedStore>) {
    beforeEach(async () => {
      this.#opened = await open();
      this.#store = this.#opened.store;
    });
    afterEach(() => this.#opened!.close());
  }

  get store(): Store {
    return this.#store!;
  }

  get canReopen(): boolean {
    return this.#opened!.reopen !== undefined;
  }

  async reopen(): Promise<void> {
    this.#store = await this.#opened!.reopen!();
  }

  put = (key: string, value = "x", partition = P): Promise<number> =>
    this.store.commit({ put: [{ partition, key, value }] });

  remove = (key: string): Promise<number> => this.store.commit({ delete: [{ partition: P, key }] });

  read = <T>(action: (snapshot: Snapshot) => Promise<T>): Promise<T> => withSnapshot(this.store, action);

  get = (key: string, partition = P): Promise<StoredRecord | undefined> =>
    this.read((snapshot) => snapshot.get(partition, key));

  value = async (key: string, partition = P): Promise<string | undefined> =>
    (await this.get(key, partition))?.value;

  version = async (key: string): Promise<string | undefined> => (await this.get(key))?.version;

  scan = (
    options: { prefix?: string; after?: string; limit?: number } = {},
    partition = P,
  ): Promise<readonly ScannedRecord[]> =>
    this.read((snapshot) => snapshot.scan(partition, { limit: 1000, ...options }));

  keysOf = async (...scan: Parameters<StoreHarness["scan"]>): Promise<string[]> =>
    (await this.scan(...scan)).map(({ key }) => key);

  /** The condition that a key has this version, or is absent, in whatever state. */
  hasVersion = (key: string, expected: string | undefined, partition = P): Expectation => ({
    partition,
    key,
    version: expected,
    base: undefined,
  });

  /** Expects that a commit is refused with this code. */
  refused = async (commit: Commit, code: "conflict" | "invalid_request"): Promise<void> => {
    const outcome = await this.store.commit(commit).catch((error: unknown) => error);
    expect(isErrorCode(outcome, code)).toBe(true);
  };

  /** Puts records with values `value of KEY`. */
  fill = async (keys: readonly string[]): Promise<void> => {
    await this.store.commit({ put: keys.map((key) => ({ partition: P, key, value: `value of ${key}` })) });
  };
}
