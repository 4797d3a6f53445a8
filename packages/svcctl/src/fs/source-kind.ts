/** The kind of thing that `--source` names. */

import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { openFault } from "@svc-authorizer/commands/settings/settings-file.ts";

/** A folder, or a file of a size in bytes; standard input counts as an empty file. */
type SourceKind = "folder" | { readonly size: number };

/** Looks at it. Throws an Error when it cannot be opened. */
export async function kindOfSource(cwd: string, source: string): Promise<SourceKind> {
  if (source === "-") return { size: 0 };
  try {
    const found = await stat(resolve(cwd, source));
    return found.isDirectory() ? "folder" : { size: found.size };
  } catch (error) {
    throw new Error(openFault(source, error), { cause: error });
  }
}
