/** The calls about groups (spec/scim §5). */

import type { ProvisionedGroup, ProvisionedGroupChange } from "../../directory/provisioning.ts";
import { NO_CONTENT } from "../rest/operation.ts";
import { groupResource } from "./group-resource.ts";
import { baseOf, type ScimCall, type ScimParts, scimReply, wrote } from "./parts.ts";
import { groupChange } from "./patch/group-patch.ts";
import { readOperations } from "./patch/operations.ts";
import { projectionOf } from "./projection.ts";
import { type ReadKind, shownOne } from "./read-calls.ts";
import { type Attributes, readResource } from "./read-values.ts";
import { GROUPS } from "./schema/group-schema.ts";

/** Reads groups. The members of each are read when it is written: those of a page may be too many at once. */
export const READ_GROUPS: ReadKind<ProvisionedGroup> = {
  kind: GROUPS,
  related: "members",
  get: ({ provisioning }, id) => provisioning.group(id),
  unique: { displayName: ({ provisioning }, name) => provisioning.findGroup(name) },
  each: ({ provisioning }, visit) => provisioning.eachGroup(visit),
  bare: (group, base) => groupResource(group, undefined, base),
  async *whole(parts, groups) {
    for (const group of groups) {
      yield groupResource(group, await parts.provisioning.members(group.id), baseOf(parts));
    }
  },
};

/** Creates a group. */
export function createGroup(parts: ScimParts) {
  return async (call: ScimCall) => {
    const projection = projectionOf(GROUPS, call.query);
    const { name, external_id, members } = fieldsOf(readResource(GROUPS, call.body));
    const group = await parts.provisioning.createGroup({
      name,
      members,
      ...(external_id !== null && { external_id }),
    });
    wrote(parts, call, "scimCreateGroup", { group: name, members: members.length });
    const location = ["Location", `${baseOf(parts)}/Groups/${group.id}`];
    return scimReply(201, await shownOne(READ_GROUPS, parts, group, projection), location);
  };
}

/** Replaces a group. */
export function replaceGroup(parts: ScimParts) {
  return (call: ScimCall) =>
    change(parts, call, "scimReplaceGroup", fieldsOf(readResource(GROUPS, call.body)));
}

/** Changes a group. */
export function patchGroup(parts: ScimParts) {
  return (call: ScimCall) =>
    change(parts, call, "scimUpdateGroup", groupChange(readOperations(call.body), parts.tolerance));
}

/** Deletes a group. */
export function deleteGroup(parts: ScimParts) {
  return async (call: ScimCall) => {
    const [id = ""] = call.params;
    const { name } = await parts.provisioning.group(id);
    await parts.provisioning.deleteGroup(id);
    wrote(parts, call, "scimDeleteGroup", { group: name });
    return NO_CONTENT;
  };
}

/** The name of the group that a call creates, or the present one of the group that it changes. */
export function namesOfGroup({ provisioning }: ScimParts) {
  return async ({ params: [id], body }: ScimCall) => {
    if (id !== undefined) return { group: (await provisioning.group(id)).name };
    return { group: fieldsOf(readResource(GROUPS, body)).name };
  };
}

async function change(parts: ScimParts, call: ScimCall, operation: string, asked: ProvisionedGroupChange) {
  const [id = ""] = call.params;
  const projection = projectionOf(GROUPS, call.query);
  const group = await parts.provisioning.changeGroup(id, asked);
  const { members, add = [], remove = [] } = asked;
  wrote(parts, call, operation, {
    group: group.name,
    ...(members !== undefined && { members: members.length }),
    added: add.length,
    removed: remove.length,
  });
  return scimReply(200, await shownOne(READ_GROUPS, parts, group, projection));
}

function fieldsOf(attributes: Attributes) {
  const members = (attributes["members"] ?? []) as readonly { readonly value: string }[];
  return {
    name: attributes["displayName"] as string,
    external_id: (attributes["externalId"] as string | undefined) ?? null,
    members: members.map(({ value }) => value),
  };
}
