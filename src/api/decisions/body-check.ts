/** The check of cold bodies by their declared schemas; hot calls read their bodies themselves. */

import type { Problem } from "@svc-authorizer/policy/errors.ts";
import { strangeMemberProblem } from "@svc-authorizer/policy/model/policy-members.ts";
import { requireNone, SchemaCheck } from "../../http/schema/schema-check.ts";
import { UNKNOWN_FIELD } from "../../http/schema/schema-problems.ts";
import { scheduler } from "../../schedule/scheduler.ts";
import type { DecisionLimits } from "./limits.ts";
import { type Field, FieldReader } from "./native/native-fields.ts";
import { readRequired } from "./native/required.ts";
import { DECISION_SCHEMAS } from "./schemas.ts";

/** The name of the schema of a body; a function where the body decides which of several forms it has. */
export type CheckedSchema = string | ((body: unknown) => string);

/** Builds the check. Context and required permissions are checked by the readers of the hot calls. */
export function bodyCheck(limits: DecisionLimits): SchemaCheck {
  const by = (read: (reader: FieldReader, field: Field) => unknown) => {
    return (value: unknown, pointer: string): readonly Problem[] => {
      const reader = new FieldReader();
      read(reader, { value, pointer });
      return reader.problems;
    };
  };
  return new SchemaCheck(DECISION_SCHEMAS, {
    limits: { ...limits },
    readers: new Map([
      ["Context", by((reader, field) => reader.context(field))],
      ["RequiredPermissions", by((reader, field) => readRequired(reader, field, limits))],
    ]),
  });
}

const IN_STATEMENT = /^(.*\/statement\/\d+)\/([^/]+)$/s;

/** Problems in which a member that a statement does not have is told as on every other way in. */
function named(problems: readonly Problem[]): readonly Problem[] {
  return problems.map((problem) => {
    const [, statement, name] = IN_STATEMENT.exec(problem.pointer) ?? [];
    if (statement === undefined || name === undefined || problem.message !== UNKNOWN_FIELD) return problem;
    return strangeMemberProblem(statement, name.replaceAll("~1", "/").replaceAll("~0", "~"));
  });
}

/**
 * Returns what validates the bodies of a route: throws or rejects with "invalid_request" and every problem.
 * @param heavy whether long bodies may be checked in turns with other work
 */
export function validatorOf(check: SchemaCheck, schema: CheckedSchema, heavy: boolean) {
  const nameOf = typeof schema === "string" ? () => schema : schema;
  return (body: unknown): void | Promise<void> =>
    heavy
      ? scheduler.run(check.inSteps(nameOf(body), body)).then((problems) => requireNone(named(problems)))
      : requireNone(named(check.problems(nameOf(body), body)));
}
