import { type AuthCase, DETAILS, POLICY, page } from "./case.ts";
import { CREDENTIAL_CASES } from "./credential-cases.ts";
import { GROUP_CASES } from "./group-cases.ts";
import { POLICY_CASES } from "./policy-cases.ts";
import { ROLE_CASES } from "./role-cases.ts";
import { USER_CASES } from "./user-cases.ts";

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
