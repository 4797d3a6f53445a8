/** The items that SIGHUP reads again. All others wait for a restart, in every process of the service. */

import { isDeepStrictEqual } from "node:util";
import { CONFIG_ITEMS, type ConfigName, type ConfigValues } from "./table.ts";

const RELOADED: ReadonlySet<ConfigName> = new Set<ConfigName>([
  "auth.api.token",
  "authorizer.tokens",
  "authorizer.datasets",
  "authorizer.datasets_mode",
  "authorizer.tls.cert_file",
  "authorizer.tls.key_file",
  "authorizer.tls.client_ca_file",
  "tls.cert_file",
  "tls.key_file",
]);

/** A configuration that was read again. */
interface ReloadedValues {
  /** The values of the start, but for the items that are read again. */
  readonly values: ConfigValues;
  /** The other items that have another value now. */
  readonly waiting: readonly ConfigName[];
}

/**
 * Tells what of a configuration that was read again is in force at once.
 * @param started the values that the service runs with since its start
 */
export function reloadedValues(started: ConfigValues, read: ConfigValues): ReloadedValues {
  const names = CONFIG_ITEMS.map(({ name }) => name);
  const entries = names.map((name) => [name, (RELOADED.has(name) ? read : started)[name]]);
  return {
    values: Object.fromEntries(entries) as ConfigValues,
    waiting: names.filter((name) => !RELOADED.has(name) && !isDeepStrictEqual(started[name], read[name])),
  };
}
