/** Lists with last use: `auth users list --last-used` and `auth users credentials list --last-used`. */

import { type JsonObject, openApi } from "../../api/api-client.ts";
import { fetchPage } from "../../api/pages.ts";
import { fillPath } from "../../api/path-template.ts";
import type { CommandCall, CommandRun } from "../../command.ts";
import { printPage } from "../../output/page.ts";
import type { Column } from "../../output/records.ts";
import type { ListRequest } from "../../requests/request-types.ts";

const USE_COLUMNS: readonly Column[] = [
  { heading: "Last Used", name: "last_used", fields: ["last_used"], kind: "date" },
  { heading: "Uses", name: "uses", fields: ["uses"] },
  { heading: "Counted Since", name: "uses_since", fields: ["uses_since"], kind: "date" },
];

/** The command that fetches and prints a list, with two columns more where `--last-used` is given. */
export function listingWithUse({
  path,
  columns,
  look,
}: Pick<ListRequest, "path" | "columns"> & {
  /** Looks at the entries of the page after it was printed. */
  readonly look?: (call: CommandCall, entries: readonly JsonObject[]) => void;
}): CommandRun {
  return async (call) => {
    const api = openApi(call.context);
    const asks = call.options["lastUsed"] === true;
    const page = await fetchPage(api, call, await fillPath(api, call, path), asks ? { last_used: true } : {});
    if (asks) assertCounted(page.results);
    await printPage(call, page, { columns: asks ? [...columns, ...USE_COLUMNS] : columns });
    look?.(call, page.results);
  };
}

/** Throws where a server does not count use, as version 0.2 and a data server: nothing would pass for never. */
function assertCounted(entries: readonly JsonObject[]): void {
  if (entries.every(({ uses }) => typeof uses === "number")) return;
  throw new Error("the server does not count use, so it does not know --last-used");
}
