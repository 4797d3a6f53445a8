import {
  type AuthCase,
  CREATED,
  created,
  GROUPS,
  POLICY,
  page,
  STATEMENTS_EMPTY,
  STATEMENTS_GRID,
  STATEMENTS_ROWS,
  USERS,
} from "./case.ts";

/** Commands about users. */
export const USER_CASES: readonly AuthCase[] = [
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
