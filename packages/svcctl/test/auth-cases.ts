/**
 * Every `auth` command: what it asks, and what it prints on a terminal and piped (spec/management-cli §3). The grids were
 * printed by the table library of lakectl.
 */

export interface AuthCase {
  /** After `svcctl auth`. */
  args: string;
  stdin?: string;
  /** Request lines below `/api/v1`, and the body of the last request. */
  asks: readonly string[];
  sends?: unknown;
  /** Status and body of the last answer; `GET /user` before it is answered with carol. */
  answer: readonly [status: number, body?: unknown];
  /** Marks as `[green:…]` stand for colours. */
  terminal: string;
  /** The text of `terminal` without marks, unless it differs. */
  piped?: string;
}

const AT = 1682935200;
const MORE = { has_more: true, next_offset: "Bob", results: 1, max_per_page: 1000 };
const LAST = { has_more: false, next_offset: "", results: 1, max_per_page: 1000 };
const page = (results: unknown[], pagination = LAST) => [200, { pagination, results }] as const;

const POLICY = {
  id: "Data",
  creation_date: AT,
  statement: [
    { effect: "allow", action: ["fs:ReadObject", "fs:List*"], resource: "*" },
    { effect: "deny", action: ["fs:*"], resource: '["arn:svc:fs:::a","arn:svc:fs:::b"]' },
  ],
};
const STATEMENTS_GRID = `+-----------+-------------------------------+-------------+-------------------------------------+--------+-------------------------+
| POLICY ID | CREATION DATE                 | STATEMENT # | RESOURCE                            | EFFECT | ACTIONS                 |
+-----------+-------------------------------+-------------+-------------------------------------+--------+-------------------------+
| Data      | 2023-05-01 10:00:00 +0000 UTC |           0 | *                                   | allow  | fs:ReadObject, fs:List* |
| Data      | 2023-05-01 10:00:00 +0000 UTC |           1 | ["arn:svc:fs:::a","arn:svc:fs:::b"] | deny   | fs:*                    |
+-----------+-------------------------------+-------------+-------------------------------------+--------+-------------------------+

`;
const STATEMENTS_EMPTY = `+-----------+---------------+-------------+----------+--------+---------+
| POLICY ID | CREATION DATE | STATEMENT # | RESOURCE | EFFECT | ACTIONS |
+-----------+---------------+-------------+----------+--------+---------+
+-----------+---------------+-------------+----------+--------+---------+

`;
const STATEMENTS_ROWS = [
  "Data\t2023-05-01 10:00:00 +0000 UTC\t0\t*\tallow\tfs:ReadObject, fs:List*\n",
  'Data\t2023-05-01 10:00:00 +0000 UTC\t1\t["arn:svc:fs:::a","arn:svc:fs:::b"]\tdeny\tfs:*\n\n',
].join("");
const DETAILS = `
ID: [bold:Data]
Creation Date: 2023-05-01 10:00:00 +0000 UTC
Statements:
{
  "statement": [
    {
      "action": [
        "fs:ReadObject",
        "fs:List*"
      ],
      "effect": "allow",
      "resource": "*"
    },
    {
      "action": [
        "fs:*"
      ],
      "effect": "deny",
      "resource": [
        "arn:svc:fs:::a",
        "arn:svc:fs:::b"
      ]
    }
  ]
}

`;

const USERS = [
  { id: "alice", creation_date: AT, friendly_name: "Alice A.", email: "alice@example.com" },
  { id: "bob", creation_date: AT, email: "bob@example.com" },
  { id: "carol", creation_date: AT },
];
const GROUPS = [
  { id: "Admins", creation_date: AT },
  { id: "g-2", name: "Developers", creation_date: AT },
];
const KEY = { access_key_id: "AKIAIOSFODNN7EXAMPLQ", creation_date: AT };
const ROLE = "arn:aws:sts::1:assumed-role/x";
const ROLE_SENT = "arn%3Aaws%3Asts%3A%3A1%3Aassumed-role%2Fx";
const CREDENTIALS = `[green:Credentials created successfully.]
Access Key ID:     [bold:AKIAIOSFODNN7EXAMPLQ]
Secret Access Key: [bold:s3cr3t+/]

[yellow:Keep these somewhere safe since you will not be able to see the secret key again]
`;
const TWO_USERS_GRID = `+---------+
| USER ID |
+---------+
| Alice   |
| Bob     |
+---------+
`;
const CREATED = { id: "n", creation_date: AT };
const created = (what: string) =>
  `[green:${what} created successfully.]\nID: [bold:n]\nCreation Date: 2023-05-01 10:00:00 +0000 UTC\n`;

const GROUP_CASES: readonly AuthCase[] = [
  {
    args: "groups list",
    asks: ["GET /auth/groups?amount=100"],
    answer: page(GROUPS),
    terminal: `+--------+------------+-------------------------------+
| ID     | GROUP NAME | CREATION DATE                 |
+--------+------------+-------------------------------+
| Admins | Admins     | 2023-05-01 10:00:00 +0000 UTC |
| g-2    | Developers | 2023-05-01 10:00:00 +0000 UTC |
+--------+------------+-------------------------------+

`,
    piped:
      "Admins\tAdmins\t2023-05-01 10:00:00 +0000 UTC\ng-2\tDevelopers\t2023-05-01 10:00:00 +0000 UTC\n\n",
  },
  {
    args: "groups create --id n",
    asks: ["POST /auth/groups"],
    sends: { id: "n" },
    answer: [201, CREATED],
    terminal: created("Group"),
  },
  {
    args: "groups delete --id a/b",
    asks: ["DELETE /auth/groups/a%2Fb"],
    answer: [204],
    terminal: "Group deleted successfully\n",
  },
  {
    args: "groups acl get --id Devs",
    asks: ["GET /auth/groups/Devs/acl"],
    answer: [200, { permission: "Write" }],
    terminal: "Group Devs:Write\n",
  },
  {
    args: "groups acl set --id Devs --permission Anything",
    asks: ["POST /auth/groups/Devs/acl"],
    sends: { permission: "Anything" },
    answer: [201],
    terminal: "",
  },
  {
    args: "groups members list --id Devs --amount 1 --after Al --prefix A",
    asks: ["GET /auth/groups/Devs/members?prefix=A&after=Al&amount=1"],
    answer: page([{ id: "Alice" }, { id: "Bob" }], MORE),
    terminal: `${TWO_USERS_GRID}for more results run with [yellow:--amount 1 --after "Bob"]\n\n`,
    piped: "Alice\nBob\n\n",
  },
  {
    args: "groups members add --id Devs --user bob",
    asks: ["PUT /auth/groups/Devs/members/bob"],
    answer: [201],
    terminal: "User successfully added\n",
  },
  {
    args: "groups members add --id Devs",
    asks: ["GET /user", "PUT /auth/groups/Devs/members/carol"],
    answer: [201],
    terminal: "User successfully added\n",
  },
  {
    args: "groups members remove --id Devs --user bob",
    asks: ["DELETE /auth/groups/Devs/members/bob"],
    answer: [204],
    terminal: "User successfully removed\n",
  },
  {
    args: "groups members remove --id Devs",
    asks: ["GET /user", "DELETE /auth/groups/Devs/members/carol"],
    answer: [204],
    terminal: "User successfully removed\n",
  },
  {
    args: "groups policies list --id Devs",
    asks: ["GET /auth/groups/Devs/policies?amount=100"],
    answer: page([POLICY]),
    terminal: STATEMENTS_GRID,
    piped: STATEMENTS_ROWS,
  },
  {
    args: "groups policies attach --id Devs --policy Data",
    asks: ["PUT /auth/groups/Devs/policies/Data"],
    answer: [201],
    terminal: "Policy attached successfully\n",
  },
  {
    args: "groups policies detach --id Devs --policy Data",
    asks: ["DELETE /auth/groups/Devs/policies/Data"],
    answer: [204],
    terminal: "Policy detached successfully\n",
  },
];

const POLICY_CASES: readonly AuthCase[] = [
  {
    args: "policies list",
    asks: ["GET /auth/policies?amount=100"],
    answer: page([POLICY]),
    terminal: `+-----------+-------------------------------+
| POLICY ID | CREATION DATE                 |
+-----------+-------------------------------+
| Data      | 2023-05-01 10:00:00 +0000 UTC |
+-----------+-------------------------------+

`,
    piped: "Data\t2023-05-01 10:00:00 +0000 UTC\n\n",
  },
  {
    args: "policies create --id Data --statement-document -",
    stdin: JSON.stringify({ Statement: [{ ...POLICY.statement[0], resource: undefined, Resource: "*" }] }),
    asks: ["POST /auth/policies"],
    sends: { id: "Data", statement: [POLICY.statement[0]] },
    answer: [201, POLICY],
    terminal: `[green:Policy created successfully.]\n${DETAILS}`,
  },
  {
    args: "policies update --id Data --statement-document -",
    stdin: JSON.stringify({ statement: [POLICY.statement[0]] }),
    asks: ["PUT /auth/policies/Data"],
    sends: { id: "Data", statement: [POLICY.statement[0]] },
    answer: [200, POLICY],
    terminal: "[green:Policy updated successfully.]\n",
  },
  {
    args: "policies show --id Data",
    asks: ["GET /auth/policies/Data"],
    answer: [200, POLICY],
    terminal: DETAILS,
  },
  {
    args: "policies delete --id Data",
    asks: ["DELETE /auth/policies/Data"],
    answer: [204],
    terminal: "Policy deleted successfully\n",
  },
];

const USER_CASES: readonly AuthCase[] = [
  {
    args: "users list",
    asks: ["GET /auth/users?amount=100"],
    answer: page(USERS),
    terminal: `+-------+-----------------+-------------------------------+
| ID    | USER            | CREATION DATE                 |
+-------+-----------------+-------------------------------+
| alice | Alice A.        | 2023-05-01 10:00:00 +0000 UTC |
| bob   | bob@example.com | 2023-05-01 10:00:00 +0000 UTC |
| carol | carol           | 2023-05-01 10:00:00 +0000 UTC |
+-------+-----------------+-------------------------------+

`,
    piped: [
      "alice\tAlice A.\t2023-05-01 10:00:00 +0000 UTC",
      "bob\tbob@example.com\t2023-05-01 10:00:00 +0000 UTC",
      "carol\tcarol\t2023-05-01 10:00:00 +0000 UTC\n\n",
    ].join("\n"),
  },
  {
    args: "users create --id n",
    asks: ["POST /auth/users"],
    sends: { id: "n" },
    answer: [201, CREATED],
    terminal: created("User"),
  },
  {
    args: "users delete --id n",
    asks: ["DELETE /auth/users/n"],
    answer: [204],
    terminal: "User deleted successfully\n",
  },
  {
    args: "users groups list --id n",
    asks: ["GET /auth/users/n/groups?amount=100"],
    answer: page([GROUPS[0]]),
    terminal: `+----------+-------------------------------+
| GROUP ID | CREATION DATE                 |
+----------+-------------------------------+
| Admins   | 2023-05-01 10:00:00 +0000 UTC |
+----------+-------------------------------+

`,
    piped: "Admins\t2023-05-01 10:00:00 +0000 UTC\n\n",
  },
  {
    args: "users policies list --id n --effective",
    asks: ["GET /auth/users/n/policies?effective=true&amount=100"],
    answer: page([POLICY]),
    terminal: STATEMENTS_GRID,
    piped: STATEMENTS_ROWS,
  },
  {
    args: "users policies list --id n --effective=false",
    asks: ["GET /auth/users/n/policies?effective=false&amount=100"],
    answer: page([]),
    terminal: STATEMENTS_EMPTY,
    piped: "\n",
  },
  {
    args: "users policies attach --id n --policy Data",
    asks: ["PUT /auth/users/n/policies/Data"],
    answer: [201],
    terminal: "Policy attached successfully\n",
  },
  {
    args: "users policies detach --id n --policy Data",
    asks: ["DELETE /auth/users/n/policies/Data"],
    answer: [204],
    terminal: "Policy detached successfully\n",
  },
];

const CREDENTIAL_CASES: readonly AuthCase[] = [
  {
    args: "users credentials list",
    asks: ["GET /user", "GET /auth/users/carol/credentials?amount=100"],
    answer: page([KEY]),
    terminal: `+----------------------+-------------------------------+
| ACCESS KEY ID        | ISSUED DATE                   |
+----------------------+-------------------------------+
| AKIAIOSFODNN7EXAMPLQ | 2023-05-01 10:00:00 +0000 UTC |
+----------------------+-------------------------------+

`,
    piped: "AKIAIOSFODNN7EXAMPLQ\t2023-05-01 10:00:00 +0000 UTC\n\n",
  },
  {
    args: "users credentials create --id n",
    asks: ["POST /auth/users/n/credentials"],
    answer: [201, { ...KEY, secret_access_key: "s3cr3t+/" }],
    terminal: CREDENTIALS,
  },
  {
    args: "users credentials create",
    asks: ["GET /user", "POST /auth/users/carol/credentials"],
    answer: [201, { ...KEY, secret_access_key: "s3cr3t+/" }],
    terminal: CREDENTIALS,
  },
  {
    args: "users credentials create --id n --expires-in 12h30m",
    asks: ["POST /auth/users/n/credentials?expires_in=45000"],
    answer: [201, { ...KEY, secret_access_key: "s3cr3t+/", expires_at: 4102444800 }],
    terminal: CREDENTIALS.replace("\n\n", "\nExpires:           [bold:2100-01-01 00:00:00 +0000 UTC]\n\n"),
  },
  {
    args: "users credentials list --id n",
    asks: ["GET /auth/users/n/credentials?amount=100"],
    answer: page([KEY, { ...KEY, access_key_id: "L", expires_at: 4102444800 }]),
    terminal: `+----------------------+-------------------------------+-------------------------------+
| ACCESS KEY ID        | ISSUED DATE                   | EXPIRES                       |
+----------------------+-------------------------------+-------------------------------+
| AKIAIOSFODNN7EXAMPLQ | 2023-05-01 10:00:00 +0000 UTC |                               |
| L                    | 2023-05-01 10:00:00 +0000 UTC | 2100-01-01 00:00:00 +0000 UTC |
+----------------------+-------------------------------+-------------------------------+

`,
    piped:
      "AKIAIOSFODNN7EXAMPLQ\t2023-05-01 10:00:00 +0000 UTC\t\nL\t2023-05-01 10:00:00 +0000 UTC\t2100-01-01 00:00:00 +0000 UTC\n\n",
  },
  {
    args: "users credentials delete --id n --access-key-id K",
    asks: ["DELETE /auth/users/n/credentials/K"],
    answer: [204],
    terminal: "Credentials deleted successfully\n",
  },
  {
    args: "users credentials delete --access-key-id K",
    asks: ["GET /user", "DELETE /auth/users/carol/credentials/K"],
    answer: [204],
    terminal: "Credentials deleted successfully\n",
  },
];

const ROLE_CASES: readonly AuthCase[] = [
  {
    args: `users aws-iam attach --principal-id ${ROLE}`,
    asks: ["GET /user", `POST /auth/users/carol/external/principals?principalId=${ROLE_SENT}`],
    sends: {},
    answer: [201],
    terminal: "IAM role attached successfully\n",
  },
  {
    args: `users aws-iam detach --id n --principal-id ${ROLE}`,
    asks: [`DELETE /auth/users/n/external/principals?principalId=${ROLE_SENT}`],
    answer: [204],
    terminal: "IAM role detached successfully\n",
  },
  {
    args: "users aws-iam list",
    asks: ["GET /user", "GET /auth/users/carol/external/principals/ls?amount=100"],
    answer: page([{ id: ROLE, user_id: "carol" }]),
    terminal: `+-------------------------------+---------+
| PRINCIPAL ID                  | USER ID |
+-------------------------------+---------+
| ${ROLE} | carol   |
+-------------------------------+---------+

`,
    piped: `${ROLE}\tcarol\n\n`,
  },
  {
    args: `users aws-iam lookup --principal-id ${ROLE}`,
    asks: [`GET /auth/external/principals?principalId=${ROLE_SENT}`],
    answer: [200, { id: ROLE, user_id: "carol" }],
    terminal: `Principal ID: [bold:${ROLE}]\nUser ID: [bold:carol]\n`,
  },
];

/** All of them. */
export const AUTH_CASES: readonly AuthCase[] = [
  {
    args: "policies versions --id Data --amount 2",
    asks: ["GET /auth/policies/Data/versions?amount=2"],
    answer: page([
      {
        revision: 9,
        position: "9.h7Gc2xQa.9PdWm1sY",
        at: "2023-05-01T10:00:00.5Z",
        actors: ["carol", "dave"],
        removed: true,
      },
      { revision: 7, position: "7.h7Gc2xQa.Zk3vT0bR", actors: [], removed: false, statement: [] },
    ]),
    terminal: `+----------+---------------------------------+-------------+---------+---------------------+
| REVISION | TIME                            | BY          | REMOVED | POSITION            |
+----------+---------------------------------+-------------+---------+---------------------+
|        9 | 2023-05-01 10:00:00.5 +0000 UTC | carol, dave | true    | 9.h7Gc2xQa.9PdWm1sY |
|        7 |                                 |             | false   | 7.h7Gc2xQa.Zk3vT0bR |
+----------+---------------------------------+-------------+---------+---------------------+

`,
    piped:
      "9\t2023-05-01 10:00:00.5 +0000 UTC\tcarol, dave\ttrue\t9.h7Gc2xQa.9PdWm1sY\n7\t\t\tfalse\t7.h7Gc2xQa.Zk3vT0bR\n\n",
  },
  {
    args: "policies restore --id Data --position 7.h7Gc2xQa.Zk3vT0bR",
    asks: ["POST /auth/policies/Data/restore"],
    sends: { position: "7.h7Gc2xQa.Zk3vT0bR" },
    answer: [200, POLICY],
    terminal: `[green:Policy restored successfully.]\n${DETAILS}`,
  },
  {
    args: "history --about user:Bob",
    asks: ["GET /auth/history?about=user%3ABob&amount=100"],
    answer: page([
      { revision: 9, at: "2023-05-01T10:00:00Z", actors: ["carol"], touched: ["users", "groups"] },
    ]),
    terminal: `+----------+-------------------------------+-------+---------------+
| REVISION | TIME                          | BY    | TOUCHED       |
+----------+-------------------------------+-------+---------------+
|        9 | 2023-05-01 10:00:00 +0000 UTC | carol | users, groups |
+----------+-------------------------------+-------+---------------+

`,
    piped: "9\t2023-05-01 10:00:00 +0000 UTC\tcarol\tusers, groups\n\n",
  },
  ...GROUP_CASES,
  ...POLICY_CASES,
  ...USER_CASES,
  ...CREDENTIAL_CASES,
  ...ROLE_CASES,
];
