import { type AuthCase, page, ROLE, ROLE_SENT } from "./case.ts";

/** Commands about external principals. */
export const ROLE_CASES: readonly AuthCase[] = [
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
