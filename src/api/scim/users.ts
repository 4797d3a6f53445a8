/** The calls about users (spec/scim §4). */

import type { ProvisionedUser } from "../../directory/provisioning.ts";
import { NO_CONTENT } from "../rest/operation.ts";
import { baseOf, type ScimCall, type ScimParts, scimReply, wrote } from "./parts.ts";
import { applyOperations } from "./patch/apply.ts";
import { readOperations } from "./patch/operations.ts";
import { projectionOf } from "./projection.ts";
import { type ReadKind, shownOne } from "./read-calls.ts";
import { type Attributes, readResource } from "./read-values.ts";
import { USERS } from "./schema/user-schema.ts";
import { ScimError } from "./scim-error.ts";
import { attributesOf, fieldsOf, userResource } from "./user-resource.ts";

/** Reads users; their groups come from the groups. */
export const READ_USERS: ReadKind<ProvisionedUser> = {
  kind: USERS,
  related: "groups",
  get: ({ provisioning }, id) => provisioning.user(id),
  unique: {
    userName: ({ provisioning }, username) => provisioning.findUser({ username }),
    externalId: ({ provisioning }, external_id) => provisioning.findUser({ external_id }),
  },
  each: ({ provisioning }, visit) => provisioning.eachUser(visit),
  bare: (user, base) => userResource(user, undefined, base),
  async *whole(parts, users) {
    const groups = await parts.provisioning.groupsOf(users.map(({ id }) => id));
    for (const user of users) yield userResource(user, groups.get(user.id), baseOf(parts));
  },
};

/** Creates a user. */
export function createUser(parts: ScimParts) {
  return async (call: ScimCall) => {
    const projection = projectionOf(USERS, call.query);
    const fields = fieldsOf(readResource(USERS, call.body), undefined);
    const user = await parts.provisioning.createUser(fields);
    wrote(parts, call, "scimCreateUser", { user: user.username, ...stateOf(user) });
    const location = ["Location", `${baseOf(parts)}/Users/${user.id}`];
    return scimReply(201, await shownOne(READ_USERS, parts, user, projection), location);
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
      const attributes = await applyOperations(USERS, attributesOf(user), operations, parts.tolerance);
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

/** The name of the user that a call creates, or the present one of the user that it changes. */
export function namesOfUser({ provisioning }: ScimParts) {
  return async ({ params: [id], body }: ScimCall) => {
    if (id !== undefined) return { user: (await provisioning.user(id)).username };
    return { user: fieldsOf(readResource(USERS, body), undefined).username };
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
  return scimReply(200, await shownOne(READ_USERS, parts, user, projection));
}

function stateOf(user: ProvisionedUser) {
  return user.inactive === true ? { inactive: true } : {};
}
