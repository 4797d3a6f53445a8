/** Counts of mirroring by region: plain numbers, read when metrics are scraped. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { MirrorReport } from "./mirror.ts";
import { CallFailed } from "./ports.ts";

/** Kinds of failures of passes. */
type MirrorErrorKind = "data_server" | "store" | "internal";

/** Counts of one region. */
export interface RegionCounters {
  passes: number;
  recorded: number;
  looks: number;
  promotions: number;
  readonly errors: Record<MirrorErrorKind, number>;
  /** The newest report of each mirror for which this process acts, be it of a pass that failed. */
  readonly reports: Map<string, MirrorReport>;
  /** Unix milliseconds of the newest pass of each of them that came to its end; of the first one that failed where none did. */
  readonly passedAt: Map<string, number>;
}

/** Counts of all regions. */
export class MirrorCounters {
  readonly #regions: Map<string, RegionCounters>;
  readonly #now: () => number;

  /** @param now Unix milliseconds */
  constructor(regions: Iterable<string>, now: () => number = Date.now) {
    this.#regions = new Map([...regions].map((name) => [name, newCounters()]));
    this.#now = now;
  }

  get regions(): ReadonlyMap<string, RegionCounters> {
    return this.#regions;
  }

  /** Counters of a region; one that is not configured has them once a mirror is in it. */
  #of(region: string): RegionCounters {
    const known = this.#regions.get(region) ?? newCounters();
    this.#regions.set(region, known);
    return known;
  }

  /** Counts a pass that came to its end. */
  noteReport(region: string, mirror: string, report: MirrorReport): void {
    const counters = this.#of(region);
    counters.passes += 1;
    counters.recorded += report.work.recorded;
    counters.looks += report.work.looks;
    counters.promotions += report.work.promotions;
    counters.passedAt.set(mirror, this.#now());
    counters.reports.set(mirror, report);
  }

  /**
   * Counts a pass that failed.
   * @param report what is known after it; undefined where that is nothing new
   */
  noteError(region: string, mirror: string, error: unknown, report: MirrorReport | undefined): void {
    const counters = this.#of(region);
    counters.errors[kindOf(error)] += 1;
    if (!counters.passedAt.has(mirror)) counters.passedAt.set(mirror, this.#now());
    if (report !== undefined) counters.reports.set(mirror, report);
  }

  /** Notes the state of a mirror for which no passes are made. */
  noteState(region: string, mirror: string, report: MirrorReport): void {
    this.#of(region).reports.set(mirror, report);
  }

  /** Forgets a mirror for which this process does not act any more. */
  forget(region: string, mirror: string): void {
    const counters = this.#regions.get(region);
    counters?.reports.delete(mirror);
    counters?.passedAt.delete(mirror);
  }
}

function kindOf(error: unknown): MirrorErrorKind {
  if (error instanceof CallFailed) return "data_server";
  return error instanceof AuthorizerError ? "store" : "internal";
}

function newCounters(): RegionCounters {
  return {
    passes: 0,
    recorded: 0,
    looks: 0,
    promotions: 0,
    errors: { data_server: 0, store: 0, internal: 0 },
    reports: new Map(),
    passedAt: new Map(),
  };
}
