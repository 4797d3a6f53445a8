/** The connections that a process may have open (`authorizer.limits.connections`). */

import { readFileSync } from "node:fs";
import { limitsOf } from "../../config/limits.ts";
import type { ConfigValues } from "../../config/table.ts";
import { TrustedProxies } from "../../http/request/client-address.ts";
import { type ConnectionCounters, ConnectionPlaces } from "../../http/server/connection-places.ts";

/** Files and connections that are no callers': the store, logs, sinks, workers, and what is just being refused. */
const KEPT_FILES = 256;
/** Connections where the machine permits more files than a process has memory for. */
const MOST_CONNECTIONS = 65_536;
/** Connections where the limit of files cannot be read. */
const FEW_FILES = 1_024;
const FEWEST_CONNECTIONS = 64;

/** The places of the listeners of this process. */
export function connectionPlaces(values: ConfigValues, counters: ConnectionCounters): ConnectionPlaces {
  const { connections, connectionsPerAddress } = limitsOf(values);
  return new ConnectionPlaces(
    { connections: connections || defaultConnections(values, fileLimit()), connectionsPerAddress },
    new TrustedProxies(values["authorizer.trusted_proxies"]),
    counters,
  );
}

/** Returns what is left of the files that the process may open. */
function defaultConnections(values: ConfigValues, files: number): number {
  const pool = values["database.type"] === "postgres" ? values["database.postgres.max_open_connections"] : 0;
  return Math.max(FEWEST_CONNECTIONS, Math.min(MOST_CONNECTIONS, files - KEPT_FILES - pool));
}

/** Files that this process may open. */
function fileLimit(): number {
  const limit = /^Max open files\s+(\d+|unlimited)/m.exec(limitsOfProcess())?.[1];
  if (limit === "unlimited") return Number.POSITIVE_INFINITY;
  return limit === undefined ? (reportedLimit() ?? FEW_FILES) : Number(limit);
}

function limitsOfProcess(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    // Not Linux.
    return "";
  }
}

/** The limit as Node reports it where there is no `/proc`. */
function reportedLimit(): number | undefined {
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const soft = userLimits?.open_files?.soft;
  if (soft === "unlimited") return Number.POSITIVE_INFINITY;
  return typeof soft === "number" ? soft : undefined;
}
