/** Decisions: AuthZEN 1.0 and the native calls. */

import type { Content, Operation, Paths, Response } from "../openapi-types.ts";
import { jsonAnswer, jsonContent, operation, parameterRef } from "../operation.ts";
import { schemaRef } from "../schema-forms.ts";
import { ACCESS_EXAMPLES as EXAMPLES } from "./access-examples.ts";

interface AccessParts {
  readonly id: string;
  readonly tag: "AuthZEN" | "decisions";
  readonly summary: string;
  readonly description?: string;
  readonly body: Content;
  readonly answer: Response;
}

function decision(parts: AccessParts): { readonly post: Operation } {
  const parameters = parts.tag === "AuthZEN" ? [parameterRef("Explain")] : [];
  return { post: operation({ ...parts, parameters, scope: "decide", status: 200, errors: [] }) };
}

function withLines(
  content: Content,
  what: keyof typeof EXAMPLES,
  line: string,
  description: string,
): Content {
  return {
    ...content,
    "application/x-ndjson": {
      schema: { type: "string", description },
      "x-itemSchema": schemaRef(line),
      example: EXAMPLES[what],
    },
  };
}

const FILTERED = jsonAnswer("Which items are allowed.", "FilterAnswer", { example: EXAMPLES.FilterAnswer });

/** `/access/v1`. */
export const ACCESS_PATHS: Paths = {
  "/access/v1/evaluation": decision({
    id: "evaluation",
    tag: "AuthZEN",
    summary: "May this subject do this to this resource?",
    description: "A denial is an answer too: 200 with `decision: false`.",
    body: jsonContent("EvaluationRequest", EXAMPLES.EvaluationRequest),
    answer: jsonAnswer("The decision.", "EvaluationAnswer", { example: EXAMPLES.EvaluationAnswer }),
  }),
  "/access/v1/evaluations": decision({
    id: "evaluations",
    tag: "AuthZEN",
    summary: "Many evaluations in one request",
    description: "A faulty element is denied, and its context has the error; the others are answered.",
    body: jsonContent("EvaluationsRequest", EXAMPLES.EvaluationsRequest),
    answer: jsonAnswer("The decisions.", "EvaluationsAnswer", { example: EXAMPLES.EvaluationsAnswer }),
  }),
  "/access/v1/check": decision({
    id: "check",
    tag: "decisions",
    summary: "May this user do what these permissions stand for?",
    body: jsonContent("CheckRequest", EXAMPLES.CheckRequest),
    answer: jsonAnswer("The decision.", "CheckAnswer", { example: EXAMPLES.CheckAnswer }),
  }),
  "/access/v1/request": decision({
    id: "request",
    tag: "decisions",
    summary: "May this request of a data server pass?",
    description:
      "The permission tables applied. A request that no row answers, or that could be read in two ways, is not allowed.",
    body: jsonContent("RequestCheck", EXAMPLES.RequestCheck),
    answer: jsonAnswer("The operation, what it needs, and the decision.", "RequestAnswer", {
      example: EXAMPLES.RequestAnswer,
    }),
  }),
  "/access/v1/filter": decision({
    id: "filter",
    tag: "decisions",
    summary: "Which of these resources may this user act on?",
    description:
      "Each item is answered as a check of its own would be. NDJSON streams both ways without a limit.",
    body: withLines(
      jsonContent("FilterRequest", EXAMPLES.FilterRequest),
      "FilterStreamRequest",
      "FilterStreamItem",
      "A line of JSON with user and action, then one item a line.",
    ),
    answer: {
      ...FILTERED,
      content: withLines(
        FILTERED.content ?? {},
        "FilterStreamAnswer",
        "FilterStreamAnswer",
        "Answers to a request in NDJSON come in NDJSON.",
      ),
    },
  }),
  "/access/v1/simulate": decision({
    id: "simulate",
    tag: "decisions",
    summary: "What would be decided from other policies?",
    description:
      "From given policies alone, or as if policies of a real user were changed. Nothing is stored.",
    body: jsonContent("SimulateRequest", EXAMPLES.SimulateRequest),
    answer: jsonAnswer("The decisions.", "SimulateAnswer", { example: EXAMPLES.SimulateAnswer }),
  }),
};
