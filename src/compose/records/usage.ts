/** The use of users, keys and policies, as the configuration has it. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import { messageOf } from "@svc-authorizer/policy/errors.ts";
import type { Directory } from "../../directory/directory.ts";
import type { Identities, Identity } from "../../identity/identity.ts";
import { type OpenedUsage, openUsage } from "../../usage/open-usage.ts";
import type { UsageCounts } from "../../usage/usage-counts.ts";
import { UsageDatabase } from "../../usage/usage-database.ts";
import type { DataParts } from "../data.ts";
import { decisionLogDirectory, nodeName } from "./decision-log.ts";

const FOLDER_MODE = 0o700;

/**
 * Opens the counts of this node; undefined where use is not counted. The counts of a store in memory are kept in memory,
 * unless decisions are logged.
 */
export function openServiceUsage({
  values,
  memory,
  usageItems,
  logger,
}: Pick<DataParts, "values" | "memory" | "usageItems" | "logger">): OpenedUsage | undefined {
  const intervalMs = values["authorizer.usage.interval"];
  const node = nodeName(values);
  const directory = decisionLogDirectory(values);
  const path = join(directory, `usage-${node}.sqlite`);
  if (intervalMs === 0) {
    stopCounting(path, node, logger);
    return undefined;
  }
  const isKept = memory === undefined || values["authorizer.decision_log.include"] !== "none";
  if (isKept) tryFolder(directory);
  return openUsage({
    path: isKept ? path : ":memory:",
    node,
    intervalMs,
    shared: usageItems,
    report: (problem, fields) => logger.warn(problem, { ...fields }),
  });
}

/** Notes in the counts that were kept that the node does not count from now on. */
function stopCounting(path: string, node: string, logger: DataParts["logger"]): void {
  if (!existsSync(path)) return;
  try {
    const database = new UsageDatabase(path);
    try {
      database.miss(node, undefined);
    } finally {
      database.close();
    }
  } catch (error) {
    const fields = { file: path, reason: messageOf(error) };
    logger.warn("last use is not counted, and its file cannot say so later", fields);
  }
}

/** Without the folder, opening the file fails and is reported. */
function tryFolder(directory: string): void {
  try {
    makeFolder(directory, FOLDER_MODE);
  } catch {}
}

/** The same identities; the access keys of those who prove to be somebody are counted. */
export function countingIdentities(identities: Identities, counts: UsageCounts): Identities {
  const used = <T extends Identity | undefined>(identity: T): T => {
    if (identity?.accessKeyId !== undefined) counts.usedKey(identity.accessKeyId);
    return identity;
  };
  const counted = <T extends Identity | undefined>(found: T | Promise<T>): T | Promise<T> =>
    found instanceof Promise ? found.then(used) : used(found);
  return {
    withAccessKey: (id, secret, source) => counted(identities.withAccessKey(id, secret, source)),
    withLoginToken: (token) => counted(identities.withLoginToken(token)),
    withSession: (session) => counted(identities.withSession(session)),
    withSignature: (request, source) => counted(identities.withSignature(request, source)),
    chunksOf: (request) => identities.chunksOf(request),
    sessionTokenOf: (key) => identities.sessionTokenOf(key),
    issueLoginToken: (identity, seconds) => identities.issueLoginToken(identity, seconds),
    logout: (identity, expiresAt) => identities.logout(identity, expiresAt),
    counters: identities.counters,
    close: () => identities.close(),
  };
}

/** The same directory; access keys that a data server reads, to verify requests by itself, are counted. */
export function countingDirectory(directory: Directory, counts: UsageCounts): Directory {
  const { credentials } = directory;
  const counting: Directory["credentials"] = {
    ...credentials,
    getWithSecret: async (accessKeyId) => {
      const found = await credentials.getWithSecret(accessKeyId);
      counts.usedKey(accessKeyId);
      return found;
    },
  };
  return Object.create(directory, { credentials: { value: counting, enumerable: true } }) as Directory;
}
