/** Fields of native bodies (spec/decision-api §3): unknown ones are refused, every problem is reported at once. */

import { type Problem, pointTo } from "@svc-authorizer/policy/errors.ts";
import { FIELD_LIMITS } from "@svc-authorizer/policy/model/condition.ts";
import { hasMoreFields } from "@svc-authorizer/policy/model/condition-fields.ts";
import { type DecisionContext, type FieldValue, UNREADABLE } from "@svc-authorizer/policy/model/decision.ts";
import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import { MOST_GROUPS } from "../../../decisions/subjects/asserted-groups.ts";
import { isObject } from "../../../http/body/json-body.ts";
import { invalidRequest } from "../../../http/errors.ts";
import { textProblems } from "../authzen/entities.ts";

/** Longest token of an identity provider that a body may have. */
export const MOST_TOKEN_BYTES = 16_384;

/** Problems of one body that are gathered; answers tell no more of them. */
const MOST_PROBLEMS = 100;

/** One field: its value and where it stands. */
export interface Field {
  readonly value: unknown;
  readonly pointer: string;
}

/** Reads fields of one body and gathers what is wrong with them. */
export class FieldReader {
  readonly problems: Problem[] = [];

  problem(pointer: string, message: string): void {
    if (!this.#isFull) this.problems.push({ pointer, message });
  }

  get #isFull(): boolean {
    return this.problems.length >= MOST_PROBLEMS;
  }

  /** The fields of an object by name; a problem for each that is not known, and for a value that is no object. */
  object(field: Field, known: ReadonlySet<string>): ReadonlyMap<string, Field> {
    const fields = new Map<string, Field>();
    if (!isObject(field.value)) {
      this.problem(field.pointer, field.value === undefined ? "required" : "expected an object");
      return fields;
    }
    for (const [name, value] of Object.entries(field.value)) {
      const pointer = pointTo(field.pointer, name);
      if (known.has(name)) fields.set(name, { value, pointer });
      else this.problem(pointer, "unknown field");
      if (this.#isFull) break;
    }
    return fields;
  }

  /** A required text of at most `bytes` bytes; "" after a problem. */
  text(field: Field | undefined, pointer: string, bytes = Number.POSITIVE_INFINITY): string {
    const problems = textProblems(field?.value, pointer, bytes);
    if (problems.length === 0) return field?.value as string;
    this.problems.push(...problems);
    return "";
  }

  /** An optional boolean. */
  flag(field: Field | undefined): boolean {
    if (field === undefined || typeof field.value === "boolean") return field?.value === true;
    this.problem(field.pointer, "expected true or false");
    return false;
  }

  /** Optional names of groups that the caller asserts for the user. */
  groups(field: Field | undefined): readonly string[] | undefined {
    if (field === undefined) return undefined;
    const { value, pointer } = field;
    if (!Array.isArray(value) || value.length > MOST_GROUPS) {
      this.problem(pointer, `expected a list of at most ${MOST_GROUPS} names`);
      return undefined;
    }
    return value.map((name, index) => this.text({ value: name, pointer: "" }, `${pointer}/${index}`));
  }

  /** An optional token of an identity provider for the user. */
  token(field: Field | undefined): string | undefined {
    return field === undefined ? undefined : this.text(field, field.pointer, MOST_TOKEN_BYTES);
  }

  /** Throws "invalid_request" when there is a problem. */
  finish(): void {
    if (this.problems.length > 0) throw invalidRequest(this.problems);
  }

  /**
   * Condition fields: scalars as their JSON text, lists of them, nested objects by dotted name; null is missing. An
   * object itself is a field that no operator can read.
   */
  context(field: Field | undefined): DecisionContext {
    if (field === undefined || field.value === undefined || field.value === null) return NO_CONTEXT;
    if (!isObject(field.value)) {
      this.problem(field.pointer, "expected an object");
      return NO_CONTEXT;
    }
    if (hasMoreFields(field.value as Properties, FIELD_LIMITS.fields)) {
      this.problem(field.pointer, `has more than ${FIELD_LIMITS.fields} fields`);
      return NO_CONTEXT;
    }
    const context = new Map<string, FieldValue>();
    this.#gather(context, field.value, "", field.pointer, 1);
    return context;
  }

  #gather(
    context: Map<string, FieldValue>,
    object: Record<string, unknown>,
    prefix: string,
    pointer: string,
    level: number,
  ): void {
    for (const [name, value] of Object.entries(object)) {
      if (this.#isFull) return;
      const at = pointTo(pointer, name);
      if (value === null) continue;
      const path = prefix + name;
      if (path.length > FIELD_LIMITS.name) {
        this.problem(at, `the name of this field has more than ${FIELD_LIMITS.name} characters`);
      } else if (isObject(value) && level < FIELD_LIMITS.levels) {
        context.set(path, UNREADABLE);
        this.#gather(context, value, `${path}.`, at, level + 1);
      } else {
        const texts = this.#texts(value, at);
        if (texts !== undefined) context.set(path, texts);
      }
    }
  }

  #texts(value: unknown, pointer: string): string | readonly string[] | undefined {
    const texts = Array.isArray(value) ? value.map(scalarText) : scalarText(value);
    if (texts === undefined || (Array.isArray(texts) && texts.includes(undefined))) {
      this.problem(
        pointer,
        "expected a string, number, boolean, null, or a list of strings, numbers and booleans",
      );
      return undefined;
    }
    const read = texts as string | readonly string[];
    if (!isTooMuch(read)) return read;
    this.problem(pointer, `has more than ${FIELD_LIMITS.values} values or ${FIELD_LIMITS.text} characters`);
    return undefined;
  }
}

/** Returns the condition fields of a context that was checked. */
export function contextOf(value: unknown): DecisionContext {
  return new FieldReader().context({ value, pointer: "" });
}

/** A context without fields. */
export const NO_CONTEXT: DecisionContext = new Map();

function isTooMuch(texts: string | readonly string[]): boolean {
  if (typeof texts === "string") return texts.length > FIELD_LIMITS.text;
  if (texts.length > FIELD_LIMITS.values) return true;
  return texts.reduce((sum, text) => sum + text.length, 0) > FIELD_LIMITS.text;
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  return typeof value === "number" && Number.isFinite(value) ? JSON.stringify(value) : undefined;
}
