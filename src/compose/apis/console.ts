/** The console: where its built files are, and the headers of its pages. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ConfigValues } from "../../config/table.ts";
import { PAGE_CONTENT_POLICY, type PageFolder } from "../../http/pages/page-folders.ts";
import type { Logger } from "../../observe/log/logger.ts";

/** Beside `src`, in a clone as in the package. */
const FOLDER = join(import.meta.dirname, "..", "..", "..", "console");

/** Returns the folder of the console; none where `ui.enabled` is false or the clone has not built it. */
export function consolePages(values: ConfigValues, log: Pick<Logger, "info">): readonly PageFolder[] {
  if (!values["ui.enabled"]) return [];
  if (!existsSync(join(FOLDER, "index.html"))) {
    log.info("the console is not built, so / answers 404: npm run console", { folder: FOLDER });
    return [];
  }
  return [{ path: "/", folder: FOLDER, headers: PAGE_CONTENT_POLICY }];
}
