/** The configuration as this build judges it: `run`, `config validate` and every other command read it here. */

import { type LoadedConfig, type LoadOptions, loadConfig } from "../config/load.ts";
import { DATABASE_TYPES } from "./store/backends.ts";

/**
 * Reads the configuration of this service.
 * @throws ConfigError with every problem of every source at once, an unavailable `database.type` among them
 */
export function loadServiceConfig(options: Omit<LoadOptions, "databaseTypes">): LoadedConfig {
  return loadConfig({ ...options, databaseTypes: DATABASE_TYPES });
}
