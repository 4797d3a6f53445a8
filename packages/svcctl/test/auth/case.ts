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
export const MORE = { has_more: true, next_offset: "Bob", results: 1, max_per_page: 1000 };
const LAST = { has_more: false, next_offset: "", results: 1, max_per_page: 1000 };
export const page = (results: unknown[], pagination = LAST) => [200, { pagination, results }] as const;

export const POLICY = {
  id: "Data",
  creation_date: AT,
  statement: [
    { effect: "allow", action: ["fs:ReadObject", "fs:List*"], resource: "*" },
    { effect: "deny", action: ["fs:*"], resource: '["arn:svc:fs:::a","arn:svc:fs:::b"]' },
  ],
};
export const STATEMENTS_GRID = `+-----------+-------------------------------+-------------+-------------------------------------+--------+-------------------------+
| POLICY ID | CREATION DATE                 | STATEMENT # | RESOURCE                            | EFFECT | ACTIONS                 |
+-----------+-------------------------------+-------------+-------------------------------------+--------+-------------------------+
| Data      | 2023-05-01 10:00:00 +0000 UTC |           0 | *                                   | allow  | fs:ReadObject, fs:List* |
| Data      | 2023-05-01 10:00:00 +0000 UTC |           1 | ["arn:svc:fs:::a","arn:svc:fs:::b"] | deny   | fs:*                    |
+-----------+-------------------------------+-------------+-------------------------------------+--------+-------------------------+

`;
export const STATEMENTS_EMPTY = `+-----------+---------------+-------------+----------+--------+---------+
| POLICY ID | CREATION DATE | STATEMENT # | RESOURCE | EFFECT | ACTIONS |
+-----------+---------------+-------------+----------+--------+---------+
+-----------+---------------+-------------+----------+--------+---------+

`;
export const STATEMENTS_ROWS = [
  "Data\t2023-05-01 10:00:00 +0000 UTC\t0\t*\tallow\tfs:ReadObject, fs:List*\n",
  'Data\t2023-05-01 10:00:00 +0000 UTC\t1\t["arn:svc:fs:::a","arn:svc:fs:::b"]\tdeny\tfs:*\n\n',
].join("");
export const DETAILS = `
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

export const USERS = [
  { id: "alice", creation_date: AT, friendly_name: "Alice A.", email: "alice@example.com" },
  { id: "bob", creation_date: AT, email: "bob@example.com" },
  { id: "carol", creation_date: AT },
];
export const GROUPS = [
  { id: "Admins", creation_date: AT },
  { id: "g-2", name: "Developers", creation_date: AT },
];
export const KEY = { access_key_id: "AKIAIOSFODNN7EXAMPLQ", creation_date: AT };
export const ROLE = "arn:aws:sts::1:assumed-role/x";
export const ROLE_SENT = "arn%3Aaws%3Asts%3A%3A1%3Aassumed-role%2Fx";
export const CREDENTIALS = `[green:Credentials created successfully.]
Access Key ID:     [bold:AKIAIOSFODNN7EXAMPLQ]
Secret Access Key: [bold:s3cr3t+/]

[yellow:Keep these somewhere safe since you will not be able to see the secret key again]
`;
export const TWO_USERS_GRID = `+---------+
| USER ID |
+---------+
| Alice   |
| Bob     |
+---------+
`;
export const CREATED = { id: "n", creation_date: AT };
export const created = (what: string) =>
  `[green:${what} created successfully.]\nID: [bold:n]\nCreation Date: 2023-05-01 10:00:00 +0000 UTC\n`;
