/** Times the calls of an engine of the log, between a node and the engine itself. */

import type { Engine } from "../../journal/engine.ts";
import { FastHistogram, REQUEST_BOUNDS } from "./fast-histogram.ts";
import type { InSpan } from "./store-metrics.ts";

/** Calls that are timed. */
export type EngineCall = "create" | "read" | "entries" | "floor" | "raiseFloor" | "remove" | "list";

/** Durations of the calls of one engine, failed ones among them. */
export type EngineTimes = Readonly<Record<EngineCall, FastHistogram>>;

/** Durations for {@link observeEngine}, all zero. */
export function createEngineTimes(): EngineTimes {
  const zero = (): FastHistogram => new FastHistogram(REQUEST_BOUNDS);
  return {
    create: zero(),
    read: zero(),
    entries: zero(),
    floor: zero(),
    raiseFloor: zero(),
    remove: zero(),
    list: zero(),
  };
}

/**
 * The same engine, with every call timed.
 * @param inSpan absent if nothing is traced
 */
export function observeEngine(engine: Engine, times: EngineTimes, inSpan?: InSpan): Engine {
  const timed: Timed =
    inSpan === undefined
      ? (name, call) => measured(times[name], call)
      : (name, call) => inSpan(`journal.${name}`, () => measured(times[name], call));
  return {
    budgets: engine.budgets,
    get restMs() {
      return engine.restMs;
    },
    ...(engine.pollsPerSecond !== undefined && { pollsPerSecond: engine.pollsPerSecond }),
    create: (name, item) => timed("create", () => engine.create(name, item)),
    ...(engine.createAndFloor !== undefined && {
      createAndFloor: (name, item) => timed("create", () => engine.createAndFloor!(name, item)),
    }),
    read: (name) => timed("read", () => engine.read(name)),
    entries: (after, limit) => timed("entries", () => engine.entries(after, limit)),
    floor: () => timed("floor", () => engine.floor()),
    raiseFloor: (to) => timed("raiseFloor", () => engine.raiseFloor(to)),
    remove: (names) => timed("remove", () => engine.remove(names)),
    list: (kind, upTo, limit) => timed("list", () => engine.list(kind, upTo, limit)),
    newest: (kind, upTo) => timed("list", () => engine.newest(kind, upTo)),
    ...(engine.isCrowded !== undefined && { isCrowded: () => engine.isCrowded!() }),
    watch: (listener) => engine.watch(listener),
    close: () => engine.close(),
  };
}

type Timed = <T>(name: EngineCall, call: () => Promise<T>) => Promise<T>;

async function measured<T>(histogram: FastHistogram, call: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await call();
  } finally {
    histogram.observe((performance.now() - start) / 1_000);
  }
}
