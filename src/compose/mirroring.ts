/** Mirroring as the configuration has it: the data servers, and the process that acts for the mirrors. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { ConfigError, problemOf } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import type { MirrorRegionItem } from "../config/item.ts";
import { readSecretFile } from "../config/secret-file.ts";
import type { ConfigName, ConfigValues } from "../config/table.ts";
import { hasMirroring } from "../config/validate-mirroring.ts";
import type { ReadOnlyMirror } from "../decisions/mirror-rule.ts";
import type { Directory } from "../directory/directory.ts";
import { MirrorAdministration } from "../mirroring/administration.ts";
import { MirrorCounters } from "../mirroring/counters.ts";
import { MirrorRecords } from "../mirroring/mirror-records.ts";
import { MirrorRunner } from "../mirroring/runner.ts";
import { type ServerAccess, ServerCalls } from "../mirroring/server/calls.ts";
import { DataServer } from "../mirroring/server/data-server.ts";
import type { AuditLog } from "../observe/log/audit-log.ts";
import type { DataParts } from "./data.ts";

const REGIONS = "authorizer.mirroring.regions";
const SOURCE_FILE = "authorizer.mirroring.source.secret_access_key_file";

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
  { values, store, logger, directory }: DataParts,
  audit: Pick<AuditLog, "event">,
  now?: () => number,
): ServiceMirroring | undefined {
  if (!hasMirroring(values)) return undefined;
  const abort = new AbortController();
  const server = (access: ServerAccess): DataServer =>
    new DataServer(new ServerCalls(access, { signal: abort.signal }));
  const source = server(sourceAccess(values));
  const regions = values[REGIONS] ?? new Map();
  const destinations = new Map(
    [...regions].map(([name, { endpoint, access_key_id, secret_access_key, secret_access_key_file }]) => {
      const secretAccessKey = secret_access_key ?? secretOf(REGIONS, secret_access_key_file ?? "");
      return [name, server({ endpoint, accessKeyId: access_key_id, secretAccessKey })] as const;
    }),
  );
  const counters = new MirrorCounters(regions.keys());
  const runner = new MirrorRunner({
    store,
    source,
    destinations,
    counters,
    abort,
    log: logger,
    tellFailure: (failure) => audit.event("promotion_failed", { actor: "mirroring", ...failure }),
    settings: {
      scanMs: values["authorizer.mirroring.scan_interval"],
      verifyMs: values["authorizer.mirroring.verify_interval"],
      recheckMissingMs: values["authorizer.mirroring.recheck_missing"],
      recheckMs: values["authorizer.mirroring.recheck"],
      blocksExternal: values["authorizer.mirroring.external_objects"] === "block",
    },
    ...(now !== undefined && { now }),
  });
  const administration = new MirrorAdministration({
    store,
    source,
    destinations,
    // A data server that takes a key of this directory asks this service.
    isProtected: async (region) =>
      (await userOf(directory, regions.get(region)?.access_key_id)) !== undefined,
  });
  return { administration, counters, runner };
}

/**
 * Reads the repositories that are mirrors, for decisions: those of all records, whether or not mirroring is configured. The
 * user whose key fills a mirror is found by the key of its region.
 */
export function readOnlyMirrors({ values, store, directory }: DataParts) {
  const records = new MirrorRecords(store);
  const regions = values[REGIONS] ?? new Map<string, MirrorRegionItem>();
  return async (): Promise<readonly ReadOnlyMirror[]> => {
    const found = (await records.all()).filter(({ goneAt }) => goneAt === undefined);
    const users = new Map<string, string | undefined>();
    for (const region of new Set(found.map(({ mirror }) => mirror.region)))
      users.set(region, await userOf(directory, regions.get(region)?.access_key_id));
    return found.map(({ mirror: { name, region, storageNamespace } }) => ({
      repository: name,
      storageNamespace,
      filledBy: users.get(region),
    }));
  };
}

/** The user of a key; undefined for one that this directory has not. */
async function userOf(
  { credentials }: Pick<Directory, "credentials">,
  accessKeyId: string | undefined,
): Promise<string | undefined> {
  if (accessKeyId === undefined) return undefined;
  try {
    return (await credentials.getWithSecret(accessKeyId)).username;
  } catch (error) {
    if (isErrorCode(error, "not_found")) return undefined;
    throw error;
  }
}

function sourceAccess(values: ConfigValues): ServerAccess {
  return {
    endpoint: values["authorizer.mirroring.source.endpoint"] ?? "",
    accessKeyId: values["authorizer.mirroring.source.access_key_id"] ?? "",
    secretAccessKey:
      values["authorizer.mirroring.source.secret_access_key"] ??
      secretOf(SOURCE_FILE, values["authorizer.mirroring.source.secret_access_key_file"] ?? ""),
  };
}

function secretOf(item: ConfigName, file: string): string {
  const read = readSecretFile(file);
  if ("secret" in read && read.secret !== "") return read.secret;
  const fault = "fault" in read ? read.fault : "its first line is empty";
  throw new ConfigError([problemOf(item, fault, { file })]);
}
