/** The calls about users (scim.md §4). */

import type { ProvisionedUser } from "../../directory/provisioning.ts";
import { NO_CONTENT } from "../rest/operation.ts";
import { readsAttribute } from "./filter/matching.ts";
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
import { applyOperations } from "./patch/apply.ts";
import { readOperations } from "./patch/operations.ts";
import { type Projection, projectionOf } from "./projection.ts";
import { type Attributes, readResource } from "./read-values.ts";
import { USERS } from "./schema/user-schema.ts";
import { ScimError } from "./scim-error.ts";
import { attributesOf, fieldsOf, userResource } from "./user-resource.ts";

/** Lists users. */
export function listUsers(parts: ScimParts) {
  return ({ query }: ScimCall) => list(parts, query);
}

/** Lists users as a body asks for them. */
export function searchUsers(parts: ScimParts) {
  return ({ body }: ScimCall) => list(parts, searchQuery(body));
}

async function list(parts: ScimParts, query: ListQuery) {
  const request = listRequest(USERS, query);
  const projection = projectionOf(USERS, query);
  const window = await findUsers(parts, request);
  const resources = await shownUsers(parts, window.items, projection);
  return listReply(resources, { total: window.total, startIndex: request.startIndex });
}

/** Gets a user. */
export function getUser(parts: ScimParts) {
  return async ({ params: [id = ""], query }: ScimCall) => {
    const projection = projectionOf(USERS, query);
    return scimReply(200, await shownUser(parts, await parts.provisioning.user(id), projection));
  };
}

/** Creates a user. */
export function createUser(parts: ScimParts) {
  return async (call: ScimCall) => {
    const projection = projectionOf(USERS, call.query);
    const fields = fieldsOf(readResource(USERS, call.body), undefined);
    const user = await parts.provisioning.createUser(fields);
    wrote(parts, call, "scimCreateUser", { user: user.username, ...stateOf(user) });
    const location = ["Location", `${baseOf(parts)}/Users/${user.id}`];
    return scimReply(201, await shownUser(parts, user, projection), location);
  };
}

/** Replaces a user. */
export function replaceUser(parts: ScimParts) {
  return (call: ScimCall) => {
    const attributes = readResource(USERS, call.body);
    return change(parts, call, "scimReplaceUser", () => attributes);
  };
}

/** Changes a user. */
export function patchUser(parts: ScimParts) {
  return (call: ScimCall) => {
    const operations = readOperations(call.body);
    return change(parts, call, "scimUpdateUser", async (user) => {
      const attributes = await applyOperations(USERS, attributesOf(user), operations);
      if (typeof attributes["userName"] !== "string")
        throw new ScimError("invalidValue", "userName: required");
      return attributes;
    });
  };
}

/** Deletes a user. */
export function deleteUser(parts: ScimParts) {
  return async (call: ScimCall) => {
    const [id = ""] = call.params;
    const { username } = await parts.provisioning.user(id);
    await parts.provisioning.deleteUser(id);
    wrote(parts, call, "scimDeleteUser", { user: username });
    return NO_CONTENT;
  };
}

async function change(
  parts: ScimParts,
  call: ScimCall,
  operation: string,
  attributes: (user: ProvisionedUser) => Attributes | Promise<Attributes>,
) {
  const [id = ""] = call.params;
  const projection = projectionOf(USERS, call.query);
  let before: ProvisionedUser | undefined;
  const user = await parts.provisioning.changeUser(id, async (found) => {
    before = found;
    return fieldsOf(await attributes(found), found);
  });
  if (user !== before) {
    const renamed = before !== undefined && before.username !== user.username;
    const was = renamed ? { was: before?.username } : {};
    wrote(parts, call, operation, { user: user.username, ...was, ...stateOf(user) });
  }
  return scimReply(200, await shownUser(parts, user, projection));
}

function stateOf(user: ProvisionedUser) {
  return user.inactive === true ? { inactive: true } : {};
}

/** The resources of users, as far as a call wants to see them. */
export async function shownUsers(
  parts: ScimParts,
  users: readonly ProvisionedUser[],
  projection: Projection,
): Promise<readonly Attributes[]> {
  const base = baseOf(parts);
  const ids = users.map(({ id }) => id);
  const groups = projection.shows("groups") ? await parts.provisioning.groupsOf(ids) : undefined;
  return users.map((user) => projection.apply(userResource(user, groups?.get(user.id), base)));
}

async function shownUser(parts: ScimParts, user: ProvisionedUser, projection: Projection) {
  const [resource = {}] = await shownUsers(parts, [user], projection);
  return resource;
}

/** The users that pass a filter. */
export async function findUsers(parts: ScimParts, request: ListRequest): Promise<Window<ProvisionedUser>> {
  const { provisioning } = parts;
  const { filter, test } = request;
  const window = new Window<ProvisionedUser>(request);
  const base = baseOf(parts);
  const candidate = await candidateOf(parts, request);
  if (candidate !== "any") {
    if (candidate === undefined) return window;
    const groups = await provisioning.groupsOf([candidate.id]);
    if (test(userResource(candidate, groups.get(candidate.id), base))) window.add(candidate);
    return window;
  }
  if (filter !== undefined && readsAttribute(filter, "groups")) {
    throw new ScimError(
      "invalidFilter",
      'a filter on groups needs id eq "…", userName eq "…" or externalId eq "…" too',
    );
  }
  await provisioning.eachUser((users) => {
    for (const user of users)
      if (filter === undefined || test(userResource(user, undefined, base))) window.add(user);
  });
  return window;
}

/** The only user that can pass the filter; `any` where it does not say. */
async function candidateOf(
  { provisioning }: ScimParts,
  { filter }: ListRequest,
): Promise<ProvisionedUser | undefined | "any"> {
  const username = equalText(filter, "userName");
  if (username !== undefined) return provisioning.findUser({ username });
  const external_id = equalText(filter, "externalId");
  if (external_id !== undefined) return provisioning.findUser({ external_id });
  const id = equalText(filter, "id");
  return id === undefined ? "any" : provisioning.user(id).catch(absent);
}

/** Takes "not_found" as undefined. */
export function absent(error: unknown): undefined {
  if ((error as { readonly code?: unknown }).code === "not_found") return undefined;
  throw error;
}
