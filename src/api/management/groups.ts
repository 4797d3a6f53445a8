/** Groups and their members in the management API (permissions.md §12). */

import type { Reply } from "../../http/route.ts";
import { given } from "../rest/bodies.ts";
import { EXAMPLE_TIME } from "../rest/declared.ts";
import { withFieldNames } from "../rest/field-names.ts";
import { BASE_PATH, created, json, param, removed } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { groupBody } from "../rest/shapes.ts";
import type { UserCall } from "./call.ts";
import {
  answerWith,
  answerWithPage,
  bodyOf,
  CREATE,
  JOIN,
  LIST,
  type ManagementParts,
  READ,
  REMOVE,
  type UserDeclaration,
} from "./declaration.ts";
import { decidedOnNewName } from "./new-names.ts";
import { userBody } from "./shapes.ts";

const GROUPS = `${BASE_PATH}/auth/groups`;
const GROUP = `${GROUPS}/{groupId}`;
const MEMBERS = `${GROUP}/members`;
const TAG = { tag: "groups" } as const;
const ABOUT = { ...TAG, missing: "group not found" } as const;
const CREATION_NAMES = new Map([["/name", "/id"]]);

/** The example of a group. */
export const EXAMPLE_GROUP = {
  id: "Readers",
  name: "Readers",
  description: "May read everything.",
  creation_date: EXAMPLE_TIME,
};

/** The operations. */
export const GROUP_OPERATIONS: readonly UserDeclaration[] = [
  {
    ...LIST,
    ...TAG,
    id: "listGroups",
    path: GROUPS,
    summary: "List groups",
    description: "All groups, in the order of their names.",
    answer: answerWithPage("GroupList", EXAMPLE_GROUP),
    errors: [400],
    handler:
      ({ directory: { groups } }) =>
      (call) =>
        listReply(call, (page) => groups.list(page), groupBody),
  },
  {
    ...CREATE,
    ...TAG,
    id: "createGroup",
    path: GROUPS,
    summary: "Create a group",
    description: "The group has no members and no policies yet.",
    body: bodyOf("GroupCreation", { id: "Readers", description: "May read everything." }),
    answer: answerWith(201, "Group", EXAMPLE_GROUP),
    ...decidedOnNewName("Group"),
    handler: (parts) => (call) => create(call, parts),
  },
  {
    ...READ,
    ...ABOUT,
    id: "getGroup",
    path: GROUP,
    summary: "Get a group",
    description: "The group without its members and policies, which have lists of their own.",
    answer: answerWith(200, "Group", EXAMPLE_GROUP),
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
    handler: (parts) => (call) => remove(call, parts),
  },
  {
    ...LIST,
    ...TAG,
    id: "listGroupMembers",
    path: MEMBERS,
    summary: "List the members of a group",
    description: "The users who are members of the group.",
    answer: answerWithPage("UserList", { id: "alice", creation_date: EXAMPLE_TIME }),
    errors: [400, 404],
    handler:
      ({ directory: { groups } }) =>
      (call) =>
        listReply(call, (page) => groups.members(param(call, 0), page), userBody),
  },
  {
    ...JOIN,
    ...TAG,
    id: "addGroupMembership",
    path: `${MEMBERS}/{userId}`,
    summary: "Add a user to a group",
    description:
      "The user gets the policies of the group. `authorizer.escalation` compares them with the caller's.",
    handler: (parts) => (call) => addMember(call, parts),
  },
  {
    ...REMOVE,
    ...TAG,
    id: "deleteGroupMembership",
    path: `${MEMBERS}/{userId}`,
    summary: "Remove a user from a group",
    description: "The user loses the policies of the group, unless it holds them in another way.",
    errors: [403, 404],
    handler: (parts) => (call) => removeMember(call, parts),
  },
];

async function create(call: UserCall, { directory, audit }: ManagementParts): Promise<Reply> {
  const { id: name, description } = call.body as {
    readonly id: string;
    readonly description?: string | null;
  };
  const group = { name, ...given({ description }) };
  const after = await withFieldNames(CREATION_NAMES, directory.groups.create(group));
  audit.wrote(call, "createGroup", { group: name, after });
  return json(201, groupBody(after));
}

async function remove(call: UserCall, { directory, audit, escalation }: ManagementParts): Promise<Reply> {
  const before = await directory.groups.get(param(call, 0));
  const warnings = await escalation.remove(
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

async function addMember(call: UserCall, parts: ManagementParts): Promise<Reply> {
  const [group, user] = [param(call, 0), param(call, 1)];
  const warnings = await parts.escalation.checkGrant(call, {
    what: `adding ${JSON.stringify(user)} to group ${JSON.stringify(group)}`,
    policies: () => parts.holdings.ofGroup(group),
  });
  await parts.directory.groups.addMember(group, user);
  parts.audit.wrote(call, "addGroupMembership", { group, user });
  return created(warnings);
}

async function removeMember(call: UserCall, parts: ManagementParts): Promise<Reply> {
  const [group, user] = [param(call, 0), param(call, 1)];
  const warnings = await parts.escalation.remove(
    call,
    {
      what: `removing ${JSON.stringify(user)} from group ${JSON.stringify(group)}`,
      takes: (_, via) => user === call.caller.identity.username && "group" in via && via.group === group,
    },
    () => parts.directory.groups.removeMember(group, user),
  );
  parts.audit.wrote(call, "deleteGroupMembership", { group, user });
  return removed(warnings);
}
