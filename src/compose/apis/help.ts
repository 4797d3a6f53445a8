/** The help: the manual of this version, and the reference of both APIs. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ConfigValues } from "../../config/table.ts";
import { helpSite } from "../../help/help-site.ts";
import type { PageSite } from "../../http/pages/page-folders.ts";
import { serviceDocument } from "../../listeners/service-document.ts";
import { userDocument } from "../../listeners/user-document.ts";

/** Beside `src`, in a clone as in the package. */
const FOLDER = join(import.meta.dirname, "..", "..", "..", "docs");
const REPOSITORY = "https://github.com/svc-authorizer/svc-authorizer/blob/main/";

/** Returns the help; none where `ui.enabled` is false, or the package has no manual. */
export function helpPages(values: ConfigValues, version: string): readonly PageSite[] {
  if (!values["ui.enabled"] || !existsSync(join(FOLDER, "README.md"))) return [];
  const documents = () => [
    { name: "user", document: userDocument(version) },
    { name: "service", document: serviceDocument(version) },
  ];
  return [helpSite({ folder: FOLDER, documents, repository: REPOSITORY, version })];
}
