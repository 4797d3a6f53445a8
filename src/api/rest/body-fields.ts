/** Fields of bodies: known ones are checked, unknown ones ignored (authorization-api.md §12), null is absent. */

import { assertNoProblems } from "../../directory/checks.ts";
import { isErrorCode, type Problem, pointTo } from "../../errors.ts";
import { isObject, requireObject } from "../../http/json-body.ts";
import type { Condition, Statement } from "../../model/policy.ts";

/** Reads the fields of one body and gathers what is wrong with them. */
export class BodyFields {
  readonly #fields: Record<string, unknown>;
  readonly #problems: Problem[] = [];

  /** Throws "invalid_request" for a body that is no object. */
  constructor(body: unknown) {
    this.#fields = requireObject(body);
  }

  /** A text that must be there; "" after a problem. */
  text(name: string): string {
    const value = this.#own(name);
    if (typeof value === "string") return value;
    this.#problem(`/${name}`, value === undefined ? "required" : "expected a string");
    return "";
  }

  /** A text, or undefined. */
  optionalText(name: string): string | undefined {
    return this.#own(name) === undefined ? undefined : this.text(name);
  }

  /** A number that must be there. */
  number(name: string): number {
    const value = this.#own(name);
    if (typeof value === "number") return value;
    this.#problem(`/${name}`, value === undefined ? "required" : "expected a number");
    return 0;
  }

  /** A number, or undefined. */
  optionalNumber(name: string): number | undefined {
    return this.#own(name) === undefined ? undefined : this.number(name);
  }

  /** A boolean; false where absent. */
  flag(name: string): boolean {
    const value = this.#own(name);
    if (value === undefined || typeof value === "boolean") return value === true;
    this.#problem(`/${name}`, "expected true or false");
    return false;
  }

  /** The statements of a policy. */
  statements(name: string): readonly Statement[] {
    const value = this.#own(name);
    if (!Array.isArray(value)) {
      this.#problem(`/${name}`, value === undefined ? "required" : "expected an array");
      return [];
    }
    return value.map((item, index) => this.#statement(item, `/${name}/${index}`));
  }

  /** Adds a problem where there is one. */
  check(name: string, message: string | undefined): void {
    if (message !== undefined) this.#problem(`/${name}`, message);
  }

  /** Throws "invalid_request" with every problem found. */
  finish(): void {
    assertNoProblems(this.#problems);
  }

  #own(name: string): unknown {
    const value = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
    return value === null ? undefined : value;
  }

  #problem(pointer: string, message: string): void {
    this.#problems.push({ pointer, message });
  }

  #statement(value: unknown, pointer: string): Statement {
    if (!isObject(value)) {
      this.#problem(pointer, "expected an object");
      return { effect: "", action: [], resource: "" };
    }
    const { sid, effect, action, resource, condition } = value;
    if (sid !== undefined && sid !== null && typeof sid !== "string")
      this.#problem(`${pointer}/sid`, "expected a string");
    if (typeof effect !== "string") this.#problem(`${pointer}/effect`, expected(effect, "a string"));
    if (typeof resource !== "string") this.#problem(`${pointer}/resource`, expected(resource, "a string"));
    this.#texts(action, `${pointer}/action`);
    if (condition !== undefined && condition !== null) this.#condition(condition, `${pointer}/condition`);
    const named = typeof sid === "string" ? { sid } : {};
    const statement = { ...named, effect, action, resource } as Statement;
    return condition === undefined ? statement : { ...statement, condition: condition as Condition | null };
  }

  #texts(value: unknown, pointer: string): void {
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return;
    this.#problem(pointer, expected(value, "an array of strings"));
  }

  #condition(value: unknown, pointer: string): void {
    if (!isObject(value)) {
      this.#problem(pointer, "expected an object");
      return;
    }
    for (const [operator, fields] of Object.entries(value)) {
      const at = pointTo(pointer, operator);
      if (!isObject(fields)) this.#problem(at, "expected an object");
      else for (const [field, values] of Object.entries(fields)) this.#texts(values, pointTo(at, field));
    }
  }
}

function expected(value: unknown, what: string): string {
  return value === undefined ? "required" : `expected ${what}`;
}

/**
 * Runs a use case and names faulty fields as the body does.
 * @param names JSON pointer of the use case → pointer in the body
 */
export async function withFieldNames<T>(names: ReadonlyMap<string, string>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isErrorCode(error, "invalid_request")) {
      assertNoProblems(
        error.problems.map((problem) => ({
          ...problem,
          pointer: names.get(problem.pointer) ?? problem.pointer,
        })),
      );
    }
    throw error;
  }
}
