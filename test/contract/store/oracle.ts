/** Random commands on a store, compared with a naive map: the part of the store contract that nobody thought of. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScanOptions, Snapshot, Store } from "../../../src/store/port.ts";
import type { OpenedStore } from "./harness.ts";

/** The naive store: a map that is copied for each snapshot and sorted for each scan. */
type Oracle = Map<string, { readonly value: string; readonly version: string }>;

interface World {
  readonly oracle: Oracle;
  readonly snapshots: { readonly snapshot: Snapshot; readonly oracle: Oracle }[];
  /** Every (key, version) ever seen. */
  readonly versions: Set<string>;
}

type Command = (store: Store, world: World) => Promise<void>;

const at = (partition: string, key: string): string => `${partition}\0${key}`;

const letter = fc.constantFrom(
  "a",
  "b",
  "A",
  "/",
  "é",
  "e\u0301",
  "\uffff",
  "\ue000",
  "😀",
  "\u{10ffff}",
  "\u0001",
);
const key = fc.array(letter, { minLength: 1, maxLength: 3 }).map((letters) => letters.join(""));
const anyText = fc.oneof(key, fc.constant(""), fc.string({ unit: "binary", maxLength: 4 }));
const partition = fc.constantFrom("p", "p2", "q");
const place = fc.record({ partition, key });

const commit: fc.Arbitrary<Command> = fc
  .record({
    put: fc.uniqueArray(fc.record({ partition, key, value: fc.string() }), {
      maxLength: 4,
      selector: nameOf,
    }),
    remove: fc.array(place, { maxLength: 3 }),
    expected: fc.array(fc.record({ partition, key, right: fc.integer({ min: 0, max: 5 }) }), {
      maxLength: 2,
    }),
  })
  .map(
    ({ put, remove, expected }): Command =>
      async (store, { oracle, versions }) => {
        const names = new Set(put.map(nameOf));
        const deleted = remove.filter((it) => !names.has(nameOf(it)));
        const expectations = expected.map(({ right, ...it }) => {
          const version = oracle.get(nameOf(it))?.version;
          return {
            ...it,
            base: undefined,
            version: right > 0 ? version : version === undefined ? "0" : undefined,
          };
        });
        const holds = expectations.every((it) => oracle.get(nameOf(it))?.version === it.version);
        const outcome = await store
          .commit({ expect: expectations, put, delete: deleted })
          .catch((error: unknown) => error);
        expect(holds ? typeof outcome : isErrorCode(outcome, "conflict")).toBe(holds ? "number" : true);
        if (!holds) return;
        for (const it of deleted) oracle.delete(nameOf(it));
        const snapshot = await store.snapshot();
        for (const it of put) {
          const record = await snapshot.get(it.partition, it.key);
          expect(record?.value).toBe(it.value);
          const seen = `${nameOf(it)}\0${record!.version}`;
          expect(versions.has(seen)).toBe(false);
          versions.add(seen);
          oracle.set(nameOf(it), record!);
        }
        snapshot.release();
      },
  );

const openSnapshot: fc.Arbitrary<Command> = fc.constant(async (store, { snapshots, oracle }) => {
  snapshots.push({ snapshot: await store.snapshot(), oracle: new Map(oracle) });
});

const releaseSnapshot: fc.Arbitrary<Command> = fc.nat().map(
  (index): Command =>
    async (_, { snapshots }) => {
      const [released] = snapshots.splice(index % Math.max(1, snapshots.length), 1);
      released?.snapshot.release();
    },
);

const look: fc.Arbitrary<Command> = fc.record({ partition, keys: fc.array(anyText, { maxLength: 4 }) }).map(
  ({ partition: p, keys }): Command =>
    (store, world) =>
      onEveryState(store, world, async (snapshot, oracle) => {
        expect(await snapshot.getMany(p, keys)).toEqual(keys.map((it) => oracle.get(at(p, it))));
      }),
);

const scan: fc.Arbitrary<Command> = fc
  .record({
    partition,
    options: fc.record(
      { prefix: anyText, after: anyText, limit: fc.integer({ min: 1, max: 12 }) },
      { requiredKeys: ["limit"] },
    ),
  })
  .map(
    ({ partition: p, options }): Command =>
      (store, world) =>
        onEveryState(store, world, async (snapshot, oracle) => {
          expect(await snapshot.scan(p, options)).toEqual(naiveScan(oracle, p, options));
        }),
  );

function nameOf(it: { readonly partition: string; readonly key: string }): string {
  return at(it.partition, it.key);
}

async function onEveryState(
  store: Store,
  world: World,
  check: (snapshot: Snapshot, oracle: Oracle) => Promise<void>,
): Promise<void> {
  for (const { snapshot, oracle } of world.snapshots) await check(snapshot, oracle);
  const now = await store.snapshot();
  await check(now, world.oracle);
  now.release();
}

function naiveScan(oracle: Oracle, p: string, { prefix = "", after, limit }: ScanOptions): unknown[] {
  const bytes = (text: string): Buffer => Buffer.from(text);
  return [...oracle]
    .filter(([name]) => name.startsWith(at(p, "")))
    .map(([name, record]) => ({ key: name.slice(p.length + 1), ...record }))
    .filter((it) => it.key.startsWith(prefix))
    .filter((it) => after === undefined || Buffer.compare(bytes(it.key), bytes(after)) > 0)
    .sort((a, b) => Buffer.compare(bytes(a.key), bytes(b.key)))
    .slice(0, limit);
}

/** Declares the property for one backend. */
export function describeStoreOracle(name: string, open: () => Promise<OpenedStore>): void {
  describe(`store against a naive map: ${name}`, () => {
    it("answers random commands as the map does, in every snapshot", async () => {
      const weighted = fc.oneof(
        { arbitrary: commit, weight: 6 },
        { arbitrary: scan, weight: 4 },
        { arbitrary: look, weight: 2 },
        { arbitrary: openSnapshot, weight: 1 },
        { arbitrary: releaseSnapshot, weight: 1 },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(weighted, { minLength: 5, maxLength: 60 }), async (commands) => {
          const opened = await open();
          const world: World = { oracle: new Map(), snapshots: [], versions: new Set() };
          try {
            for (const command of commands) await command(opened.store, world);
            for (const { snapshot } of world.snapshots) snapshot.release();
          } finally {
            await opened.close();
          }
        }),
        { numRuns: 40 },
      );
    });
  });
}
