/**
 * Random loads, writes and renewals of a {@link DependentCache} beside a naive cache (spec/security §4.1): a value is never
 * older than the newest write of which the cache has heard, and it is loaded again only where it has to be.
 */

import fc from "fast-check";
import { expect, it } from "vitest";
import { DependentCache } from "../../src/cache/dependent-cache.ts";
import { sized } from "../proofs/size.ts";

const TTL = 1_000;
const IDS = ["alice", "bob", "readers", "writers"] as const;
type Id = (typeof IDS)[number];
/** The ids that the value under a key is made from. */
const DEPENDS: Readonly<Record<string, readonly Id[]>> = {
  "1": ["alice", "readers"],
  "2": ["bob", "readers"],
  "3": ["bob", "writers"],
};

interface Value {
  readonly key: string;
  /** The writes of each of its ids, counted when it was read. */
  readonly writes: readonly number[];
}

type Step =
  | { readonly do: "load" | "get"; readonly key: string }
  | { readonly do: "read" | "finish"; readonly which: number }
  | { readonly do: "write"; readonly ids: readonly Id[] }
  | { readonly do: "writeAll" | "contact" | "lost" }
  | { readonly do: "wait"; readonly ms: number };

const key = fc.constantFrom(...Object.keys(DEPENDS));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("load", "get"), key }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("read", "finish"), which: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("write"), ids: fc.subarray([...IDS], { minLength: 1 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("writeAll", "contact", "lost") }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait"), ms: fc.constantFrom(1, TTL / 2, TTL) }) },
);

/** A load under way: it reads at one moment, and ends at a later one. */
interface Load {
  readonly key: string;
  /** Ids that were written since it began. */
  readonly overtakenBy: Set<Id>;
  /** True: something was written since it began. */
  overtaken: boolean;
  value: Value | undefined;
  end: (value: Value) => void;
}

class World {
  now = 0;
  hearsAll: boolean;
  readonly writes = new Map<Id, number>(IDS.map((id) => [id, 0]));
  readonly loads: Load[] = [];
  /** The naive cache. */
  readonly kept = new Map<string, { readonly value: Value; expires: number }>();
  readonly cache: DependentCache<Value>;

  /**
   * @param size a cache of one value, and the others are spare; or one for all
   * @param large keys of values that are filed under nothing
   */
  constructor(hearsAll: boolean, size: number, large: readonly string[]) {
    this.hearsAll = hearsAll;
    this.cache = this.#made(size, large);
  }

  readonly #made = (size: number, large: readonly string[]) =>
    new DependentCache<Value>({
      isLarge: ({ key: of }) => large.includes(of),
      settings: { enabled: true, size, ttl: TTL, jitter: 0 },
      spare: { most: 10, sizeOf: () => 1 },
      filedUnder: ({ key: of }) => DEPENDS[of]!,
      isToldEverything: () => this.hearsAll,
      now: () => this.now,
    });

  async run(one: Step): Promise<void> {
    if (one.do === "load") this.#load(one.key);
    else if (one.do === "get") this.#get(one.key);
    else if (one.do === "read") this.#read(this.loads[one.which]);
    else if (one.do === "finish") await this.#finish(one.which);
    else if (one.do === "write") this.#write(one.ids, false);
    else if (one.do === "writeAll") this.#write(IDS, true);
    else if (one.do === "wait") this.now += one.ms;
    else this.hearsAll = one.do === "contact";
  }

  #load(of: string): void {
    const isShared = this.loads.some((load) => load.key === of && !load.overtaken);
    let began = false;
    void this.cache.load(of, () => {
      began = true;
      const { promise, resolve } = Promise.withResolvers<Value>();
      this.loads.push({ key: of, overtakenBy: new Set(), overtaken: false, value: undefined, end: resolve });
      return promise;
    });
    expect(began).toBe(!isShared);
  }

  #read(load: Load | undefined): void {
    if (load !== undefined) load.value ??= this.#current(load.key);
  }

  async #finish(which: number): Promise<void> {
    const [load] = this.loads.splice(which, 1);
    if (load === undefined) return;
    this.#read(load);
    const { key: of, value, overtakenBy } = load;
    load.end(value!);
    await new Promise(setImmediate);
    if (DEPENDS[of]!.some((id) => overtakenBy.has(id))) return;
    this.kept.set(of, { value: value!, expires: this.now + TTL });
  }

  #write(ids: readonly Id[], all: boolean): void {
    for (const id of ids) this.writes.set(id, this.writes.get(id)! + 1);
    this.cache.evict({ ids: all ? [] : ids, all });
    for (const load of this.loads) {
      load.overtaken = true;
      for (const id of ids) load.overtakenBy.add(id);
    }
    for (const of of this.kept.keys()) if (DEPENDS[of]!.some((id) => ids.includes(id))) this.kept.delete(of);
  }

  #get(of: string): void {
    const entry = this.kept.get(of);
    const isValid = entry !== undefined && (entry.expires > this.now || this.hearsAll);
    const found = this.cache.get(of);
    expect(found).toBe(isValid ? entry.value : undefined);
    if (found !== undefined) expect(found).toEqual(this.#current(of));
    if (isValid && entry.expires <= this.now) entry.expires = this.now + TTL;
  }

  #current(of: string): Value {
    return { key: of, writes: DEPENDS[of]!.map((id) => this.writes.get(id)!) };
  }
}

it("a cache beside racing writes answers as a naive one, with nothing that a write has overtaken", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.constantFrom(1, 2, 100),
      fc.subarray(Object.keys(DEPENDS)),
      fc.array(step, { maxLength: 60, size: "max" }),
      async (hearsAll, size, large, steps) => {
        const world = new World(hearsAll, size, large);
        for (const one of steps) await world.run(one);
        for (const of of Object.keys(DEPENDS)) await world.run({ do: "get", key: of });
      },
    ),
    { numRuns: sized(200, 2_000) },
  );
});
