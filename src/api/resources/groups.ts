/** Groups and their members (spec/authorization-api §7, operations 7 to 10 and 16 to 18; spec/permissions §12). */

import type { Reply } from "../../http/route.ts";
import { decidedOnNewName } from "../management/permissions/new-names.ts";
import { given } from "../rest/bodies.ts";
import { NO_STORE_HEADER } from "../rest/declared.ts";
import { one, page } from "../rest/examples.ts";
import { withFieldNames } from "../rest/field-names.ts";
import type { Grant, RestCall } from "../rest/grants.ts";
import { created, json, param, removed } from "../rest/operation.ts";
import { CREATE, JOIN, LIST, READ, REMOVE } from "../rest/operation-kinds.ts";
import { listReply } from "../rest/pages.ts";
import type { RestParts } from "../rest/parts.ts";
import { groupBody } from "../rest/shapes.ts";
import type { ResourceOperation } from "./operation.ts";

const GROUPS = "/auth/groups";
const GROUP = `${GROUPS}/{groupId}`;
const MEMBERS = `${GROUP}/members`;
/** Fields of the directory → fields of GroupCreation. */
const CREATION_NAMES = new Map([["/name", "/id"]]);
const TAG = { tag: "groups" } as const;
const ABOUT = { ...TAG, management: { missing: "group not found" } } as const;

/** The operations. */
export const GROUP_OPERATIONS: readonly ResourceOperation[] = [
  {
    ...LIST,
    ...TAG,
    id: "listGroups",
    path: GROUPS,
    summary: "List groups",
    description: "All groups.",
    answer: page("GroupList", "Group"),
    errors: [400],
    management: { description: "All groups, in the order of their names." },
    handler:
      ({ directory: { groups } }) =>
      (call) =>
        listReply(call, (asked) => groups.list(asked), groupBody),
  },
  {
    ...CREATE,
    ...TAG,
    id: "createGroup",
    path: GROUPS,
    summary: "Create a group",
    description: "The group has no members and no policies yet.",
    body: { schema: "GroupCreation", example: { id: "Readers", description: "May read everything." } },
    answer: one(201, "Group"),
    names: ({ body }) => ({ group: (body as GroupCreation).id }),
    management: decidedOnNewName("Group"),
    handler: (parts) => (call) => create(call, parts),
  },
  {
    ...READ,
    ...ABOUT,
    id: "getGroup",
    path: GROUP,
    summary: "Get a group",
    description: "The group without its members and policies, which have lists of their own.",
    answer: one(200, "Group"),
    handler:
      ({ directory: { groups } }) =>
      async (call) =>
        json(200, groupBody(await groups.get(param(call, 0)))),
  },
  {
    ...REMOVE,
    ...ABOUT,
    id: "deleteGroup",
    path: GROUP,
    summary: "Delete a group",
    description: "Its memberships and attachments go with it; its members and policies stay.",
    compared: true,
    handler: (parts) => (call) => remove(call, parts),
  },
  {
    ...LIST,
    ...TAG,
    id: "listGroupMembers",
    path: MEMBERS,
    summary: "List the members of a group",
    description: "The users who are members of the group.",
    answer: page("UserList", "Member"),
    dataServer: { answerHeaders: NO_STORE_HEADER },
    handler:
      ({ directory: { groups }, shapes }) =>
      (call) =>
        listReply(
          call,
          (asked) => groups.members(param(call, 0), asked),
          (user) => shapes.user(user, call),
          { headers: shapes.usersHeaders },
        ),
  },
  {
    ...JOIN,
    ...TAG,
    id: "addGroupMembership",
    path: `${MEMBERS}/{userId}`,
    summary: "Add a user to a group",
    description: "The user gets the policies of the group.",
    compared: true,
    management: {
      description:
        "The user gets the policies of the group. `authorizer.escalation` compares them with the caller's.",
    },
    handler: (parts) => (call) => addMember(call, parts),
  },
  {
    ...REMOVE,
    ...TAG,
    id: "deleteGroupMembership",
    path: `${MEMBERS}/{userId}`,
    summary: "Remove a user from a group",
    description: "The user loses the policies of the group, unless it holds them in another way.",
    compared: true,
    handler: (parts) => (call) => removeMember(call, parts),
  },
];

/** The body of a creation, after its shape was validated. */
interface GroupCreation {
  readonly id: string;
  readonly description?: string | null;
}

async function create(call: RestCall, { writes, audit }: RestParts): Promise<Reply> {
  const { id: name, description } = call.body as GroupCreation;
  const group = { name, ...given({ description }) };
  const after = await withFieldNames(CREATION_NAMES, writes.createGroup(group));
  audit.wrote(call, "createGroup", { group: name, after });
  return json(201, groupBody(after));
}

async function remove(call: RestCall, { directory, audit, escalation }: RestParts): Promise<Reply> {
  const before = await directory.groups.get(param(call, 0));
  const { warnings } = await escalation.checkRemoval(
    call,
    {
      what: `deleting group ${JSON.stringify(before.name)}`,
      takes: (_, via) => "group" in via && via.group === before.name,
    },
    () => directory.groups.delete(before.name),
  );
  audit.wrote(call, "deleteGroup", { group: before.name, before });
  return removed(warnings);
}

async function addMember(call: RestCall, parts: RestParts): Promise<Reply> {
  const [group, user] = [param(call, 0), param(call, 1)];
  const grant: Grant = {
    what: `adding ${JSON.stringify(user)} to group ${JSON.stringify(group)}`,
    policies: (state) => state.groupPolicies(group),
  };
  const { warnings } = await parts.escalation.checkGrant(call, grant, () =>
    parts.directory.groups.addMember(group, user),
  );
  parts.audit.wrote(call, "addGroupMembership", { group, user });
  return created(warnings);
}

async function removeMember(call: RestCall, parts: RestParts): Promise<Reply> {
  const [group, user] = [param(call, 0), param(call, 1)];
  const { warnings } = await parts.escalation.checkRemoval(
    call,
    {
      what: `removing ${JSON.stringify(user)} from group ${JSON.stringify(group)}`,
      takes: (_, via) => user === call.caller.name && "group" in via && via.group === group,
    },
    () => parts.directory.groups.removeMember(group, user),
  );
  parts.audit.wrote(call, "deleteGroupMembership", { group, user });
  return removed(warnings);
}
