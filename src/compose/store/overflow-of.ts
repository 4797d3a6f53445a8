/** The place of what a large load has no room for in memory. */

import { tmpdir } from "node:os";
import { basename } from "node:path";
import { Overflow } from "../../compact/overflow.ts";
import type { ConfigValues } from "../../config/table.ts";
import { IN_MEMORY, localFolder } from "./backends.ts";

/** An overflow beside the data, or beside a node's copy of them; in memory where these are. */
export function overflowOf(values: ConfigValues): Overflow {
  return new Overflow(folderOf(values));
}

function folderOf(values: ConfigValues): string | undefined {
  switch (values["database.type"]) {
    case "mem":
      return undefined;
    case "local":
      return localFolder(values);
    default: {
      // As the copy itself where no folder is named.
      const copy = values["authorizer.replication.path"] ?? tmpdir();
      return basename(copy) === IN_MEMORY ? undefined : copy;
    }
  }
}
