/** The data sets that the configuration names (`authorizer.datasets`), loaded at start and on reload. */

import { VERSION } from "@svc-authorizer/commands/new-program.ts";
import { limitsOf } from "../config/limits.ts";
import type { ConfigValues } from "../config/table.ts";
import { areInForce, inForceMark, loadBefore } from "../datasets/in-force.ts";
import { loadDatasets } from "../datasets/load-datasets.ts";
import type { DataParts } from "./data.ts";
import { overflowOf } from "./store/overflow-of.ts";

/** The state of the last load, for metrics. */
export interface DatasetState {
  lastLoadSuccess: boolean | undefined;
}

/**
 * Loads the configured data sets; nothing if none are configured, or if they are in force. Throws what the load throws, with
 * the data unchanged.
 * @param ending breaks the load off, with its reason
 */
export async function loadConfiguredDatasets(
  { directory, catalog, logger, store }: DataParts,
  values: ConfigValues,
  state: DatasetState,
  env: (name: string) => string | undefined,
  ending?: AbortSignal,
): Promise<void> {
  const files = values["authorizer.datasets"];
  if (files.length === 0) return;
  state.lastLoadSuccess = false;
  const load = {
    directory,
    catalog,
    files,
    mode: values["authorizer.datasets_mode"],
    env,
    guards: values["authorizer.guards"],
    limits: limitsOf(values),
    version: VERSION,
    key: values["auth.encrypt.secret_key"] ?? "",
  };
  // Others may have written what the copy of this node does not have yet.
  await store.prove?.();
  if (await areInForce(load)) {
    state.lastLoadSuccess = true;
    logger.info("data sets are in force", { files });
    return;
  }
  const overflow = overflowOf(values);
  try {
    const report = await loadDatasets({
      ...load,
      mark: inForceMark(load),
      before: loadBefore(load),
      overflow,
      signal: ending,
    });
    state.lastLoadSuccess = true;
    logger.info("data sets loaded", { files: report.files, changes: report.counts, left: report.left });
  } finally {
    overflow.close();
  }
}
