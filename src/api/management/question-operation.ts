/** `POST /auth/question`: whether a question can have an answer, before it is asked (management-cli.md). */

import { BASE_PATH, json } from "../rest/operation.ts";
import { answerWith } from "../rest/operation-kinds.ts";
import { bodyOf, type UserDeclaration } from "./declaration.ts";

interface QuestionBody {
  readonly action?: string | null;
  readonly type?: string | null;
  readonly resource?: string | null;
}

const EXAMPLE = { action: "fs:ReadObject", resource: "sales/2026/x.csv" };

/** The operation. It reads names of the catalog and of resource types alone, which are no secret. */
export const QUESTION_OPERATION: UserDeclaration = {
  access: "user",
  method: "POST",
  reads: true,
  priority: "bulk",
  tag: "questions",
  id: "judgeQuestion",
  path: `${BASE_PATH}/auth/question`,
  summary: "Can this question have an answer?",
  description:
    "Judges an action, a resource type, a resource, or several of them against the catalog and the resource types of data sets: an unknown action, a resource of another kind, wildcards. Each doubt says what may be meant. A question without doubts can be asked. For every user.",
  body: bodyOf("QuestionRequest", EXAMPLE),
  answer: answerWith(200, "QuestionAnswer", {
    doubts: [
      {
        part: "resource",
        message: "sales/2026/x.csv is no ARN",
        meant: ["arn:svc:fs:::repository/sales/object/2026/x.csv"],
      },
    ],
  }),
  errors: [400],
  handler:
    ({ decisions }) =>
    async ({ body }) => {
      const { action, type, resource } = body as QuestionBody;
      const question = {
        ...(typeof action === "string" && { action }),
        ...(typeof type === "string" && { type }),
        ...(typeof resource === "string" && { resource }),
      };
      return json(200, { doubts: await decisions.doubts(question) });
    },
};
