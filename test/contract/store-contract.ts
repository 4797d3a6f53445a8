/** The contract of the store port as one suite, run by every backend. Its parts are in `store/`. */

import { describe } from "vitest";
import { describeClosing } from "./store/closing.ts";
import { describeCommits } from "./store/commits.ts";
import { describeFollowing } from "./store/following.ts";
import { type OpenedStore, StoreHarness } from "./store/harness.ts";
import { describeHistory } from "./store/history.ts";
import { describeHistoryOfKeys } from "./store/history-of-keys.ts";
import { describeLimits } from "./store/limits.ts";
import { describeStoreOracle } from "./store/oracle.ts";
import { describeReads } from "./store/reads.ts";
import { describeSnapshots } from "./store/snapshots.ts";

/** Declares the suite for one backend. `open` gives a new, empty store each time. */
export function describeStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`store contract: ${name}`, () => {
    const harness = new StoreHarness(open);
    describeOpenStore(harness);
    describe("closing", () => describeClosing(harness));
  });
  describeStoreOracle(name, open);
}

/** Declares all parts but how it is closed. */
export function describeOpenStore(harness: StoreHarness): void {
  describe("commits", () => describeCommits(harness));
  describe("limits", () => describeLimits(harness));
  describe("reads", () => describeReads(harness));
  describe("snapshots", () => describeSnapshots(harness));
  describe("following", () => describeFollowing(harness));
  describe("history", () => describeHistory(harness));
  describe("history of single records", () => describeHistoryOfKeys(harness));
}
