/** The configuration as this build judges it: `run`, `config validate` and every other command read it here. */

import {
  ConfigError,
  type ConfigProblem,
  problemOf,
} from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { selectFiles } from "@svc-authorizer/policy/source-files/select-files.ts";
import { type LoadedConfig, type LoadOptions, loadConfig } from "../config/load.ts";
import { certificateFaults } from "../listeners/tls.ts";
import { packageFaults } from "./needed-packages.ts";
import { DATABASE_TYPES } from "./store/backends.ts";

/**
 * Reads the configuration of this service.
 * @throws ConfigError with every problem of every source at once, an unavailable `database.type` among them
 */
export function loadServiceConfig(options: Omit<LoadOptions, "databaseTypes">): LoadedConfig {
  return loadConfig({ ...options, databaseTypes: DATABASE_TYPES });
}

/**
 * Returns what `run` would find wrong with what the configuration names: files of TLS that cannot be used, data sets that
 * are not there, and packages that are not installed.
 */
export async function foundProblems({ values, origins }: LoadedConfig): Promise<readonly ConfigProblem[]> {
  const item = "authorizer.datasets";
  const { problems } = await selectFiles(values[item]);
  const datasets = problems.map(({ file, message }) => ({ item, message: `${file}: ${message}` }));
  return [...certificateFaults(values), ...datasets, ...packageFaults(values)].map((fault) =>
    problemOf(fault.item, fault.message, origins.get(fault.item)?.place ?? {}),
  );
}

/**
 * Refuses to start with what cannot be used, all of it named at once, as `config validate` names them.
 * @throws ConfigError with each of {@link foundProblems}
 */
export async function assertUsable(loaded: LoadedConfig): Promise<void> {
  const problems = await foundProblems(loaded);
  if (problems.length > 0) throw new ConfigError(problems);
}
