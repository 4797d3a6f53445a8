/** Configuration of the commands that need a store and nothing else. */

import { loadServiceConfig } from "../../compose/configuration.ts";
import type { ConfigValues } from "../../config/table.ts";
import { type CommandContext, type ConfigFlags, loadOptionsOf } from "../command-context.ts";

/** The configuration as far as it names a store. Items that only `run` needs may be missing. */
export function storeValues(context: CommandContext, flags: ConfigFlags): ConfigValues {
  return loadServiceConfig({ ...loadOptionsOf(context, flags), requirements: "none" }).values;
}
