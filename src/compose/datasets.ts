/** The data sets that the configuration names (`authorizer.datasets`), loaded at start and on reload. */

import { limitsOf } from "../config/limits.ts";
import type { ConfigValues } from "../config/table.ts";
import { loadDatasets } from "../datasets/load-datasets.ts";
import type { DataParts } from "./data.ts";

/** The state of the last load, for metrics. */
export interface DatasetState {
  lastLoadSuccess: boolean | undefined;
}

/**
 * Loads the configured data sets; nothing if none are configured. Throws what the load throws, with the data
 * unchanged.
 */
export async function loadConfiguredDatasets(
  { directory, catalog, logger }: DataParts,
  values: ConfigValues,
  state: DatasetState,
  env: (name: string) => string | undefined,
): Promise<void> {
  const files = values["authorizer.datasets"];
  if (files.length === 0) return;
  state.lastLoadSuccess = false;
  const report = await loadDatasets({
    directory,
    catalog,
    files,
    mode: values["authorizer.datasets_mode"],
    env,
    guards: values["authorizer.guards"],
    limits: limitsOf(values),
  });
  state.lastLoadSuccess = true;
  logger.info("data sets loaded", { files: report.files, changes: report.counts });
}
