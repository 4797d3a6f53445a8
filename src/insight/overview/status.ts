/** The state of a node and its directory at a glance (spec/console §4.4). */

import type { ActivityReport } from "./activity.ts";
import type { DirectoryWarnings } from "./directory-warnings.ts";

/** Refusals that a policy decided. */
interface PolicyRefusals {
  /** null: no statement decided, as nothing allowed it. */
  readonly policy: string | null;
  readonly count: number;
}

/** An entry of the log. */
export interface RecentChange {
  readonly revision: number;
  /** RFC 3339. */
  readonly at: string;
  /** Names of those who asked for it. */
  readonly actors: readonly string[];
  /** Names of what changed; empty where the entry names nothing. */
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly policies: readonly string[];
  /** True if more changed than is named. */
  readonly more: boolean;
}

/** The trouble of a node with its database. */
interface StatusTrouble {
  /** One word. */
  readonly kind: string;
  /** Unix milliseconds. */
  readonly since: number;
  /** Unix milliseconds; undefined: decisions go on. */
  readonly stopsAt: number | undefined;
}

/** All that a node says that may answer nothing from its copy: as much as its probe of readiness. */
export type StatusWhenStale = Pick<Status, "reasons" | "database">;

/** The state of a node. */
export interface Status {
  readonly node: string;
  /** Version of this package. */
  readonly version: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Reasons why it is not ready; empty if it is. */
  readonly reasons: readonly string[];
  /** The trouble of the shared database, also in words; undefined: none. */
  readonly database: (StatusTrouble & { readonly message: string }) | undefined;
  readonly revision: number;
  /** Milliseconds since it was known to have the newest revision; undefined for a store of one node. */
  readonly stalenessMs: number | undefined;
  /** Milliseconds that the newest entry of another node took to get here; undefined before the first. */
  readonly lagMs: number | undefined;
  readonly activity: ActivityReport;
  /** Of the newest records, those of most refusals first; undefined if no decisions are logged, or they are not known. */
  readonly refusals: readonly PolicyRefusals[] | undefined;
  /** undefined: they are not known yet. */
  readonly warnings: DirectoryWarnings | undefined;
  /** Newest first. */
  readonly changes: readonly RecentChange[];
}
