/**
 * Access lists of groups as policies. The statements equal those that a data server writes for an access list, and
 * those that its ACL server gives the administrators.
 */

import type { Statement } from "@svc-authorizer/policy/model/policy.ts";

/** The levels of access, in ascending order. */
export type Acl = "Read" | "Write" | "Super" | "Admin";

/** The groups of mode simplified. */
export const ACL_GROUPS: readonly { readonly group: string; readonly acl: Acl }[] = [
  { group: "Admins", acl: "Admin" },
  { group: "Supers", acl: "Super" },
  { group: "Writers", acl: "Write" },
  { group: "Readers", acl: "Read" },
];

/** Name of the policy with a group's access list. The data server finds it by this name. */
export function aclPolicyName(group: string): string {
  return `ACL(_-_)${group}`;
}

function allow(action: readonly string[], resource = "*"): Statement {
  return { effect: "allow", action, resource };
}

const ADMIN_SERVICES = ["fs", "auth", "ci", "retention", "branches", "pr", "catalog"];
const WRITE_ACTIONS = [
  "fs:Read*",
  "fs:List*",
  "fs:WriteObject",
  "fs:DeleteObject",
  "fs:RevertBranch",
  "fs:CreateBranch",
  "fs:CreateTag",
  "fs:DeleteBranch",
  "fs:DeleteTag",
  "fs:CreateCommit",
];
const MANAGE_READ = ["ci:Read*", "retention:Get*", "branches:Get*", "pr:Read*", "pr:List*", "fs:ReadConfig"];
const OWN_CREDENTIALS = [
  "auth:CreateCredentials",
  "auth:DeleteCredentials",
  "auth:ListCredentials",
  "auth:ReadCredentials",
];

/** The statements of an access list, with ARNs of a partition. */
export function aclStatements(acl: Acl, partition: string): readonly Statement[] {
  const own = allow(OWN_CREDENTIALS, `arn:${partition}:auth:::user/\${user}`);
  switch (acl) {
    case "Admin":
      return ADMIN_SERVICES.map((service) => allow([`${service}:*`]));
    case "Super":
      return [allow(["fs:*"]), own, allow(MANAGE_READ)];
    case "Write":
      return [allow(WRITE_ACTIONS), own, allow(MANAGE_READ)];
    case "Read":
      return [allow(["fs:List*", "fs:Read*"]), allow(["fs:ReadConfig"]), own];
  }
}
