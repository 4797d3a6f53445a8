/** Copies the configured store, with its ids, secrets and history, into an empty one of another configuration. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { ConfigValues } from "../../config/table.ts";
import { type CopyReport, copyLog, EngineTarget } from "../../journal/copy-log.ts";
import type { Logger } from "../../observe/log/logger.ts";
import { openLocalImport } from "../../store/local/import-log.ts";
import type { Store } from "../../store/port.ts";
import type { EntryId } from "../../store/replica.ts";
import { openLog } from "../data.ts";
import { localFolder, openEngine } from "./backends.ts";
import { withOfflineStore } from "./offline-store.ts";

/**
 * Copies one store into another; nobody may write to either.
 * @throws AuthorizerError "invalid_request" for a target that is not empty or keeps nothing
 */
export async function copyStore(from: ConfigValues, to: ConfigValues): Promise<CopyReport> {
  refuseTarget(from, to);
  const logger = openLog({ ...to, "logging.output": ["="], "logging.level": "WARN" });
  try {
    return await withOfflineStore(from, (source) => copyInto(source, to, logger));
  } finally {
    await logger.close();
  }
}

/**
 * Copies a node's copy into the empty database of a configuration, under the ids that it has: nodes whose log is missing
 * there go on.
 * @throws AuthorizerError as {@link copyStore}
 */
export async function copyFromFolder(folder: string, to: ConfigValues): Promise<CopyReport> {
  const logger = openLog({ ...to, "logging.output": ["="], "logging.level": "WARN" });
  try {
    const { openCopyStore } = await import("../../store/local/copy-store.ts");
    const source = openCopyStore(folder);
    try {
      return await copyInto(source, to, logger, source.recent);
    } finally {
      await source.close();
    }
  } finally {
    await logger.close();
  }
}

function refuseTarget(from: ConfigValues, to: ConfigValues): void {
  const type = to["database.type"];
  if (type === undefined) {
    throw new AuthorizerError("invalid_request", "database.type of the target (--to) is not set");
  }
  if (type === "local" && from["database.type"] === "local" && localFolder(from) === localFolder(to)) {
    throw new AuthorizerError(
      "invalid_request",
      "a store cannot be copied into itself: --to names the same folder",
    );
  }
}

async function copyInto(
  source: Store,
  to: ConfigValues,
  logger: Logger,
  recent?: readonly EntryId[],
): Promise<CopyReport> {
  const type = to["database.type"];
  if (type === "local") {
    const target = await openLocalImport(localFolder(to));
    try {
      return await copyLog(source, target, recent);
    } finally {
      await target.close();
    }
  }
  const engine = await openEngine(to, logger);
  if (engine === undefined) {
    throw new AuthorizerError(
      "invalid_request",
      `database.type ${type} keeps nothing that could be copied to`,
    );
  }
  try {
    return await copyLog(source, new EngineTarget(engine), recent);
  } finally {
    await engine.close();
  }
}
