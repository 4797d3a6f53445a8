/** Groups and their members in the management API (permissions.md §12). */

import type { Directory, Groups } from "../../directory/directory.ts";
import type { Reply } from "../../http/route.ts";
import { BodyFields, withFieldNames } from "../rest/body-fields.ts";
import { created, json, param, removed } from "../rest/operation.ts";
import { listReply } from "../rest/pages.ts";
import { groupBody } from "../rest/shapes.ts";
import type { Escalation } from "./escalation.ts";
import type { Holdings } from "./holdings.ts";
import type { ManagementAudit } from "./management-audit.ts";
import { askedByNewName } from "./new-names.ts";
import { permitted, type UserCall, type UserOperation } from "./operation.ts";
import { userBody } from "./shapes.ts";

const GROUP = "/auth/groups/{groupId}";
const MEMBERS = `${GROUP}/members`;
const MISSING = { missing: "group not found" };
const CREATION_NAMES = new Map([["/name", "/id"]]);

/** What the operations on groups need. */
export interface GroupParts {
  readonly directory: Directory;
  readonly audit: ManagementAudit;
  readonly escalation: Escalation;
  readonly holdings: Holdings;
}

/** The operations. */
export function groupOperations(parts: GroupParts): readonly UserOperation[] {
  const { groups } = parts.directory;
  const { audit, escalation } = parts;
  return [
    permitted("listGroups", "GET", "/auth/groups", (call) =>
      listReply(call, (page) => groups.list(page), groupBody),
    ),
    permitted(
      "createGroup",
      "POST",
      "/auth/groups",
      (call) => create(call, groups, audit),
      askedByNewName("Group"),
    ),
    permitted(
      "getGroup",
      "GET",
      GROUP,
      async (call) => json(200, groupBody(await groups.get(param(call, 0)))),
      MISSING,
    ),
    permitted(
      "deleteGroup",
      "DELETE",
      GROUP,
      async (call) => {
        const before = await groups.get(param(call, 0));
        const warnings = await escalation.remove(
          call,
          {
            what: `deleting group ${JSON.stringify(before.name)}`,
            takes: (_, via) => "group" in via && via.group === before.name,
          },
          () => groups.delete(before.name),
        );
        audit.wrote(call, "deleteGroup", { group: before.name, before });
        return removed(warnings);
      },
      MISSING,
    ),
    ...memberOperations(parts),
  ];
}

async function create(call: UserCall, groups: Groups, audit: ManagementAudit): Promise<Reply> {
  const fields = new BodyFields(call.body);
  const name = fields.text("id");
  const description = fields.optionalText("description");
  fields.finish();
  const group = { name, ...(description === undefined ? {} : { description }) };
  const after = await withFieldNames(CREATION_NAMES, groups.create(group));
  audit.wrote(call, "createGroup", { group: name, after });
  return json(201, groupBody(after));
}

function memberOperations({
  directory: { groups },
  audit,
  escalation,
  holdings,
}: GroupParts): readonly UserOperation[] {
  return [
    permitted("listGroupMembers", "GET", MEMBERS, (call) =>
      listReply(call, (page) => groups.members(param(call, 0), page), userBody),
    ),
    permitted("addGroupMembership", "PUT", `${MEMBERS}/{userId}`, async (call) => {
      const [group, user] = [param(call, 0), param(call, 1)];
      const warnings = await escalation.judge(call, {
        what: `adding ${JSON.stringify(user)} to group ${JSON.stringify(group)}`,
        policies: () => holdings.ofGroup(group),
      });
      await groups.addMember(group, user);
      audit.wrote(call, "addGroupMembership", { group, user });
      return created(warnings);
    }),
    permitted("deleteGroupMembership", "DELETE", `${MEMBERS}/{userId}`, async (call) => {
      const [group, user] = [param(call, 0), param(call, 1)];
      const warnings = await escalation.remove(
        call,
        {
          what: `removing ${JSON.stringify(user)} from group ${JSON.stringify(group)}`,
          takes: (_, via) => user === call.caller.identity.username && "group" in via && via.group === group,
        },
        () => groups.removeMember(group, user),
      );
      audit.wrote(call, "deleteGroupMembership", { group, user });
      return removed(warnings);
    }),
  ];
}
