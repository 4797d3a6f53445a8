/** Times the calls of an engine of the log, between a node and the engine itself. */

import type { Engine } from "../journal/engine.ts";
import { FastHistogram, REQUEST_BOUNDS } from "./fast-histogram.ts";

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

/** The same engine, with every call timed. */
export function observeEngine(engine: Engine, times: EngineTimes): Engine {
  return {
    budgets: engine.budgets,
    create: (name, item) => timed(times.create, () => engine.create(name, item)),
    read: (name) => timed(times.read, () => engine.read(name)),
    entries: (after, limit) => timed(times.entries, () => engine.entries(after, limit)),
    floor: () => timed(times.floor, () => engine.floor()),
    raiseFloor: (to) => timed(times.raiseFloor, () => engine.raiseFloor(to)),
    remove: (names) => timed(times.remove, () => engine.remove(names)),
    list: (kind, upTo, limit) => timed(times.list, () => engine.list(kind, upTo, limit)),
    ...(engine.isCrowded !== undefined && { isCrowded: () => engine.isCrowded!() }),
    watch: (listener) => engine.watch(listener),
    close: () => engine.close(),
  };
}

async function timed<T>(histogram: FastHistogram, call: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await call();
  } finally {
    histogram.observe((performance.now() - start) / 1_000);
  }
}
