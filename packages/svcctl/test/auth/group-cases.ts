import {
  type AuthCase,
  CREATED,
  created,
  GROUPS,
  MORE,
  POLICY,
  page,
  STATEMENTS_GRID,
  STATEMENTS_ROWS,
  TWO_USERS_GRID,
} from "./case.ts";

/** Commands about groups. */
export const GROUP_CASES: readonly AuthCase[] = [
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
