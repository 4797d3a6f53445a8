/** Creates whose answers a network loses, as one suite for every engine behind a network. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Engine } from "../../src/journal/engine.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { withSnapshot } from "../../src/store/port.ts";
import { openNode } from "./bed.ts";
import { type LossyProxy, startLossyProxy } from "./lossy-proxy.ts";

/** A database whose port a proxy can stand before. */
export interface ReachedBed {
  readonly port: number;
  /** A text that is in a request which creates an entry, and in no other request of a node that commits. */
  readonly create: string;
  /** Another handle on the database, through a port. */
  open(port: number): Promise<Engine>;
}

const P = "things";

/** Declares the suite. `makeBed` gives an empty database each time. */
export function describeLostAnswers(name: string, makeBed: () => Promise<ReachedBed>): void {
  describe(`lost answers: ${name}`, () => {
    let proxy: LossyProxy;
    let bed: ReachedBed;
    let direct: JournalStore;
    let lossy: JournalStore;
    beforeEach(async () => {
      bed = await makeBed();
      proxy = await startLossyProxy(bed.port);
      direct = await openNode(await bed.open(bed.port), { pollMs: 60_000 });
      // It hears of nothing by itself, so that it runs into what the other created.
      const engine = await bed.open(proxy.port);
      engine.watch = () => () => {};
      lossy = await openNode(engine, { pollMs: 60_000 });
    });
    afterEach(async () => {
      await lossy.close();
      await direct.close();
      await proxy.close();
    });

    /** A node that had trouble refuses changes until it has reached its database again. */
    const add = async (store: JournalStore, key: string): Promise<number> => {
      try {
        await store.catchUp();
        return await store.commit({ put: [{ partition: P, key, value: "x" }] });
      } catch (error) {
        if (!isErrorCode(error, "unavailable")) throw error;
        return add(store, key);
      }
    };
    const keysOf = async (store: JournalStore): Promise<readonly string[]> => {
      await store.catchUp();
      const found = await withSnapshot(store, (snapshot) => snapshot.scan(P, { limit: 100 }));
      return found.map(({ key, version }) => `${version} ${key}`);
    };

    it("a create that happened is recognised as one's own, and done once", async () => {
      for (let round = 1; round <= 5; round++) {
        proxy.loseAnswer(bed.create);
        expect(await add(lossy, `k${round}`)).toBe(round);
        expect(proxy.lost).toBe(round);
      }
      expect(await keysOf(direct)).toEqual(["1 k1", "2 k2", "3 k3", "4 k4", "5 k5"]);
      expect(lossy.counters.lostRaces).toBe(0);
    });

    it("a create that was refused is recognised as another's, and made again behind it", async () => {
      await lossy.catchUp();
      await add(direct, "theirs");
      proxy.loseAnswer(bed.create);
      const first = lossy.commit({ put: [{ partition: P, key: "mine", value: "x" }] });
      expect(await first.catch(() => add(lossy, "mine"))).toBe(2);
      expect(proxy.lost).toBe(1);
      expect(await keysOf(direct)).toEqual(["2 mine", "1 theirs"]);
      expect(await keysOf(lossy)).toEqual(["2 mine", "1 theirs"]);
    });
  });
}
