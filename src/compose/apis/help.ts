/** The help: the manual of this version, and the reference of both APIs. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ConfigValues } from "../../config/table.ts";
import { helpSite } from "../../help/help-site.ts";
import type { PageSite } from "../../http/pages/page-folders.ts";
import { serviceDocument } from "../../listeners/service-document.ts";
import { userDocument } from "../../listeners/user-document.ts";
import type { ManualSources } from "../../manual/render-manual.ts";

/** Beside `src`, in a clone as in the package. */
const ROOT = join(import.meta.dirname, "..", "..", "..");
const FOLDER = join(ROOT, "docs");
/** Of a package alone: it lacks what renders the manual. */
const RENDERED = join(ROOT, "help", "pages.json.gz");

/** Returns the help; none where `ui.enabled` is false, or the package has no manual. */
export function helpPages(values: ConfigValues, version: string): readonly PageSite[] {
  if (!values["ui.enabled"] || !existsSync(join(FOLDER, "README.md"))) return [];
  const origin = () => ({ from: existsSync(RENDERED) ? RENDERED : manualSources(version), version });
  return [helpSite({ folder: FOLDER, origin })];
}

/** Returns the sources of the manual, with the API documents of a version of the service. */
export function manualSources(version: string): ManualSources {
  const documents = [
    { name: "user", document: userDocument(version) },
    { name: "service", document: serviceDocument(version) },
  ];
  const repository = "https://github.com/svc-authorizer/svc-authorizer/blob/main/";
  return { folder: FOLDER, documents, repository };
}
