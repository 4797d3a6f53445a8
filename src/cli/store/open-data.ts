/** Opens the directory for a command, and closes it afterwards. */

import { loadServiceConfig } from "../../compose/configuration.ts";
import type { DataParts } from "../../compose/data.ts";
import { openCopyData, openOfflineData, openOfflineDataToRead } from "../../compose/store/offline-store.ts";
import type { ConfigValues } from "../../config/table.ts";
import type { CommandCall } from "../command.ts";
import { type ConfigFlags, loadOptionsOf } from "../command-context.ts";

/** The author of what commands change. */
export const COMMAND_LINE = { name: "command line" } as const;

/** Runs `work` on the configured directory; it answers the exit code. */
export function withData(
  call: CommandCall,
  flags: ConfigFlags,
  work: (data: DataParts) => Promise<number>,
): Promise<void> {
  return onData(call, flags, openOfflineData, work);
}

/** As {@link withData}, for work that only reads: the service may be running. */
export function withDataToRead(
  call: CommandCall,
  flags: ConfigFlags,
  work: (data: DataParts) => Promise<number>,
): Promise<void> {
  return onData(call, flags, openOfflineDataToRead, work);
}

/** As {@link withData}, on a node's copy in a folder, which is only read. */
export function withCopy(
  call: CommandCall,
  flags: ConfigFlags,
  folder: string,
  work: (data: DataParts) => Promise<number>,
): Promise<void> {
  return onData(call, flags, (values) => openCopyData(values, folder), work);
}

async function onData(
  { context }: CommandCall,
  flags: ConfigFlags,
  open: (values: ConfigValues) => Promise<DataParts>,
  work: (data: DataParts) => Promise<number>,
): Promise<void> {
  const { values } = loadServiceConfig(loadOptionsOf(context, flags));
  const data = await open(values);
  try {
    context.finish(await work(data));
  } finally {
    await data.close();
  }
}
