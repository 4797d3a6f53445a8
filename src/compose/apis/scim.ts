/** SCIM, as the configuration has it. */

import { compileWildcard } from "@svc-authorizer/policy/engine/patterns/wildcard.ts";
import type { ScimOptions } from "../../api/scim/mount.ts";
import type { ConfigValues } from "../../config/table.ts";
import type { AuditEvents } from "../../observe/log/audit-port.ts";
import type { DataParts } from "../data.ts";

/** Whether identity providers may not change a group of this name. */
export function protectedGroups(values: ConfigValues): (group: string) => boolean {
  const patterns = values["authorizer.scim.protected_groups"].map(compileWildcard);
  return (group) => patterns.some((pattern) => pattern.match(group));
}

/** The options of the API. */
export function scimOptions(
  { values, directory }: DataParts,
  audit: AuditEvents,
): Omit<ScimOptions, "publicUrl"> {
  const isProtected = protectedGroups(values);
  const tolerance = {
    unknownExtensions: values["authorizer.scim.unknown_extensions"],
    replaceWithoutMatch: values["authorizer.scim.replace_without_match"],
  };
  return { directory, audit, isProtected, tolerance };
}
