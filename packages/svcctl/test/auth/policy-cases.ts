import { type AuthCase, DETAILS, POLICY, page } from "./case.ts";

/** Commands about policies. */
export const POLICY_CASES: readonly AuthCase[] = [
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
