/** The metastores that a command names: with its options, else in the configuration. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import type { CommandCall } from "@svc-authorizer/svcctl/command.ts";
import { loadSettings, type MetastoreSettings } from "@svc-authorizer/svcctl/settings/load-settings.ts";
import type { Metastore } from "./metastore-model.ts";

/** One of the two sides of a command. */
type Side = "from" | "to";

/** Settings of metastores, with the options of the command above them. */
export function metastoreSettings({ context, options }: CommandCall): MetastoreSettings {
  const settings = loadSettings(context).metastore;
  const uri = textOption(options, "metastoreUri");
  const catalogId = textOption(options, "catalogId");
  return {
    ...settings,
    ...(uri !== undefined && { hiveUri: uri }),
    ...(catalogId !== undefined && { glue: { ...settings.glue, catalogId } }),
  };
}

/**
 * Opens the metastore of one side.
 * @param kind `hive` or `glue`, where the command has no option for it
 * @throws Error where nothing says which kind it is, or it cannot be reached
 */
async function openMetastore(call: CommandCall, side: Side, kind?: string): Promise<Metastore> {
  const settings = metastoreSettings(call);
  const type = kind ?? (textOption(call.options, `${side}ClientType`) || settings.type);
  if (type === "hive") {
    const address = textOption(call.options, `${side}Address`) || settings.hiveUri;
    const { openHive } = await import("./hive-metastore.ts");
    return openHive(address);
  }
  if (type !== "glue") throw new Error(`unknown type, expected hive or glue got: ${type}`);
  const { openGlue } = await import("./glue-metastore.ts");
  return openGlue(settings.glue);
}

/** Opens both sides, and closes them after the work. */
export async function withMetastores(
  call: CommandCall,
  work: (route: { readonly from: Metastore; readonly to: Metastore }) => Promise<void>,
  toKind?: string,
): Promise<void> {
  const from = await openMetastore(call, "from");
  try {
    const to = await openMetastore(call, "to", toKind);
    try {
      await work({ from, to });
    } finally {
      to.close();
    }
  } finally {
    from.close();
  }
}
