/** Groups and their members (authorization-api.md §7, operations 7 to 10 and 16 to 18). */

import type { Directory, Groups } from "../../directory/directory.ts";
import type { SetupRepeat } from "../../directory/write/setup-repeat.ts";
import type { Reply } from "../../http/route.ts";
import { BodyFields, withFieldNames } from "../rest/body-fields.ts";
import { created, json, NO_CONTENT, NO_STORE, param } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { groupBody } from "../rest/shapes.ts";
import { type Operation, type OperationCall, readOperation, writeOperation } from "./operation.ts";
import { userBody } from "./shapes.ts";
import type { CallAudit } from "./write-audit.ts";

const GROUP = "/auth/groups/{groupId}";
const MEMBER = `${GROUP}/members/{userId}`;
/** Fields of the directory → fields of GroupCreation. */
const CREATION_NAMES = new Map([["/name", "/id"]]);

/** What the operations on groups need. */
export interface GroupParts {
  readonly directory: Directory;
  readonly setup: SetupRepeat;
  readonly audit: CallAudit;
}

/** The operations. */
export function groupOperations(parts: GroupParts): readonly Operation[] {
  return [...entityOperations(parts), ...memberOperations(parts)];
}

function entityOperations({ directory, setup, audit }: GroupParts): readonly Operation[] {
  const { groups } = directory;
  return [
    readOperation("listGroups", "/auth/groups", (call) =>
      listReply(call, (page) => groups.list(page), groupBody),
    ),
    writeOperation("createGroup", "POST", "/auth/groups", (call) => create(call, setup, audit), true),
    readOperation("getGroup", GROUP, async (call) => json(200, groupBody(await groups.get(param(call, 0))))),
    writeOperation("deleteGroup", "DELETE", GROUP, async (call) => {
      const before = await groups.get(param(call, 0));
      await groups.delete(before.name);
      audit.wrote(call, "deleteGroup", { group: before.name, before });
      return NO_CONTENT;
    }),
  ];
}

async function create(call: OperationCall, setup: SetupRepeat, audit: CallAudit): Promise<Reply> {
  const fields = new BodyFields(call.body);
  const name = fields.text("id");
  const description = fields.optionalText("description");
  fields.finish();
  const group = { name, ...(description === undefined ? {} : { description }) };
  const after = await withFieldNames(CREATION_NAMES, setup.createGroup(group));
  audit.wrote(call, "createGroup", { group: name, after });
  return json(201, groupBody(after));
}

function memberOperations({ directory, audit }: GroupParts): readonly Operation[] {
  const { groups } = directory;
  const change =
    (operation: string, work: Groups["addMember"], reply: Reply) => async (call: OperationCall) => {
      const [group, user] = [param(call, 0), param(call, 1)];
      await work(group, user);
      audit.wrote(call, operation, { group, user });
      return reply;
    };
  return [
    readOperation("listGroupMembers", `${GROUP}/members`, (call) =>
      listReply(
        call,
        (page) => groups.members(param(call, 0), page),
        (user) => userBody(user, call.caller),
        NO_STORE,
      ),
    ),
    writeOperation(
      "addGroupMembership",
      "PUT",
      MEMBER,
      change("addGroupMembership", groups.addMember, created()),
    ),
    writeOperation(
      "deleteGroupMembership",
      "DELETE",
      MEMBER,
      change("deleteGroupMembership", groups.removeMember, NO_CONTENT),
    ),
  ];
}
