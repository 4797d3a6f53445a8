/** `svcctl auth users`, as data. */

import type { GroupSpec } from "../command.ts";
import { JSON_OUTPUT, OWN_ID, PAGING, POLICY, PRINCIPAL, USER_ID } from "./auth-options.ts";

const CREDENTIALS: GroupSpec = {
  name: "credentials",
  description: "Manages access keys of users.",
  commands: [
    {
      name: "list",
      description: "Lists the access keys of a user.",
      examples: ["", "--id bob"],
      options: [OWN_ID, ...PAGING],
      load: async () => (await import("./user-credentials.ts")).listCredentials,
    },
    {
      name: "create",
      description: "Creates an access key; its secret is shown this once.",
      examples: ["--id bob", "--id bob --json"],
      options: [OWN_ID, JSON_OUTPUT],
      load: async () => (await import("./user-credentials.ts")).createCredentials,
    },
    {
      name: "delete",
      description: "Deletes an access key.",
      examples: ["--id bob --access-key-id AKIAJIOSFODNN7EXAMPQ"],
      options: [
        OWN_ID,
        { flags: "--access-key-id <string>", description: "access key id", required: true },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./user-credentials.ts")).deleteCredentials,
    },
  ],
};

const GROUPS: GroupSpec = {
  name: "groups",
  description: "Shows the groups of users.",
  commands: [
    {
      name: "list",
      description: "Lists the groups of a user.",
      examples: ["--id bob"],
      options: [USER_ID, ...PAGING],
      load: async () => (await import("./users.ts")).listUserGroups,
    },
  ],
};

const POLICIES: GroupSpec = {
  name: "policies",
  description: "Manages the policies of users.",
  commands: [
    {
      name: "list",
      description: "Lists the statements of the policies of a user.",
      examples: ["--id bob --effective"],
      options: [
        USER_ID,
        {
          flags: "--effective",
          description: "all distinct policies, those of the user's groups included",
        },
        ...PAGING,
      ],
      load: async () => (await import("./attached-policies.ts")).listUserPolicies,
    },
    {
      name: "attach",
      description: "Attaches a policy to a user.",
      examples: ["--id bob --policy ReadData"],
      options: [USER_ID, POLICY, JSON_OUTPUT],
      load: async () => (await import("./attached-policies.ts")).attachToUser,
    },
    {
      name: "detach",
      description: "Detaches a policy from a user.",
      examples: ["--id bob --policy ReadData"],
      options: [USER_ID, POLICY, JSON_OUTPUT],
      load: async () => (await import("./attached-policies.ts")).detachFromUser,
    },
  ],
};

const AWS_IAM: GroupSpec = {
  name: "aws-iam",
  description: "Manages the AWS IAM roles that users log in with.",
  commands: [
    {
      name: "attach",
      description: "Attaches a role to a user.",
      examples: ["--id bob --principal-id arn:aws:sts::123456789012:assumed-role/readers"],
      options: [OWN_ID, PRINCIPAL, JSON_OUTPUT],
      load: async () => (await import("./aws-iam.ts")).attachRole,
    },
    {
      name: "detach",
      description: "Detaches a role from a user.",
      examples: ["--id bob --principal-id arn:aws:sts::123456789012:assumed-role/readers"],
      options: [OWN_ID, PRINCIPAL, JSON_OUTPUT],
      load: async () => (await import("./aws-iam.ts")).detachRole,
    },
    {
      name: "list",
      description: "Lists the roles of a user.",
      examples: ["", "--id bob"],
      options: [OWN_ID, ...PAGING],
      load: async () => (await import("./aws-iam.ts")).listRoles,
    },
    {
      name: "lookup",
      description: "Finds the user of a role.",
      examples: ["--principal-id arn:aws:sts::123456789012:assumed-role/readers"],
      options: [PRINCIPAL, JSON_OUTPUT],
      load: async () => (await import("./aws-iam.ts")).lookUpRole,
    },
  ],
};

/** Users, their credentials, groups, policies and roles. */
export const USERS_GROUP: GroupSpec = {
  name: "users",
  description: "Manages users.",
  commands: [
    {
      name: "list",
      description: "Lists users.",
      examples: ["", "--prefix b --amount 20", "--json"],
      options: PAGING,
      load: async () => (await import("./users.ts")).listUsers,
    },
    {
      name: "create",
      description: "Creates a user.",
      examples: ["--id bob"],
      options: [USER_ID, JSON_OUTPUT],
      load: async () => (await import("./users.ts")).createUser,
    },
    {
      name: "delete",
      description: "Deletes a user.",
      examples: ["--id bob"],
      options: [USER_ID, JSON_OUTPUT],
      load: async () => (await import("./users.ts")).deleteUser,
    },
    CREDENTIALS,
    GROUPS,
    POLICIES,
    AWS_IAM,
  ],
};
