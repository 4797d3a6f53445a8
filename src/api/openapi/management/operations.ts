/** What each operation of the management API takes and answers, as rows of a table. */

import type { FailureStatus } from "./failures.ts";

/** One operation. */
export interface Row {
  readonly id: string;
  readonly tag: string;
  readonly method: "get" | "put" | "post" | "delete";
  /** Below `/api/v1`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** True where nobody needs to be a user. */
  readonly open?: true;
  /** Names of shared parameters beside those of the path. */
  readonly query?: readonly string[];
  /** Schema of the body. */
  readonly body?: string;
  readonly status: 200 | 201 | 204;
  /** Schema of the answer; absent: it has no body. */
  readonly answer?: string;
  /** Headers of the answer. */
  readonly headers?: "secret" | "warning" | "secret and warning" | "cookie";
  readonly failures?: readonly FailureStatus[];
}

const PAGE = ["Prefix", "After", "Amount"];
const USER = "/auth/users/{userId}";
const GROUP = "/auth/groups/{groupId}";
const POLICY = "/auth/policies/{policyId}";
const PRINCIPALS = `${USER}/external/principals`;

function list(tag: string, id: string, path: string, summary: string, answer: string): Row {
  const failures: readonly FailureStatus[] = path.includes("{") ? [400, 404] : [400];
  return { tag, id, method: "get", path, summary, query: PAGE, status: 200, answer, failures };
}

function one(tag: string, id: string, path: string, summary: string, answer: string): Row {
  return { tag, id, method: "get", path, summary, status: 200, answer, failures: [404] };
}

function remove(tag: string, id: string, path: string, summary: string): Row {
  return { tag, id, method: "delete", path, summary, status: 204, failures: [404] };
}

function join(tag: string, id: string, path: string, summary: string): Row {
  const failures: readonly FailureStatus[] = [403, 404, 409];
  return { tag, id, method: "put", path, summary, status: 201, headers: "warning", failures };
}

const SESSION_ROWS: readonly Row[] = [
  {
    id: "login",
    tag: "sessions",
    method: "post",
    path: "/auth/login",
    summary: "Get a login token for an access key",
    description:
      "The token is also set as cookie `access_token`: HttpOnly, SameSite=Strict, Secure under TLS.",
    open: true,
    body: "LoginInformation",
    status: 200,
    answer: "LoginToken",
    headers: "cookie",
    failures: [401, 403, 429],
  },
  {
    id: "logout",
    tag: "sessions",
    method: "post",
    path: "/auth/logout",
    summary: "End the login token of this call for good",
    status: 204,
    failures: [403],
  },
  {
    id: "externalPrincipalLogin",
    tag: "sessions",
    method: "post",
    path: "/auth/external/principal/login",
    summary: "Not implemented: principals are proved by an authentication service",
    open: true,
    status: 200,
    answer: "LoginToken",
    failures: [403, 501],
  },
  {
    id: "getCurrentUser",
    tag: "sessions",
    method: "get",
    path: "/user",
    summary: "Who the caller is",
    status: 200,
    answer: "CurrentUser",
  },
  {
    id: "check",
    tag: "sessions",
    method: "post",
    path: "/auth/check",
    summary: "What a user may do",
    description: "Of oneself, or with `auth:ReadUser` on the user asked about. `explain` needs nothing more.",
    body: "CheckRequest",
    status: 200,
    answer: "CheckAnswer",
    failures: [403],
  },
];

function info(id: string, path: string, summary: string, rest: Partial<Row>): Row {
  return { id, tag: "service", method: "get", path, summary, status: 200, ...rest };
}

const SERVICE_ROWS: readonly Row[] = [
  info("healthCheck", "/healthcheck", "Whether the API answers", { open: true, status: 204 }),
  info("getAuthCapabilities", "/auth/capabilities", "What can be done", {
    open: true,
    answer: "Capabilities",
  }),
  info("getConfig", "/config", "Version and capabilities", { answer: "Config" }),
  info("getVersion", "/config/version", "Version", { answer: "Version" }),
  ...(["/setup_lakefs", "/setup"] as const).flatMap((path, index): Row[] => {
    const suffix = index === 0 ? "" : "Short";
    return [
      info(`getSetupState${suffix}`, path, "Whether the first administrator was set up", {
        open: true,
        answer: "SetupState",
      }),
      info(`setup${suffix}`, path, "Set up the first administrator, once", {
        method: "post",
        open: true,
        body: "Setup",
        answer: "CredentialsWithSecret",
        headers: "secret",
        failures: [401, 403, 409],
      }),
    ];
  }),
];

const USER_ROWS: readonly Row[] = [
  list("users", "listUsers", "/auth/users", "List users", "UserList"),
  {
    id: "createUser",
    tag: "users",
    method: "post",
    path: "/auth/users",
    summary: "Create a user, or invite one by mail",
    body: "UserCreation",
    status: 201,
    answer: "User",
    failures: [403, 409],
  },
  one("users", "getUser", USER, "Get a user", "User"),
  remove("users", "deleteUser", USER, "Delete a user with all that belongs to it"),
  list("users", "listUserGroups", `${USER}/groups`, "List the groups of a user", "GroupList"),
  {
    ...list("users", "listUserPolicies", `${USER}/policies`, "List the policies of a user", "PolicyList"),
    query: [...PAGE, "Effective"],
  },
  join("users", "attachPolicyToUser", `${USER}/policies/{policyId}`, "Attach a policy to a user"),
  remove("users", "detachPolicyFromUser", `${USER}/policies/{policyId}`, "Detach a policy from a user"),
];

const KEY_ROWS: readonly Row[] = [
  list("credentials", "listUserCredentials", `${USER}/credentials`, "List access keys", "CredentialsList"),
  {
    id: "createCredentials",
    tag: "credentials",
    method: "post",
    path: `${USER}/credentials`,
    summary: "Create an access key; its secret is shown this once",
    status: 201,
    answer: "CredentialsWithSecret",
    headers: "secret and warning",
    failures: [403, 404],
  },
  one(
    "credentials",
    "getCredentials",
    `${USER}/credentials/{accessKeyId}`,
    "Get an access key, without its secret",
    "Credentials",
  ),
  remove("credentials", "deleteCredentials", `${USER}/credentials/{accessKeyId}`, "Delete an access key"),
  list(
    "external principals",
    "listUserExternalPrincipals",
    `${PRINCIPALS}/ls`,
    "List the external principals of a user",
    "ExternalPrincipalList",
  ),
  {
    ...join(
      "external principals",
      "createUserExternalPrincipal",
      PRINCIPALS,
      "Let a principal act as a user",
    ),
    method: "post",
    query: ["PrincipalId"],
    failures: [400, 403, 404, 409],
  },
  {
    ...remove("external principals", "deleteUserExternalPrincipal", PRINCIPALS, "Take a principal away"),
    query: ["PrincipalId"],
    failures: [400, 404],
  },
  {
    ...one(
      "external principals",
      "getExternalPrincipal",
      "/auth/external/principals",
      "Get the user of a principal",
      "ExternalPrincipal",
    ),
    query: ["PrincipalId"],
    failures: [400, 404],
  },
];

const GROUP_ROWS: readonly Row[] = [
  list("groups", "listGroups", "/auth/groups", "List groups", "GroupList"),
  {
    id: "createGroup",
    tag: "groups",
    method: "post",
    path: "/auth/groups",
    summary: "Create a group",
    body: "GroupCreation",
    status: 201,
    answer: "Group",
    failures: [403, 409],
  },
  one("groups", "getGroup", GROUP, "Get a group", "Group"),
  remove("groups", "deleteGroup", GROUP, "Delete a group"),
  list("groups", "listGroupMembers", `${GROUP}/members`, "List the members of a group", "UserList"),
  join("groups", "addGroupMembership", `${GROUP}/members/{userId}`, "Add a user to a group"),
  remove("groups", "deleteGroupMembership", `${GROUP}/members/{userId}`, "Remove a user from a group"),
  list("groups", "listGroupPolicies", `${GROUP}/policies`, "List the policies of a group", "PolicyList"),
  join("groups", "attachPolicyToGroup", `${GROUP}/policies/{policyId}`, "Attach a policy to a group"),
  remove("groups", "detachPolicyFromGroup", `${GROUP}/policies/{policyId}`, "Detach a policy from a group"),
  one("groups", "getGroupACL", `${GROUP}/acl`, "Get the access list of a group", "Acl"),
  {
    ...join(
      "groups",
      "setGroupACL",
      `${GROUP}/acl`,
      "Set the access list of a group, in place of all policies",
    ),
    method: "post",
    body: "AclWrite",
    failures: [403, 404],
  },
];

const POLICY_ROWS: readonly Row[] = [
  list("policies", "listPolicies", "/auth/policies", "List policies", "PolicyList"),
  {
    id: "createPolicy",
    tag: "policies",
    method: "post",
    path: "/auth/policies",
    summary: "Create a policy",
    body: "PolicyWrite",
    status: 201,
    answer: "Policy",
    headers: "warning",
    failures: [403, 409],
  },
  one("policies", "getPolicy", POLICY, "Get a policy", "Policy"),
  {
    id: "updatePolicy",
    tag: "policies",
    method: "put",
    path: POLICY,
    summary: "Replace a policy",
    body: "PolicyWrite",
    status: 200,
    answer: "Policy",
    headers: "warning",
    failures: [403, 404],
  },
  remove("policies", "deletePolicy", POLICY, "Delete a policy"),
];

/** All operations below `/api/v1`. */
export const MANAGEMENT_ROWS: readonly Row[] = [
  ...SESSION_ROWS,
  ...SERVICE_ROWS,
  ...USER_ROWS,
  ...KEY_ROWS,
  ...GROUP_ROWS,
  ...POLICY_ROWS,
];
