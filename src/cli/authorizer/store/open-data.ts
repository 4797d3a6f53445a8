/** Opens the directory for a command, and closes it afterwards. */

import { loadServiceConfig } from "../../../compose/configuration.ts";
import type { DataParts } from "../../../compose/data.ts";
import { openOfflineData } from "../../../compose/store/offline-store.ts";
import type { CommandCall } from "../command.ts";
import { type ConfigFlags, loadOptionsOf } from "../command-context.ts";

/** The author of what commands change. */
export const COMMAND_LINE = { name: "command line" } as const;

/** Runs `work` on the configured directory; it answers the exit code. */
export async function withData(
  { context }: CommandCall,
  flags: ConfigFlags,
  work: (data: DataParts) => Promise<number>,
): Promise<void> {
  const { values } = loadServiceConfig(loadOptionsOf(context, flags));
  const data = await openOfflineData(values);
  try {
    context.finish(await work(data));
  } finally {
    await data.close();
  }
}
