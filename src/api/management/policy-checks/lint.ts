/** `POST /auth/policies/lint`: mistakes of a policy before it is saved (spec/console §4.1). */

import type { Reply } from "../../../http/route.ts";
import { EXAMPLE_STATEMENT } from "../../rest/declared.ts";
import { BASE_PATH, json } from "../../rest/operation.ts";
import { answerWith } from "../../rest/operation-kinds.ts";
import type { UserCall } from "../call.ts";
import { bodyOf, type ManagementParts, type UserDeclaration } from "../declaration.ts";
import { ON_ALL_POLICIES } from "./permission.ts";

const EXAMPLE = { id: "ReadData", statement: [{ ...EXAMPLE_STATEMENT, action: ["fs:ReadObjects"] }] };
const UNNAMED = "policy";

/** The operation. */
export const LINT_OPERATION: UserDeclaration = {
  ...ON_ALL_POLICIES,
  method: "POST",
  reads: true,
  priority: "bulk",
  heavy: true,
  tag: "policies",
  id: "lintPolicy",
  path: `${BASE_PATH}/auth/policies/lint`,
  summary: "Check a policy before it is saved",
  description:
    "Errors keep the policy from being saved; warnings name what is valid and almost certainly a mistake. Of a document that is sent as a text, findings have line and column. Needs `auth:ReadPolicy` on all policies.",
  body: bodyOf("PolicyLintRequest", { document: JSON.stringify(EXAMPLE, undefined, 2) }),
  answer: answerWith(200, "PolicyLintAnswer", {
    errors: 0,
    warnings: 1,
    complete: true,
    findings: [
      {
        severity: "warning",
        rule: "doubtful",
        message: "the data server has no action fs:ReadObjects",
        pointer: "/statement/0/action/0",
        line: 7,
        column: 9,
      },
    ],
  }),
  errors: [400],
  handler: (parts) => (call) => lint(call, parts),
};

interface LintBody {
  readonly document: unknown;
  readonly name?: string | null;
}

async function lint(call: UserCall, { policyChecks }: ManagementParts): Promise<Reply> {
  const { document, name } = call.body as LintBody;
  const { findings, complete } = await policyChecks.lint(call.caller.name, document, name ?? UNNAMED);
  const count = (wanted: string) => findings.filter(({ severity }) => severity === wanted).length;
  return json(200, { errors: count("error"), warnings: count("warning"), complete, findings });
}
