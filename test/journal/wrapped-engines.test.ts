/** Engines over engines have all that the inner one has: a member that is left out is missed by nobody, and proves nothing. */

import { describe, expect, it } from "vitest";
import { type Engine, entryName, type ItemName } from "../../src/journal/engine.ts";
import { LazyEngine } from "../../src/journal/lazy-engine.ts";
import { ReopenedEngine } from "../../src/journal/reopened-engine.ts";
import { createEngineTimes, observeEngine } from "../../src/observe/metrics/engine-metrics.ts";
import { sharedBy } from "./bed.ts";

const NAME: ItemName = entryName(1);
const ITEM = Buffer.from("item");

/** An engine that has every member there is, and notes what it is asked. */
function fullEngine() {
  const asked: unknown[] = [];
  const noted =
    <T>(name: string, answer: T) =>
    (...given: unknown[]): T => {
      asked.push([name, ...given]);
      return answer;
    };
  const later = <T>(name: string, answer: T) => noted(name, Promise.resolve(answer));
  const engine = {
    budgets: { entry: 64 * 1024, part: 350 * 1024 },
    restMs: 501,
    pollsPerSecond: 1_999,
    lookMs: 11,
    create: later("create", true),
    createAndFloor: later("createAndFloor", { created: true, floor: 3 }),
    read: later("read", ITEM),
    entries: later("entries", { entries: [], floor: 3 }),
    firstAfter: later("firstAfter", 9),
    floor: later("floor", 3),
    look: later("look", { hasNext: false, own: ITEM, floor: 3 }),
    barrier: later("barrier", undefined),
    raiseFloor: later("raiseFloor", undefined),
    remove: later("remove", undefined),
    list: later("list", [NAME]),
    newest: later("newest", NAME),
    isCrowded: later("isCrowded", true),
    watch: noted("watch", () => {}),
    close: later("close", undefined),
  } satisfies Required<Engine>;
  return { engine, asked };
}

type Call = keyof {
  [name in keyof Engine as Engine[name] extends (...given: never[]) => unknown ? name : never]: 1;
};
type OptionalCall = "createAndFloor" | "look" | "barrier" | "isCrowded";

/** A call of every method, beside `watch` and `close`. */
const CALLS: { readonly [name in Exclude<Call, "watch" | "close"> | OptionalCall]: readonly unknown[] } = {
  create: [NAME, ITEM],
  createAndFloor: [NAME, ITEM],
  read: [NAME],
  entries: [7, 50],
  firstAfter: [7],
  floor: [],
  look: [7],
  barrier: [],
  raiseFloor: [7],
  remove: [[NAME]],
  list: ["part", 7, 50],
  newest: ["checkpoint", 7],
  isCrowded: [],
};
const VALUES = ["restMs", "pollsPerSecond", "lookMs", "budgets"] as const;

const WRAPPERS: readonly (readonly [string, (engine: Engine) => Engine])[] = [
  ["an engine whose calls are timed", (engine) => observeEngine(engine, createEngineTimes())],
  ["one that is traced", (engine) => observeEngine(engine, createEngineTimes(), (_, work) => work())],
  ["one that is opened later", (engine) => new ReopenedEngine(async () => engine)],
  ["one of a test", (engine) => sharedBy(engine)],
];

describe.each(WRAPPERS)("%s", (_, wrap) => {
  it("passes on every call, and has every value", async () => {
    const { engine, asked } = fullEngine();
    const wrapped = wrap(engine);
    await wrapped.floor();
    for (const name of VALUES) expect([name, wrapped[name]]).toEqual([name, engine[name]]);
    for (const [name, given] of Object.entries(CALLS)) {
      asked.length = 0;
      const call = wrapped[name as keyof typeof CALLS] as (...given: readonly unknown[]) => unknown;
      const answer = await call.apply(wrapped, [...given]);
      const own = engine[name as keyof typeof CALLS] as (...given: readonly unknown[]) => unknown;
      expect([name, answer]).toEqual([name, await own(...given)]);
      expect(asked[0]).toEqual([name, ...given]);
    }
  });

  it("lacks what the other one lacks, or does it in another way", async () => {
    const { engine } = fullEngine();
    const { look: _look, barrier: _barrier, createAndFloor: _both, isCrowded: _crowded, ...plain } = engine;
    const wrapped = wrap(plain);
    await wrapped.floor();
    await wrapped.barrier?.();
    expect(await wrapped.look?.(7)).toEqual(wrapped.look && { hasNext: true, own: ITEM, floor: 3 });
    expect((await wrapped.createAndFloor?.(NAME, ITEM))?.floor).toBeUndefined();
    expect((await wrapped.isCrowded?.()) ?? false).toBe(false);
  });
});

it("an engine of a worker looks as the one that it opens", async () => {
  const { engine, asked } = fullEngine();
  const lazy = new LazyEngine(engine.budgets, async () => engine);
  expect(await lazy.look(7)).toEqual({ hasNext: false, own: ITEM, floor: 3 });
  await lazy.barrier();
  expect(asked).toEqual([["look", 7], ["barrier"]]);
});
