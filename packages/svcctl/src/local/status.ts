/** `svcctl local status`. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { openApi } from "../api/api-client.ts";
import type { CommandCall } from "../command.ts";
import { structuredText } from "../output/structured.ts";
import { type Cell, DOUBLE, gridText } from "../output/table.ts";
import { uriText } from "../uri/svc-uri.ts";
import { type Change, type ChangeType, mergeChanges } from "./compare/changes.ts";
import { compareFolder, say } from "./compare/compare-folder.ts";
import { allRemoteChanges } from "./compare/remote-changes.ts";
import { readIndex } from "./files/index-file.ts";
import { folderOf } from "./local-arguments.ts";
import { requireWhole } from "./sync/run-sync.ts";

const COLORS: Readonly<Record<ChangeType, number>> = { added: 32, removed: 31, modified: 33, conflict: 93 };

/** Shows what changed in the folder, and unless `--local` was given in the repository. */
export async function status(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const index = await readIndex(await folderOf(call, 0));
  requireWhole(index);
  const api = openApi(context);
  const base = { ...index.remote, ref: index.head };
  let changes = await compareFolder(call, api, base, index.root, api.settings.local);
  if (options["local"] !== true) {
    say(call, `diff '${safeText(uriText(base))}' <--> '${safeText(uriText(index.remote))}'...\n`);
    changes = mergeChanges(changes, await allRemoteChanges(api, base, index.remote.ref), "conflict");
  }
  if (context.format !== "table") {
    const rows = changes.map(({ source, type, path }) => ({ source, change: type, path }));
    return context.out(await structuredText(context.format, rows, ["source", "change", "path"]));
  }
  if (changes.length === 0) return context.out("\nNo diff found.\n");
  const rows = changes.map((change) => cellsOf(change, context.terminal));
  context.out(`\n${gridText(["source", "change", "path"], rows, DOUBLE)}\n`);
}

function cellsOf({ source, type, path }: Change, colored: boolean): readonly Cell[] {
  const paint = (text: string): string => (colored ? `\u001b[${COLORS[type]}m${text}\u001b[0m` : text);
  return [source, type, path].map((text) => ({ text, paint }));
}
