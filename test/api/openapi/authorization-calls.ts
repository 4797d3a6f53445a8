/** Calls of the data-server API in an order in which each finds what it needs, with the status each must get. */

/** One call; the first of an operation is one that succeeds. */
export interface ApiCall {
  readonly id: string;
  readonly method: string;
  /** Below `/api/v1`. */
  readonly path: string;
  readonly body?: unknown;
  readonly status: number;
}

const STATEMENT = { effect: "allow", action: ["fs:ReadObject"], resource: "*" };
const CONDITIONAL = { ...STATEMENT, condition: { IpAddress: { SourceIp: ["10.0.0.0/8"] } } };
const KEY = "access_key=AKIAJTESTTESTTESTTEQ&secret_key=c2VjcmV0LW9mLXRoZS10ZXN0LW5vdC1pbi11c2U";
const ROLE = "principalId=arn%3Aaws%3Asts%3A%3A1%3Aassumed-role%2Fx";

function of(id: string, method: string, calls: readonly (readonly [string, number, unknown?])[]): ApiCall[] {
  return calls.map(([path, status, body]) => ({
    id,
    method,
    path,
    status,
    ...(body === undefined ? {} : { body }),
  }));
}

/** Creations. */
const CREATE: readonly ApiCall[] = [
  ...of("createUser", "POST", [
    ["/auth/users", 201, { username: "alice" }],
    [
      "/auth/users",
      201,
      {
        username: "bob@x.io",
        email: "bob@x.io",
        friendlyName: "Bob",
        source: "oidc",
        external_id: "oidc|bob",
        encryptedPassword: "cGFzc3dvcmQ=",
        invite: false,
        unknown: 1,
      },
    ],
    ["/auth/users", 201, { username: "plain", email: null, friendlyName: null, invite: null }],
    ["/auth/users", 409, { username: "alice" }],
    ["/auth/users", 400, { username: "" }],
    ["/auth/users", 400, { username: 1 }],
    ["/auth/users", 400, {}],
    ["/auth/users", 400, []],
    ["/auth/users", 400, { username: "x", invite: "yes" }],
    ["/auth/users", 400, { username: "x", email: 1 }],
  ]),
  ...of("createGroup", "POST", [
    ["/auth/groups", 201, { id: "Writers", description: "who write" }],
    ["/auth/groups", 201, { id: "Readers", description: null }],
    ["/auth/groups", 409, { id: "Writers" }],
    ["/auth/groups", 400, { name: "Writers" }],
    ["/auth/groups", 400, { id: "" }],
    ["/auth/groups", 400, { id: "x", description: 1 }],
  ]),
  ...of("createPolicy", "POST", [
    ["/auth/policies", 201, { name: "Reads", statement: [STATEMENT] }],
    [
      "/auth/policies",
      201,
      { name: "Office", statement: [CONDITIONAL], acl: "", creation_date: 1_700_000_000 },
    ],
    [
      "/auth/policies",
      201,
      { name: "Null", statement: [{ ...STATEMENT, condition: null }], acl: null, creation_date: null },
    ],
    ["/auth/policies", 409, { name: "Reads", statement: [STATEMENT] }],
    ["/auth/policies", 400, { statement: [STATEMENT] }],
    ["/auth/policies", 400, { name: "x", statement: [] }],
    ["/auth/policies", 400, { name: "x", statement: [{ ...STATEMENT, effect: "Allow" }] }],
    ["/auth/policies", 400, { name: "x", statement: [{ ...STATEMENT, action: "fs:*" }] }],
    ["/auth/policies", 400, { name: "x", statement: [{ ...STATEMENT, action: [] }] }],
    ["/auth/policies", 400, { name: "x", statement: [{ ...STATEMENT, resource: "" }] }],
    [
      "/auth/policies",
      400,
      { name: "x", statement: [{ ...STATEMENT, condition: { IpAddress: { SourceIp: "x" } } }] },
    ],
    ["/auth/policies", 400, { name: "x", statement: [STATEMENT], creation_date: "now" }],
  ]),
  ...of("createCredentials", "POST", [
    ["/auth/users/alice/credentials", 201],
    [`/auth/users/alice/credentials?${KEY}`, 201],
    [`/auth/users/bob@x.io/credentials?${KEY}`, 409],
    ["/auth/users/alice/credentials?access_key=AKIAJX", 400],
    ["/auth/users/nobody/credentials", 404],
  ]),
  ...of("createUserExternalPrincipal", "POST", [
    [`/auth/users/alice/external/principals?${ROLE}`, 201],
    [`/auth/users/bob@x.io/external/principals?${ROLE}`, 409],
    ["/auth/users/alice/external/principals", 400],
    ["/auth/users/nobody/external/principals?principalId=other", 404],
  ]),
  ...of("claimTokenId", "POST", [
    ["/auth/tokenid/claim", 201, { token_id: "t-1", expires_at: 4_000_000_000 }],
    ["/auth/tokenid/claim", 400, { token_id: "t-1", expires_at: 4_000_000_000 }],
    ["/auth/tokenid/claim", 400, { token_id: "t-2" }],
    ["/auth/tokenid/claim", 400, { token_id: "t-2", expires_at: "soon" }],
  ]),
];

function joins(id: string, path: string, known: string, missing: string): ApiCall[] {
  return of(id, "PUT", [
    [`${path}/${known}`, 201],
    [`${path}/${known}`, 409],
    [`${path}/${missing}`, 404],
  ]);
}

/** Attachments and changes. */
const CHANGE: readonly ApiCall[] = [
  ...joins("addGroupMembership", "/auth/groups/Writers/members", "alice", "nobody"),
  ...joins("attachPolicyToUser", "/auth/users/alice/policies", "Reads", "Nothing"),
  ...joins("attachPolicyToGroup", "/auth/groups/Writers/policies", "Office", "Nothing"),
  ...of("updatePolicy", "PUT", [
    ["/auth/policies/Reads", 200, { name: "Reads", statement: [CONDITIONAL], acl: "Read" }],
    ["/auth/policies/Reads", 200, { statement: [STATEMENT] }],
    ["/auth/policies/Nothing", 404, { name: "Nothing", statement: [STATEMENT] }],
    ["/auth/policies/Reads", 400, { name: "Reads" }],
    ["/auth/policies/Reads", 400, { name: "Reads", statement: [1] }],
  ]),
  ...of("updatePassword", "PUT", [
    ["/auth/users/alice/password", 200, { encryptedPassword: "cGFzc3dvcmQ=" }],
    ["/auth/users/alice/password", 400, {}],
    ["/auth/users/nobody/password", 404, { encryptedPassword: "cGFzc3dvcmQ=" }],
  ]),
  ...of("updateUserFriendlyName", "PUT", [
    ["/auth/users/alice/friendly_name", 204, { friendly_name: "Alice" }],
    ["/auth/users/alice/friendly_name", 400, { friendly_name: 1 }],
    ["/auth/users/nobody/friendly_name", 404, { friendly_name: "N" }],
  ]),
];

function gets(id: string, path: string, known: string, missing: string): ApiCall[] {
  return of(id, "GET", [
    [`${path}/${known}`, 200],
    [`${path}/${missing}`, 404],
  ]);
}

/** Every list can be paged, and refuses an amount out of bounds. */
function lists(id: string, path: string, missing?: string): ApiCall[] {
  return of(id, "GET", [
    [path, 200],
    [`${path}?after=&amount=1&prefix=`, 200],
    [`${path}?prefix=zz&amount=-1`, 200],
    [`${path}?amount=1001`, 400],
    ...(missing === undefined ? [] : [[missing, 404] as const]),
  ]);
}

/** Reads. */
const READ: readonly ApiCall[] = [
  ...gets("getUser", "/auth/users", "alice", "nobody"),
  ...gets("getUser", "/auth/users", "bob@x.io", "%252e%252e"),
  ...gets("getGroup", "/auth/groups", "Writers", "Nobodies"),
  ...gets("getPolicy", "/auth/policies", "Office", "Nothing"),
  ...gets("getCredentials", "/auth/credentials", "AKIAJTESTTESTTESTTEQ", "AKIAJNOSUCHKEYQ"),
  ...gets(
    "getCredentialsForUser",
    "/auth/users/alice/credentials",
    "AKIAJTESTTESTTESTTEQ",
    "AKIAJNOSUCHKEYQ",
  ),
  ...of("getExternalPrincipal", "GET", [
    [`/auth/external/principals?${ROLE}`, 200],
    ["/auth/external/principals?principalId=nobody", 404],
    ["/auth/external/principals", 400],
  ]),
  ...lists("listUsers", "/auth/users"),
  ...of("listUsers", "GET", [
    ["/auth/users?amount=2&external_id=oidc%7Cbob", 200],
    ["/auth/users?amount=2&id=7", 200],
    ["/auth/users?amount=2&email=", 200],
  ]),
  ...lists("listGroups", "/auth/groups"),
  ...lists("listPolicies", "/auth/policies"),
  ...lists("listGroupMembers", "/auth/groups/Writers/members", "/auth/groups/Nobodies/members"),
  ...lists("listGroupPolicies", "/auth/groups/Writers/policies", "/auth/groups/Nobodies/policies"),
  ...lists("listUserGroups", "/auth/users/alice/groups", "/auth/users/nobody/groups"),
  ...lists("listUserPolicies", "/auth/users/alice/policies", "/auth/users/nobody/policies?effective=true"),
  ...of("listUserPolicies", "GET", [
    ["/auth/users/alice/policies?effective=true", 200],
    ["/auth/users/alice/policies?effective=true&amount=1", 200],
    ["/auth/users/alice/policies?effective=perhaps", 400],
  ]),
  ...lists("listUserCredentials", "/auth/users/alice/credentials", "/auth/users/nobody/credentials"),
  ...lists(
    "listUserExternalPrincipals",
    "/auth/users/alice/external/principals/ls",
    "/auth/users/nobody/external/principals/ls",
  ),
  ...of("healthCheck", "GET", [["/healthcheck", 204]]),
  ...of("getVersion", "GET", [["/config/version", 200]]),
];

function removes(id: string, path: string, missing: string): ApiCall[] {
  return of(id, "DELETE", [
    [path, 204],
    [missing, 404],
  ]);
}

/** Removals. */
const REMOVE: readonly ApiCall[] = [
  ...removes(
    "deleteGroupMembership",
    "/auth/groups/Writers/members/alice",
    "/auth/groups/Nobodies/members/alice",
  ),
  ...removes("detachPolicyFromUser", "/auth/users/alice/policies/Reads", "/auth/users/nobody/policies/Reads"),
  ...removes(
    "detachPolicyFromGroup",
    "/auth/groups/Writers/policies/Office",
    "/auth/groups/Nobodies/policies/Office",
  ),
  ...removes(
    "deleteCredentials",
    "/auth/users/alice/credentials/AKIAJTESTTESTTESTTEQ",
    "/auth/users/alice/credentials/AKIAJTESTTESTTESTTEQ",
  ),
  ...removes(
    "deleteUserExternalPrincipal",
    `/auth/users/alice/external/principals?${ROLE}`,
    `/auth/users/alice/external/principals?${ROLE}`,
  ),
  ...of("deleteUserExternalPrincipal", "DELETE", [["/auth/users/alice/external/principals", 400]]),
  ...removes("deletePolicy", "/auth/policies/Reads", "/auth/policies/Reads"),
  ...removes("deleteGroup", "/auth/groups/Writers", "/auth/groups/Writers"),
  ...removes("deleteUser", "/auth/users/alice", "/auth/users/alice"),
];

/** All calls, in order. */
export const AUTHORIZATION_CALLS: readonly ApiCall[] = [...CREATE, ...CHANGE, ...READ, ...REMOVE];
