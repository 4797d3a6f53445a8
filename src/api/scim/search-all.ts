/** The search over users and groups together (spec/scim §2, RFC 7644, section 3.4.3): users first, each by name. */

import type { ProvisionedGroup, ProvisionedUser } from "../../directory/provisioning.ts";
import { READ_GROUPS } from "./groups.ts";
import {
  type ListQuery,
  type ListRequest,
  listReply,
  listRequest,
  searchQuery,
  type Window,
} from "./lists.ts";
import type { ScimCall, ScimParts } from "./parts.ts";
import { projectionOf } from "./projection.ts";
import { find, shown } from "./read-calls.ts";
import type { ResourceKind } from "./schema/attribute.ts";
import { GROUPS } from "./schema/group-schema.ts";
import { USERS } from "./schema/user-schema.ts";
import { ScimError } from "./scim-error.ts";
import { READ_USERS } from "./users.ts";

/** Lists users and groups as a body asks for them. */
export function searchAll(parts: ScimParts) {
  return async ({ body }: ScimCall) => {
    const query = searchQuery(body);
    const asked = { users: requestOf(USERS, query), groups: requestOf(GROUPS, query) };
    // A filter that neither kind can pass names no attribute of anything: what is wrong with it, users say.
    const { startIndex } = asked.users ?? asked.groups ?? listRequest(USERS, query);
    const users = asked.users && (await find(READ_USERS, parts, asked.users));
    const groups = asked.groups && (await find(READ_GROUPS, parts, after(users, asked.groups)));
    const total = (users?.total ?? 0) + (groups?.total ?? 0);
    const resources = shownAll(parts, query, { users: users?.items ?? [], groups: groups?.items ?? [] });
    return listReply(resources, { total, startIndex });
  };
}

async function* shownAll(
  parts: ScimParts,
  query: ListQuery,
  { users, groups }: { users: readonly ProvisionedUser[]; groups: readonly ProvisionedGroup[] },
) {
  yield* shown(READ_USERS, parts, users, projectionOf(USERS, query));
  yield* shown(READ_GROUPS, parts, groups, projectionOf(GROUPS, query));
}

/** The request of one kind; undefined if its resources lack an attribute that the filter reads. */
function requestOf(kind: ResourceKind, query: ListQuery): ListRequest | undefined {
  try {
    return listRequest(kind, query);
  } catch (error) {
    if (error instanceof ScimError && error.scimType === "invalidFilter") return undefined;
    throw error;
  }
}

/** The part of the groups in a window that begins with users. */
function after(users: Window<unknown> | undefined, request: ListRequest): ListRequest {
  if (users === undefined) return request;
  const startIndex = Math.max(1, request.startIndex - users.total);
  return { ...request, startIndex, count: request.count - users.items.length };
}
