/** `svcctl auth groups`, as data. */

import type { GroupSpec } from "../command.ts";
import { GROUP_ID, JSON_OUTPUT, MEMBER, PAGING, POLICY } from "./auth-options.ts";

const ACL: GroupSpec = {
  name: "acl",
  description: "Shows and sets what a group may do on all repositories.",
  commands: [
    {
      name: "get",
      description: "Shows the permission of a group.",
      examples: ["--id Readers"],
      options: [GROUP_ID, JSON_OUTPUT],
      load: async () => (await import("./group-acl.ts")).getAcl,
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
      load: async () => (await import("./group-acl.ts")).setAcl,
    },
  ],
};

const MEMBERS: GroupSpec = {
  name: "members",
  description: "Manages the users of a group.",
  commands: [
    {
      name: "list",
      description: "Lists the users of a group.",
      examples: ["--id Readers"],
      options: [GROUP_ID, ...PAGING],
      load: async () => (await import("./group-members.ts")).listMembers,
    },
    {
      name: "add",
      description: "Adds a user to a group.",
      examples: ["--id Readers --user bob"],
      options: [GROUP_ID, MEMBER, JSON_OUTPUT],
      load: async () => (await import("./group-members.ts")).addMember,
    },
    {
      name: "remove",
      description: "Removes a user from a group.",
      examples: ["--id Readers --user bob"],
      options: [GROUP_ID, MEMBER, JSON_OUTPUT],
      load: async () => (await import("./group-members.ts")).removeMember,
    },
  ],
};

const POLICIES: GroupSpec = {
  name: "policies",
  description: "Manages the policies of a group.",
  commands: [
    {
      name: "list",
      description: "Lists the statements of the policies of a group.",
      examples: ["--id Readers"],
      options: [GROUP_ID, ...PAGING],
      load: async () => (await import("./attached-policies.ts")).listGroupPolicies,
    },
    {
      name: "attach",
      description: "Attaches a policy to a group.",
      examples: ["--id Readers --policy ReadData"],
      options: [GROUP_ID, POLICY, JSON_OUTPUT],
      load: async () => (await import("./attached-policies.ts")).attachToGroup,
    },
    {
      name: "detach",
      description: "Detaches a policy from a group.",
      examples: ["--id Readers --policy ReadData"],
      options: [GROUP_ID, POLICY, JSON_OUTPUT],
      load: async () => (await import("./attached-policies.ts")).detachFromGroup,
    },
  ],
};

/** Groups, their members, policies and permissions. */
export const GROUPS_GROUP: GroupSpec = {
  name: "groups",
  description: "Manages groups.",
  commands: [
    {
      name: "list",
      description: "Lists groups.",
      examples: ["", "--prefix Read --amount 20", "--json"],
      options: PAGING,
      load: async () => (await import("./groups.ts")).listGroups,
    },
    {
      name: "create",
      description: "Creates a group.",
      examples: ["--id Readers"],
      options: [GROUP_ID, JSON_OUTPUT],
      load: async () => (await import("./groups.ts")).createGroup,
    },
    {
      name: "delete",
      description: "Deletes a group.",
      examples: ["--id Readers"],
      options: [GROUP_ID, JSON_OUTPUT],
      load: async () => (await import("./groups.ts")).deleteGroup,
    },
    ACL,
    MEMBERS,
    POLICIES,
  ],
};
