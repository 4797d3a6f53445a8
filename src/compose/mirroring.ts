/** Mirroring as the configuration has it: the data servers, and the process that acts for the mirrors. */

import { hasMirroring } from "../config/validate-mirroring.ts";
import type { ReadOnlyMirror } from "../decisions/mirror-rule.ts";
import { MirrorAdministration } from "../mirroring/administration.ts";
import { MirrorCounters } from "../mirroring/counters.ts";
import type { Mirror } from "../mirroring/mirror.ts";
import { MirrorRecords } from "../mirroring/mirror-records.ts";
import { MirrorRunner } from "../mirroring/runner.ts";
import type { AuditLog } from "../observe/log/audit-log.ts";
import type { DataParts } from "./data.ts";
import { mirrorUser } from "./mirror-keys.ts";
import { openMirrorServers, ownerOf } from "./mirror-servers.ts";

const REGIONS = "authorizer.mirroring.regions";

/** Mirroring of a running service. */
export interface ServiceMirroring {
  readonly administration: MirrorAdministration;
  readonly counters: MirrorCounters;
  /** Acts for the mirrors once it is started: in one process of those that answer together. */
  readonly runner: MirrorRunner;
}

/**
 * Opens mirroring; undefined where no region is configured. Calls no data server yet.
 * @throws ConfigError where the file of a secret cannot be read or is empty
 */
export function openServiceMirroring(
  data: DataParts,
  audit: Pick<AuditLog, "event">,
  now?: () => number,
): ServiceMirroring | undefined {
  const { values, store, directory, logger } = data;
  if (!hasMirroring(values)) return undefined;
  const abort = new AbortController();
  const servers = openMirrorServers(data, audit, abort.signal);
  const counters = new MirrorCounters(servers.regions, now);
  const scanMs = values["authorizer.mirroring.scan_interval"];
  const runner = new MirrorRunner({
    store,
    servers,
    counters,
    abort,
    log: logger,
    tellFailure: (failure) => audit.event("promotion_failed", { actor: "mirroring", ...failure }),
    settings: {
      scanMs,
      verifyMs: values["authorizer.mirroring.verify_interval"],
      recheckMissingMs: values["authorizer.mirroring.recheck_missing"],
      recheckMs: values["authorizer.mirroring.recheck"],
      blocksExternal: values["authorizer.mirroring.external_objects"] === "block",
    },
    ...(now !== undefined && { now }),
  });
  const judge = directory.judgeIn;
  return { administration: new MirrorAdministration({ store, servers, judge, scanMs }), counters, runner };
}

/** Begins to act for the mirrors. Where no region is configured, nobody acts for those that are stored: the log says so. */
export async function startMirroring(
  mirroring: Pick<ServiceMirroring, "runner"> | undefined,
  { store, logger }: Pick<DataParts, "store" | "logger">,
): Promise<void> {
  if (mirroring !== undefined) return mirroring.runner.start();
  try {
    const mirrors = (await new MirrorRecords(store).all()).filter(({ goneAt }) => goneAt === undefined);
    if (mirrors.length === 0) return;
    const message = `${REGIONS} names no region, and mirrors are stored: nothing is done for them, and they stay read-only`;
    logger.warn(message, { mirrors: mirrors.length });
  } catch (error) {
    logger.warn("the mirrors cannot be read", { error });
  }
}

/**
 * Reads the repositories that are mirrors, for decisions: those of all records, whether or not mirroring is configured. The
 * user who fills a mirror is the one whose key its region is configured with, or the mirror's own.
 */
export function readOnlyMirrors({ values, store, directory }: DataParts) {
  const records = new MirrorRecords(store);
  const ownUser = async ({ uid, name }: Mirror): Promise<string | undefined> => {
    const username = mirrorUser(name);
    return (await directory.serviceUsers.worksFor(username)) === uid ? username : undefined;
  };
  return async (): Promise<readonly ReadOnlyMirror[]> => {
    const found = (await records.all()).filter(({ goneAt }) => goneAt === undefined);
    const owners = new Map<string, Promise<string | undefined>>();
    const fills = (mirror: Mirror): Promise<string | undefined> => {
      const key = values[REGIONS]?.get(mirror.region)?.access_key_id;
      if (key === undefined) return ownUser(mirror);
      const owner = owners.get(key) ?? ownerOf(directory, key);
      owners.set(key, owner);
      return owner;
    };
    return Promise.all(
      found.map(async ({ mirror }) => ({
        repository: mirror.name,
        storageNamespace: mirror.storageNamespace,
        filledBy: await fills(mirror),
      })),
    );
  };
}
