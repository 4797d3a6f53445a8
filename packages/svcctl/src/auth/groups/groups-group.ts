/** `svcctl auth groups`, as data. */

import type { GroupSpec } from "../../command.ts";
import type { Column } from "../../output/records.ts";
import { GROUP_ID, JSON_OUTPUT, MEMBER } from "../auth-options.ts";
import { attachmentCommands, changeCommand, entityCommands, listCommand } from "../auth-specs.ts";

const COLUMNS: readonly Column[] = [
  { heading: "ID", name: "id", fields: ["id"] },
  { heading: "Group Name", name: "name", fields: ["name", "id"] },
  { heading: "Creation Date", name: "creation_date", fields: ["creation_date"], kind: "date" },
];

const GROUP = { path: "groups", noun: "group", example: "Readers", id: GROUP_ID } as const;
const MEMBERS = ["auth", "groups", { option: "id" }, "members"] as const;
const ONE_MEMBER = [...MEMBERS, { option: "user", orSelf: true }] as const;
const MEMBER_EXAMPLE = ["--id Readers --user bob"];

/** Groups, their members, policies and permissions. */
export const GROUPS_GROUP: GroupSpec = {
  name: "groups",
  description: "Manages groups.",
  commands: [
    ...entityCommands({ ...GROUP, columns: COLUMNS }),
    {
      name: "acl",
      description: "Shows and sets what a group may do on all repositories.",
      commands: [
        {
          name: "get",
          description: "Shows the permission of a group.",
          examples: ["--id Readers"],
          options: [GROUP_ID, JSON_OUTPUT],
          load: async () => (await import("./acl.ts")).getAcl,
        },
        {
          name: "set",
          description: "Sets the permission of a group.",
          examples: ["--id Readers --permission Read"],
          options: [
            GROUP_ID,
            {
              flags: "--permission <string>",
              description: 'permission: "Read", "Write", "Super" or "Admin"',
              required: true,
              values: ["Read", "Write", "Super", "Admin"],
            },
            JSON_OUTPUT,
          ],
          load: async () => (await import("./acl.ts")).setAcl,
        },
      ],
    },
    {
      name: "members",
      description: "Manages the users of a group.",
      commands: [
        listCommand(
          {
            name: "list",
            description: "Lists the users of a group.",
            examples: ["--id Readers"],
            options: [GROUP_ID],
          },
          { path: MEMBERS, columns: [{ heading: "User ID", name: "id", fields: ["id"] }] },
        ),
        changeCommand(
          {
            name: "add",
            description: "Adds a user to a group.",
            examples: MEMBER_EXAMPLE,
            options: [GROUP_ID, MEMBER],
          },
          { method: "PUT", path: ONE_MEMBER, expect: 201, done: "User successfully added" },
        ),
        changeCommand(
          {
            name: "remove",
            description: "Removes a user from a group.",
            examples: MEMBER_EXAMPLE,
            options: [GROUP_ID, MEMBER],
          },
          { method: "DELETE", path: ONE_MEMBER, expect: 204, done: "User successfully removed" },
        ),
      ],
    },
    {
      name: "policies",
      description: "Manages the policies of a group.",
      commands: attachmentCommands(GROUP),
    },
  ],
};
