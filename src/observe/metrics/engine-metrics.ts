/** Times the calls of an engine of the log, between a node and the engine itself. */

import type { Engine } from "../../journal/engine.ts";
import { FastHistogram, REQUEST_BOUNDS } from "./histograms/fast-histogram.ts";
import type { InSpan } from "./store-metrics.ts";

/** Calls that are timed. */
const CALLS = ["create", "read", "entries", "floor", "raiseFloor", "remove", "list"] as const;

type EngineCall = (typeof CALLS)[number];

/** Durations of the calls of one engine, failed ones among them. */
export type EngineTimes = Readonly<Record<EngineCall, FastHistogram>>;

/** Durations for {@link observeEngine}, all zero. */
export function createEngineTimes(): EngineTimes {
  return Object.fromEntries(CALLS.map((call) => [call, new FastHistogram(REQUEST_BOUNDS)])) as EngineTimes;
}

/** The histogram of each call; what is not named here is not timed. */
const TIMED = {
  create: "create",
  createAndFloor: "create",
  read: "read",
  look: "read",
  barrier: "create",
  entries: "entries",
  firstAfter: "read",
  floor: "floor",
  raiseFloor: "raiseFloor",
  remove: "remove",
  list: "list",
  newest: "list",
} as const satisfies { readonly [call in keyof Engine]?: EngineCall };

/**
 * The same engine, with its calls timed. Whatever else it has, it has as well: an optional member that a wrapper left out
 * would be missed by nobody.
 * @param inSpan absent if nothing is traced
 */
export function observeEngine(engine: Engine, times: EngineTimes, inSpan?: InSpan): Engine {
  const timed: Timed =
    inSpan === undefined
      ? (name, call) => measured(times[name], call)
      : (name, call) => inSpan(`journal.${name}`, () => measured(times[name], call));
  const methods = new Map<PropertyKey, unknown>();
  return new Proxy(engine, {
    get: (_, name) => {
      const member: unknown = Reflect.get(engine, name, engine);
      if (typeof member !== "function") return member;
      let method = methods.get(name);
      if (method === undefined) {
        const call = (...given: unknown[]): unknown => Reflect.apply(member, engine, given);
        const as = isTimed(name) ? TIMED[name] : undefined;
        method =
          as === undefined
            ? call
            : (...given: unknown[]) => timed(as, () => call(...given) as Promise<unknown>);
        methods.set(name, method);
      }
      return method;
    },
  });
}

function isTimed(name: PropertyKey): name is keyof typeof TIMED {
  return Object.hasOwn(TIMED, name);
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
