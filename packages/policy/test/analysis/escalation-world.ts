/** A world with a user for each way to become an administrator, and users who have none. */
import type { AccessWorld, WorldUser } from "@svc-authorizer/policy/analysis/escalation/access-world.ts";
import type { EscalationOptions } from "@svc-authorizer/policy/analysis/escalation/escalation-paths.ts";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import type { Condition, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { aclPolicyName, aclStatements } from "../../../../src/bootstrap/acl-policies.ts";
import { openEndpoints } from "../../../../src/request-map/open-endpoints.ts";

const catalog = await openCatalog({ partition: "svc" });
const endpoints = openEndpoints(catalog);

export const OPTIONS: EscalationOptions = {
  partition: "svc",
  requirement: endpoints.requirement,
  aclPolicyName,
  aclStatements: aclStatements("Admin", "svc"),
};

const AUTH = "arn:svc:auth:::";
const allow = (actions: string, resource: string, condition?: Condition): Statement => ({
  effect: "allow",
  action: actions.split(" ").map((action) => `auth:${action}`),
  resource: resource === "*" ? "*" : AUTH + resource,
  ...(condition === undefined ? {} : { condition }),
});
const READERS_ACL = "policy/ACL(_-_)Readers";

/** User → statements of the policy of that name, which the user has, and the operations of the shortest path. */
export const PEOPLE: Readonly<Record<string, readonly [Statement[], readonly string[] | undefined]>> = {
  attacher: [[allow("AttachPolicy", "user/${user}")], ["attachPolicyToUser"]],
  updater: [[allow("UpdatePolicy", "policy/updater")], ["updatePolicy"]],
  joiner: [[allow("AddGroupMember", "group/Admins")], ["addGroupMembership"]],
  keymaker: [[allow("CreateCredentials", "user/admin")], ["createCredentials"]],
  federator: [[allow("CreateUserExternalPrincipal", "user/admin")], ["createUserExternalPrincipal"]],
  reader: [
    [allow("ReadGroup", "group/Readers"), allow("AttachPolicy UpdatePolicy", READERS_ACL)],
    ["setGroupACL"],
  ],
  "group-attacher": [[allow("AttachPolicy", "group/Readers")], ["attachPolicyToGroup"]],
  barred: [
    [
      allow("*", "*"),
      { ...allow("CreateUser* CreateCredentials UpdatePolicy AttachPolicy", "*"), effect: "deny" },
    ],
    // The policy that denies is the one that allows too: what is left is to join the administrators.
    ["addGroupMembership", "detachPolicyFromUser"],
  ],
  "two-steps": [[allow("CreateCredentials", "user/joiner")], ["createCredentials", "addGroupMembership"]],
  founder: [
    [
      allow("CreateGroup ReadGroup AddGroupMember", "group/esc*"),
      allow("AttachPolicy UpdatePolicy", "policy/ACL(_-_)esc*"),
    ],
    ["createGroup", "setGroupACL", "addGroupMembership"],
  ],
  // A policy that leads nowhere as it is, and that the user may both attach and write.
  "attaching-writer": [
    [
      allow("AttachPolicy", "user/${user}", { StringEquals: { "action.policy": ["Reads"] } }),
      allow("UpdatePolicy", "policy/Reads"),
    ],
    ["attachPolicyToUser", "updatePolicy"],
  ],
  // Names that start as the statement says.
  "namer-of-policies": [
    [
      allow("CreatePolicy", "policy/team-*"),
      allow("AttachPolicy", "user/${user}", { StringLike: { "action.policy": ["team-*"] } }),
    ],
    ["createPolicy", "attachPolicyToUser"],
  ],
  "namer-of-groups": [
    [allow("CreateGroup AttachPolicy AddGroupMember", "group/team-*")],
    ["createGroup", "addGroupMembership", "attachPolicyToGroup"],
  ],
  // A group of others, which the user may join and fill.
  "keeper-of-a-group": [
    [allow("AttachPolicy AddGroupMember", "group/Others")],
    ["addGroupMembership", "attachPolicyToGroup"],
  ],
  // Somebody without rights, whom the user may give some and act as.
  helper: [
    [allow("AttachPolicy CreateCredentials", "user/nobody")],
    ["attachPolicyToUser", "createCredentials"],
  ],
  "helper-by-policy": [
    [allow("UpdatePolicy", "policy/nobody"), allow("CreateUserExternalPrincipal", "user/nobod*")],
    ["updatePolicy", "createUserExternalPrincipal"],
  ],
  nobody: [[{ effect: "allow", action: ["fs:ReadObject"], resource: "*" }], undefined],
  viewer: [[allow("CreateCredentials DeleteCredentials ListCredentials", "user/${user}")], undefined],
  "team-lead": [
    [allow("AddGroupMember", "*", { StringLike: { "action.user": ["team-member-*"] } })],
    undefined,
  ],
  "office-worker": [[allow("AddGroupMember", "*", { IpAddress: { SourceIp: ["10.0.0.0/8"] } })], undefined],
  "policy-writer": [[allow("CreatePolicy", "*")], undefined],
};

/** The world: the people, the group Admins with the user admin, the group Readers with some of the people. */
export function peopleWorld(): AccessWorld {
  const policies = new Map<string, readonly Statement[]>(
    Object.entries(PEOPLE).map(([name, [statement]]) => [name, statement]),
  );
  policies.set("AuthFullAccess", [allow("*", "*")]);
  policies.set("Reads", [{ effect: "allow", action: ["fs:Read*"], resource: "*" }]);
  const inReaders = new Set(["reader", "group-attacher"]);
  return {
    policies,
    groups: new Map([
      ["Admins", ["AuthFullAccess"]],
      ["Readers", ["Reads"]],
      ["Others", ["Reads"]],
    ]),
    users: new Map<string, WorldUser>([
      ["admin", { groups: ["Admins"], policies: [] }],
      ...Object.keys(PEOPLE).map(
        (name) => [name, { groups: inReaders.has(name) ? ["Readers"] : [], policies: [name] }] as const,
      ),
    ]),
  };
}
