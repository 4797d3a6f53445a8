/**
 * Policies given in a request: their types are checked, their sense is not (decision-api.md §3, `/simulate`). Texts are
 * bounded all the same, as the time that a pattern takes grows with its length.
 */

import { pointTo } from "../../errors.ts";
import { isObject } from "../../http/json-body.ts";
import type { Condition, NamedStatements, Statement } from "../../model/policy.ts";
import type { DecisionLimits } from "./limits.ts";
import type { Field, FieldReader } from "./native-fields.ts";

/** What a stored policy carries besides is accepted and not used. */
const POLICY: ReadonlySet<string> = new Set(["name", "statement", "creation_date", "acl"]);
const STATEMENT: ReadonlySet<string> = new Set(["sid", "effect", "action", "resource", "condition"]);

/** Longest name of a statement: it comes back in explanations. */
const SID_BYTES = 128;

/** What reading policies needs besides the policies. */
interface Reading {
  readonly reader: FieldReader;
  /** Longest text. */
  readonly bytes: number;
}

/** Statements read between two steps: well under a millisecond. */
const STEP = 64;

/**
 * Reads a list of policies step by step. It is bounded as stored policies are: how many a user may have, how many
 * statements one has.
 */
export function* readPoliciesInSteps(
  reader: FieldReader,
  field: Field,
  { policyBytes, policiesPerUser, statementsPerPolicy }: DecisionLimits,
): Generator<void, readonly NamedStatements[]> {
  const reading: Reading = { reader, bytes: policyBytes };
  const policies: NamedStatements[] = [];
  let seen = 0;
  for (const [index, value] of reader.list(field, field.pointer, policiesPerUser).entries()) {
    const pointer = pointTo(field.pointer, index);
    const fields = reader.object({ value, pointer }, POLICY);
    const name = reader.text(fields.get("name"), pointTo(pointer, "name"));
    const list = pointTo(pointer, "statement");
    const statement: Statement[] = [];
    for (const [place, one] of reader.list(fields.get("statement"), list, statementsPerPolicy).entries()) {
      statement.push(readStatement(reading, { value: one, pointer: pointTo(list, place) }));
      if (++seen % STEP === 0) yield;
    }
    policies.push({ name, statement });
    if (++seen % STEP === 0) yield;
  }
  return policies;
}

function readStatement(reading: Reading, field: Field): Statement {
  const { reader, bytes } = reading;
  const fields = reader.object(field, STATEMENT);
  const actions = pointTo(field.pointer, "action");
  const sid = fields.get("sid");
  const statement = {
    ...(sid === undefined || sid.value === null
      ? {}
      : { sid: reader.text(sid, pointTo(field.pointer, "sid"), SID_BYTES) }),
    effect: reader.text(fields.get("effect"), pointTo(field.pointer, "effect")),
    action: reader
      .list(fields.get("action"), actions)
      .map((action, index) => readText(reading, action, pointTo(actions, index))),
    resource: reader.text(fields.get("resource"), pointTo(field.pointer, "resource"), bytes),
  };
  const condition = fields.get("condition");
  if (condition === undefined || condition.value === null) return statement;
  return { ...statement, condition: readCondition(reading, condition) };
}

/** Operator → field → values. Names come from callers: objects without prototype, so that none is special. */
function readCondition(reading: Reading, field: Field): Condition {
  const { reader } = reading;
  return readNamed(reader, field, (operator) =>
    readNamed(reader, operator, (values) =>
      reader
        .list(values, values.pointer)
        .map((value, index) => readText(reading, value, pointTo(values.pointer, index))),
    ),
  );
}

function readNamed<T>(
  reader: FieldReader,
  field: Field,
  read: (member: Field) => T,
): Readonly<Record<string, T>> {
  const members: Record<string, T> = Object.create(null);
  if (!isObject(field.value)) {
    reader.problem(field.pointer, "expected an object");
    return members;
  }
  for (const [name, value] of Object.entries(field.value)) {
    members[name] = read({ value, pointer: pointTo(field.pointer, name) });
  }
  return members;
}

function readText({ reader, bytes }: Reading, value: unknown, pointer: string): string {
  return reader.text({ value, pointer }, pointer, bytes);
}
