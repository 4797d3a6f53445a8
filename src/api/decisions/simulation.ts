/** Reading the cases of `/simulate` (decision-api.md §3). */

import type { SimulationCase } from "../../decisions/decisions.ts";
import { pointTo } from "../../errors.ts";
import { isObject } from "../../http/json-body.ts";
import type { DecisionLimits } from "./limits.ts";
import type { Field, FieldReader } from "./native-fields.ts";
import { readPoliciesInSteps } from "./policies.ts";
import { readLeaf, readRequired } from "./required.ts";

const EVALUATORS = ["extended", "data_server"] as const;
type Evaluator = (typeof EVALUATORS)[number];

const CANDIDATE: ReadonlySet<string> = new Set(["replace", "remove"]);

/** Fields of a case. */
export const CASE_FIELDS: ReadonlySet<string> = new Set([
  "user",
  "policies",
  "candidate",
  ...CANDIDATE,
  "required",
  "list",
  "context",
  "explain",
  "evaluator",
]);

/** What cases without their own take: the fields beside `cases`. */
export interface CaseDefaults {
  readonly evaluator: Evaluator;
  readonly explain: boolean;
}

/** `evaluator` and `explain` as given, or what stands in for them. */
export function readModes(
  reader: FieldReader,
  fields: ReadonlyMap<string, Field>,
  defaults: CaseDefaults,
): CaseDefaults {
  const evaluator = fields.get("evaluator");
  const known = EVALUATORS.find((name) => name === evaluator?.value);
  if (evaluator !== undefined && known === undefined) {
    reader.problem(evaluator.pointer, `expected one of ${EVALUATORS.join(", ")}`);
  }
  const explain = fields.get("explain");
  return {
    evaluator: known ?? defaults.evaluator,
    explain: explain === undefined ? defaults.explain : reader.flag(explain),
  };
}

/** Reads one case from its fields, step by step. */
export function* readCaseInSteps(
  reader: FieldReader,
  given: ReadonlyMap<string, Field>,
  pointer: string,
  defaults: CaseDefaults,
  limits: DecisionLimits,
  requestId: string,
): Generator<void, SimulationCase> {
  const fields = withCandidate(reader, given);
  const modes = readModes(reader, fields, defaults);
  return {
    user: reader.text(fields.get("user"), pointTo(pointer, "user")),
    ...(yield* readSource(reader, fields, pointer, limits)),
    ...readQuestion(reader, fields, pointer, limits, modes.evaluator),
    context: reader.context(fields.get("context")),
    ...modes,
    requestId,
  };
}

/** `candidate: {replace, remove}` means the same as its fields beside `user`. */
function withCandidate(reader: FieldReader, fields: ReadonlyMap<string, Field>): ReadonlyMap<string, Field> {
  const candidate = fields.get("candidate");
  if (candidate === undefined) return fields;
  const all = new Map(fields);
  const known = isObject(candidate.value) && !fields.has("user") ? CASE_FIELDS : CANDIDATE;
  for (const [name, field] of reader.object(candidate, known)) {
    if (all.has(name)) reader.problem(field.pointer, "given twice");
    else all.set(name, field);
  }
  return all;
}

/** From which policies to decide. */
function* readSource(
  reader: FieldReader,
  fields: ReadonlyMap<string, Field>,
  pointer: string,
  limits: DecisionLimits,
): Generator<void, Pick<SimulationCase, "policies" | "candidate">> {
  const policies = fields.get("policies");
  const replace = fields.get("replace");
  const remove = fields.get("remove");
  const changes = replace !== undefined || remove !== undefined || fields.has("candidate");
  if (policies !== undefined && changes) {
    reader.problem(policies.pointer, "not together with candidate, replace or remove");
    return {};
  }
  if (policies !== undefined) return { policies: yield* readPoliciesInSteps(reader, policies, limits) };
  if (!changes) {
    reader.problem(pointTo(pointer, "policies"), "required, unless there is a candidate");
    return {};
  }
  return {
    candidate: {
      replace: replace === undefined ? [] : yield* readPoliciesInSteps(reader, replace, limits),
      remove: remove === undefined ? [] : readNames(reader, remove),
    },
  };
}

function readNames(reader: FieldReader, field: Field): readonly string[] {
  return reader.list(field, field.pointer).map((value, index) => {
    const pointer = pointTo(field.pointer, index);
    return reader.text({ value, pointer }, pointer);
  });
}

/** What to decide. */
function readQuestion(
  reader: FieldReader,
  fields: ReadonlyMap<string, Field>,
  pointer: string,
  limits: DecisionLimits,
  evaluator: Evaluator,
): Pick<SimulationCase, "required" | "list"> {
  const required = fields.get("required");
  const list = fields.get("list");
  if (list !== undefined && required !== undefined) {
    reader.problem(list.pointer, "not together with required");
    return {};
  }
  if (list !== undefined) return { list: readLeaf(reader, list, limits) };
  const missing = { value: undefined, pointer: pointTo(pointer, "required") };
  return { required: readRequired(reader, required ?? missing, limits, evaluator === "data_server") };
}
