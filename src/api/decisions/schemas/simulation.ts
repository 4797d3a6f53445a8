/** `/simulate`: decisions from given or changed policies. */

import type { Schema, Schemas } from "../../../http/openapi/openapi-types.ts";
import { closedObject, listOf, object, schemaRef, text } from "../../../http/schema/schema-forms.ts";

const REPLACE: Schema = {
  ...listOf(schemaRef("GivenPolicy"), "Policies in place of those of the same name, or beside them."),
  "x-maxItems": "policiesPerUser",
};
const REMOVE = listOf({ type: "string" }, "Names of policies to leave out.");

/** The time that a pattern takes grows with its length. */
const PATTERN: Schema = { type: "string", "x-maxBytes": "policyBytes" };
/** Longest name of a statement: it comes back in explanations. */
const SID_BYTES = 128;

const EVALUATOR: Schema = {
  enum: ["extended", "data_server"],
  default: "extended",
  description: "`data_server` knows only the data server's four condition operators.",
};
const EXPLAIN: Schema = {
  type: "boolean",
  default: false,
  description: "Needs a token with scope `read` besides.",
};

const CASE: Schema = {
  ...closedObject(
    {
      user: text("Name of the user; may stand in `candidate` instead."),
      policies: {
        ...listOf(schemaRef("GivenPolicy"), "Decide from these policies alone."),
        "x-maxItems": "policiesPerUser",
      },
      candidate: schemaRef("PolicyChange"),
      replace: REPLACE,
      remove: REMOVE,
      required: schemaRef("RequiredPermissions"),
      list: schemaRef("RequiredPermission"),
      context: schemaRef("Context"),
      explain: EXPLAIN,
      evaluator: EVALUATOR,
    },
    [],
  ),
  allOf: [
    {
      oneOf: [{ required: ["required"] }, { required: ["list"] }],
      "x-says": {
        none: { at: "/required", message: "required" },
        several: { at: "/list", message: "not together with required" },
      },
    },
    {
      oneOf: [
        { required: ["policies"] },
        { anyOf: [{ required: ["candidate"] }, { required: ["replace"] }, { required: ["remove"] }] },
      ],
      "x-says": {
        none: { at: "/policies", message: "required, unless there is a candidate" },
        several: { at: "/policies", message: "not together with candidate, replace or remove" },
      },
    },
    {
      oneOf: [
        { required: ["user"] },
        { required: ["candidate"], properties: { candidate: { type: "object", required: ["user"] } } },
      ],
      "x-says": {
        none: { at: "/user", message: "required" },
        several: { at: "/candidate/user", message: "given twice" },
      },
    },
  ],
};

const CASES = closedObject(
  {
    cases: { ...listOf(schemaRef("SimulationCase")), maxItems: 1000 },
    explain: EXPLAIN,
    evaluator: EVALUATOR,
  },
  ["cases"],
);

/** Schemas of simulations. */
export const SIMULATION_SCHEMAS: Schemas = {
  GivenStatement: closedObject(
    {
      sid: {
        type: ["string", "null"],
        description: "Name of the statement, shown where it decides.",
        "x-maxBytes": SID_BYTES,
      },
      effect: text("Not validated: a broken statement denies as it would if it were stored."),
      action: listOf(PATTERN),
      resource: PATTERN,
      condition: {
        type: ["object", "null"],
        additionalProperties: { type: "object", additionalProperties: listOf(PATTERN) },
      },
    },
    ["effect", "action", "resource"],
  ),
  GivenPolicy: closedObject(
    {
      name: { type: "string" },
      statement: { ...listOf(schemaRef("GivenStatement")), "x-maxItems": "statementsPerPolicy" },
      creation_date: { description: "Not used." },
      acl: { description: "Not used." },
    },
    ["name", "statement"],
  ),
  PolicyChange: {
    ...closedObject({ user: { type: "string" }, replace: REPLACE, remove: REMOVE }, []),
    description:
      "Decide as if the policies of the real user were changed; needs a token with scope `read` besides.",
  },
  SimulationCase: CASE,
  SimulationCases: CASES,
  SimulateRequest: {
    oneOf: [schemaRef("SimulationCase"), CASES],
  },
  ListAnswer: object({
    any_resource: {
      type: "boolean",
      description: "Whether some statement allows the action on any resource.",
    },
    listed: { type: "boolean", description: "Whether list filtering shows the resource." },
  }),
  SimulationAnswer: { oneOf: [schemaRef("CheckAnswer"), schemaRef("ListAnswer")] },
  SimulateAnswer: {
    oneOf: [
      schemaRef("CheckAnswer"),
      schemaRef("ListAnswer"),
      object({ results: listOf(schemaRef("SimulationAnswer"), "In the order of the cases.") }),
    ],
  },
};
