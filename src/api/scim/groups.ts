/** The calls about groups (scim.md §5). */

import type { ProvisionedGroup, ProvisionedGroupChange } from "../../directory/provisioning.ts";
import { isObject } from "../../http/body/json-body.ts";
import { NO_CONTENT } from "../rest/operation.ts";
import { readsAttribute } from "./filter/matching.ts";
import { groupResource } from "./group-resource.ts";
import {
  equalText,
  type ListQuery,
  type ListRequest,
  listReply,
  listRequest,
  searchQuery,
  Window,
} from "./lists.ts";
import { baseOf, type ScimCall, type ScimParts, scimReply, wrote } from "./parts.ts";
import { groupChange } from "./patch/group-patch.ts";
import { readOperations } from "./patch/operations.ts";
import { type Projection, projectionOf } from "./projection.ts";
import { type Attributes, readResource } from "./read-values.ts";
import { GROUPS } from "./schema/group-schema.ts";
import { ScimError } from "./scim-error.ts";
import { absent } from "./users.ts";

/** Lists groups. */
export function listGroups(parts: ScimParts) {
  return ({ query }: ScimCall) => list(parts, query);
}

/** Lists groups as a body asks for them. */
export function searchGroups(parts: ScimParts) {
  return ({ body }: ScimCall) => list(parts, searchQuery(body));
}

async function list(parts: ScimParts, query: ListQuery) {
  const request = listRequest(GROUPS, query);
  const projection = projectionOf(GROUPS, query);
  const window = await findGroups(parts, request);
  const resources = shownGroups(parts, window.items, projection);
  return listReply(resources, { total: window.total, startIndex: request.startIndex });
}

/** Gets a group. */
export function getGroup(parts: ScimParts) {
  return async ({ params: [id = ""], query }: ScimCall) => {
    const projection = projectionOf(GROUPS, query);
    return scimReply(200, await shown(parts, await parts.provisioning.group(id), projection));
  };
}

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
    return scimReply(201, await shown(parts, group, projection), location);
  };
}

/** Replaces a group. */
export function replaceGroup(parts: ScimParts) {
  return (call: ScimCall) =>
    change(parts, call, "scimReplaceGroup", fieldsOf(readResource(GROUPS, call.body)));
}

/** Changes a group. */
export function patchGroup(parts: ScimParts) {
  return (call: ScimCall) => change(parts, call, "scimUpdateGroup", groupChange(readOperations(call.body)));
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
  return scimReply(200, await shown(parts, group, projection));
}

function fieldsOf(attributes: Attributes) {
  const members = (attributes["members"] ?? []) as readonly unknown[];
  return {
    name: attributes["displayName"] as string,
    external_id: (attributes["externalId"] as string | undefined) ?? null,
    members: members.map((one) => {
      const id = isObject(one) ? one["value"] : undefined;
      if (typeof id !== "string")
        throw new ScimError("invalidValue", "members: each needs a value, the id of a user");
      return id;
    }),
  };
}

/** The resources of groups, as far as a call wants to see them; each is read when it is asked for. */
export async function* shownGroups(
  parts: ScimParts,
  groups: readonly ProvisionedGroup[],
  projection: Projection,
): AsyncGenerator<Attributes> {
  for (const group of groups) yield shown(parts, group, projection);
}

async function shown(parts: ScimParts, group: ProvisionedGroup, projection: Projection): Promise<Attributes> {
  const members = projection.shows("members") ? await parts.provisioning.members(group.id) : undefined;
  return projection.apply(groupResource(group, members, baseOf(parts)));
}

/** The groups that pass a filter. */
export async function findGroups(parts: ScimParts, request: ListRequest): Promise<Window<ProvisionedGroup>> {
  const { provisioning } = parts;
  const { filter, test } = request;
  const window = new Window<ProvisionedGroup>(request);
  const base = baseOf(parts);
  const readsMembers = filter !== undefined && readsAttribute(filter, "members");
  const candidate = await candidateOf(parts, request);
  if (candidate !== "any") {
    if (candidate === undefined) return window;
    const members = readsMembers ? await provisioning.members(candidate.id) : undefined;
    if (test(groupResource(candidate, members, base))) window.add(candidate);
    return window;
  }
  if (readsMembers) {
    throw new ScimError("invalidFilter", 'a filter on members needs id eq "…" or displayName eq "…" too');
  }
  await provisioning.eachGroup((groups) => {
    for (const group of groups) {
      if (filter === undefined || test(groupResource(group, undefined, base))) window.add(group);
    }
  });
  return window;
}

/** The only group that can pass the filter; `any` where it does not say. */
async function candidateOf(
  { provisioning }: ScimParts,
  { filter }: ListRequest,
): Promise<ProvisionedGroup | undefined | "any"> {
  const name = equalText(filter, "displayName");
  if (name !== undefined) return provisioning.findGroup(name);
  const id = equalText(filter, "id");
  return id === undefined ? "any" : provisioning.group(id).catch(absent);
}
