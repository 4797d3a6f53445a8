/** Counters of the HTTP edge as plain numbers, handed to the metrics library when it is scraped (design §7). */

/** Upper bounds of the latency buckets, in seconds. */
export const LATENCY_BOUNDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** What was answered on one route. */
export class RouteCounters {
  /** Name of the route, e.g. `/access/v1/check`; never a text of a caller. */
  readonly route: string;
  /** Answers by status, but 200. */
  readonly others: Map<number, number> = new Map();
  /** Answers with status 200. */
  ok = 0;
  /** Answers per bucket of {@link LATENCY_BOUNDS}, not cumulated; the last one is above all bounds. */
  readonly buckets: number[] = new Array<number>(LATENCY_BOUNDS.length + 1).fill(0);
  /** Sum of all latencies in seconds. */
  seconds = 0;

  constructor(route: string) {
    this.route = route;
  }

  /** Counts one answer. `milliseconds`: from the end of the request's headers to the answer. */
  count(status: number, milliseconds: number): void {
    if (status === 200) this.ok++;
    else this.others.set(status, (this.others.get(status) ?? 0) + 1);
    const seconds = milliseconds / 1000;
    this.seconds += seconds;
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS.length && seconds > (LATENCY_BOUNDS[bucket] as number)) bucket++;
    (this.buckets[bucket] as number)++;
  }

  /** Answers by status, all of them. */
  statuses(): ReadonlyMap<number, number> {
    const all = new Map(this.others);
    if (this.ok > 0) all.set(200, this.ok);
    return all;
  }
}

/** Counters of one listener. */
export class HttpCounters {
  readonly #routes: Map<string, RouteCounters> = new Map();
  /** Requests refused with 401, and with 403 for want of a scope. */
  unauthenticated = 0;
  forbidden = 0;
  /** Requests refused with 503 because the queue was full. */
  overloaded = 0;
  /** Answers 500. */
  failures = 0;

  /** The counters of a route, made on first use; routes are a closed set, never what a caller sent. */
  route(name: string): RouteCounters {
    let counters = this.#routes.get(name);
    if (counters === undefined) {
      counters = new RouteCounters(name);
      this.#routes.set(name, counters);
    }
    return counters;
  }

  /** All routes that were asked for. */
  routes(): Iterable<RouteCounters> {
    return this.#routes.values();
  }
}
