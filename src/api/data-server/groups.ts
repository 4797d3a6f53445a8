/** Groups and their members (authorization-api.md §7, operations 7 to 10 and 16 to 18). */

import type { Groups } from "../../directory/directory.ts";
import type { Reply } from "../../http/route.ts";
import { given } from "../rest/bodies.ts";
import { EXAMPLE_TIME, NO_STORE_HEADER } from "../rest/declared.ts";
import { withFieldNames } from "../rest/field-names.ts";
import { BASE_PATH, created, json, NO_CONTENT, NO_STORE, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { groupBody } from "../rest/shapes.ts";
import type { ServiceCall } from "../service-caller.ts";
import {
  answerWith,
  answerWithPage,
  bodyOf,
  CREATE,
  type DataServerDeclaration,
  type DataServerParts,
  JOIN,
  LIST,
  READ,
  REMOVE,
} from "./declaration.ts";
import { userBody } from "./shapes.ts";

const GROUPS = `${BASE_PATH}/auth/groups`;
const GROUP = `${GROUPS}/{groupId}`;
const MEMBER = `${GROUP}/members/{userId}`;
/** Fields of the directory → fields of GroupCreation. */
const CREATION_NAMES = new Map([["/name", "/id"]]);
const TAG = { tag: "groups" } as const;

/** The example of a group. */
export const EXAMPLE_GROUP = {
  id: "Readers",
  name: "Readers",
  description: "May read everything.",
  creation_date: EXAMPLE_TIME,
};

/** The operations. */
export const GROUP_OPERATIONS: readonly DataServerDeclaration[] = [
  {
    ...LIST,
    ...TAG,
    id: "listGroups",
    path: GROUPS,
    summary: "List groups",
    description: "All groups.",
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
    handler: (parts) => (call) => create(call, parts),
  },
  {
    ...READ,
    ...TAG,
    id: "getGroup",
    path: GROUP,
    summary: "Get a group",
    description: "The group without its members and policies, which have lists of their own.",
    answer: answerWith(200, "Group", EXAMPLE_GROUP),
    errors: [404],
    handler:
      ({ directory: { groups } }) =>
      async (call) =>
        json(200, groupBody(await groups.get(param(call, 0)))),
  },
  {
    ...REMOVE,
    ...TAG,
    id: "deleteGroup",
    path: GROUP,
    summary: "Delete a group",
    description: "Its memberships and attachments go with it; its members and policies stay.",
    handler:
      ({ directory: { groups }, audit }) =>
      async (call) => {
        const before = await groups.get(param(call, 0));
        await groups.delete(before.name);
        audit.wrote(call, "deleteGroup", { group: before.name, before });
        return NO_CONTENT;
      },
  },
  {
    ...LIST,
    ...TAG,
    id: "listGroupMembers",
    path: `${GROUP}/members`,
    summary: "List the members of a group",
    description: "The users who are members of the group.",
    answer: {
      ...answerWithPage("UserList", { username: "alice", creation_date: EXAMPLE_TIME }),
      headers: NO_STORE_HEADER,
    },
    handler:
      ({ directory: { groups } }) =>
      (call) =>
        listReply(
          call,
          (page) => groups.members(param(call, 0), page),
          (user) => userBody(user, call.caller),
          NO_STORE,
        ),
  },
  {
    ...JOIN,
    ...TAG,
    id: "addGroupMembership",
    path: MEMBER,
    summary: "Add a user to a group",
    description: "The user gets the policies of the group.",
    handler: membership("addGroupMembership", (groups) => groups.addMember, created()),
  },
  {
    ...REMOVE,
    ...TAG,
    id: "deleteGroupMembership",
    path: MEMBER,
    summary: "Remove a user from a group",
    description: "The user loses the policies of the group, unless it holds them in another way.",
    handler: membership("deleteGroupMembership", (groups) => groups.removeMember, NO_CONTENT),
  },
];

async function create(call: ServiceCall, { setup, audit }: DataServerParts): Promise<Reply> {
  const { id: name, description } = call.body as {
    readonly id: string;
    readonly description?: string | null;
  };
  const group = { name, ...given({ description }) };
  const after = await withFieldNames(CREATION_NAMES, setup.createGroup(group));
  audit.wrote(call, "createGroup", { group: name, after });
  return json(201, groupBody(after));
}

function membership(operation: string, workOf: (groups: Groups) => Groups["addMember"], reply: Reply) {
  return ({ directory: { groups }, audit }: DataServerParts) => {
    const work = workOf(groups);
    return async (call: ServiceCall): Promise<Reply> => {
      const [group, user] = [param(call, 0), param(call, 1)];
      await work(group, user);
      audit.wrote(call, operation, { group, user });
      return reply;
    };
  };
}
