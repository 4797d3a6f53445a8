/** The place of the file with the one-time token of the set-up (spec/security §6.2). */

import { join } from "node:path";
import type { ConfigValues } from "./table.ts";

/** Name of the file with the token, beside the data. */
const TOKEN_FILE = "svc-authorizer-setup-token";

/**
 * The file with the token: in the folder of the data, or of a node's copy of a shared database. Undefined where there is no
 * such folder: the working directory may be one that somebody publishes.
 */
export function setupTokenFile(values: ConfigValues): string | undefined {
  switch (values["database.type"]) {
    case "mem":
      return undefined;
    case "local":
      return join(values["database.local.path"], TOKEN_FILE);
    default: {
      const copy = values["authorizer.replication.path"];
      return copy === undefined || copy === "mem" ? undefined : join(copy, TOKEN_FILE);
    }
  }
}
