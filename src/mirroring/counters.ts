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
  /** The newest report of each mirror for which this process acts. */
  readonly reports: Map<string, MirrorReport>;
}

/** Counts of all regions. */
export class MirrorCounters {
  readonly regions: ReadonlyMap<string, RegionCounters>;

  constructor(regions: Iterable<string>) {
    this.regions = new Map([...regions].map((name) => [name, newCounters()]));
  }

  /** Counts a pass that came to its end. */
  noteReport(region: string, mirror: string, report: MirrorReport): void {
    const counters = this.regions.get(region);
    if (counters === undefined) return;
    counters.passes += 1;
    counters.recorded += report.work.recorded;
    counters.looks += report.work.looks;
    counters.promotions += report.work.promotions;
    counters.reports.set(mirror, report);
  }

  /** Counts a pass that failed. */
  noteError(region: string, error: unknown): void {
    const counters = this.regions.get(region);
    if (counters === undefined) return;
    counters.errors[kindOf(error)] += 1;
  }

  /** Forgets a mirror for which this process does not act any more. */
  forget(region: string, mirror: string): void {
    this.regions.get(region)?.reports.delete(mirror);
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
  };
}
