/** SCIM, as the configuration has it. */

import { compileWildcard } from "@svc-authorizer/policy/engine/patterns/wildcard.ts";
import type { ScimOptions } from "../../api/scim/mount.ts";
import type { AuditEvents } from "../../observe/log/audit-port.ts";
import type { DataParts } from "../data.ts";

/** The options of the API. */
export function scimOptions(
  { values, directory }: DataParts,
  audit: AuditEvents,
): Omit<ScimOptions, "publicUrl"> {
  const protectedGroups = values["authorizer.scim.protected_groups"].map(compileWildcard);
  const isProtected = (group: string): boolean => protectedGroups.some((pattern) => pattern.match(group));
  const tolerance = {
    unknownExtensions: values["authorizer.scim.unknown_extensions"],
    replaceWithoutMatch: values["authorizer.scim.replace_without_match"],
  };
  return { directory, audit, isProtected, tolerance };
}
