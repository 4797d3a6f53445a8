/** Groups as SCIM resources (spec/scim §5). */

import type { ProvisionedGroup, ProvisionedRef } from "../../directory/provisioning.ts";
import type { Attributes } from "./read-values.ts";
import { GROUP_SCHEMA, GROUPS } from "./schema/group-schema.ts";
import { metaOf } from "./user-resource.ts";

/** The resource; without `members` where they are not asked for. */
export function groupResource(
  group: ProvisionedGroup,
  members: readonly ProvisionedRef[] | undefined,
  base: string,
): Attributes {
  const shown = (members ?? []).map(({ id, name }) => {
    return { value: id, $ref: `${base}/Users/${id}`, display: name, type: "User" };
  });
  return {
    schemas: [GROUP_SCHEMA],
    id: group.id,
    ...(group.external_id !== undefined && { externalId: group.external_id }),
    displayName: group.name,
    ...(shown.length > 0 && { members: shown }),
    meta: metaOf("Group", group, `${base}${GROUPS.endpoint}`),
  };
}
