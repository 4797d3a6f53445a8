/** The tree of required permissions as it comes over the wire (spec/evaluation §8, spec/decision-api §3). */

import { pointTo } from "@svc-authorizer/policy/errors.ts";
import type { RequiredLeaf, RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import { isObject } from "../../../http/body/json-body.ts";
import type { DecisionLimits } from "../limits.ts";
import type { Field, FieldReader } from "./native-fields.ts";

const LEAF: ReadonlySet<string> = new Set(["action", "resource"]);
const ANY_RESOURCE: ReadonlySet<string> = new Set(["action"]);
const FORMS = "expected exactly one of {action, resource}, {and}, {or}, {any_resource: {action}}";

/** Stands in for a faulty node; the problem ends the request. */
const NEVER: RequiredPermissions = { or: [] };

/**
 * Reads a tree. An empty `and` is read as an empty `or`: at an entrance an empty requirement is neutral, whereas
 * the engine's empty `and` allows (spec/security §2.4). `asWritten` keeps it, for a simulation that is to answer what
 * the data server would; nothing is let in by that answer.
 */
export function readRequired(
  reader: FieldReader,
  field: Field,
  limits: DecisionLimits,
  asWritten = false,
): RequiredPermissions {
  return new TreeReader(reader, limits, asWritten).read(field.value, field.pointer, 1);
}

/** `{action, resource}`, without further fields. */
function readLeaf(reader: FieldReader, field: Field, limits: DecisionLimits): RequiredLeaf {
  const fields = reader.object(field, LEAF);
  return {
    action: reader.text(fields.get("action"), pointTo(field.pointer, "action"), limits.actionBytes),
    resource: reader.text(fields.get("resource"), pointTo(field.pointer, "resource"), limits.arnBytes),
  };
}

class TreeReader {
  readonly #reader: FieldReader;
  readonly #limits: DecisionLimits;
  readonly #asWritten: boolean;
  #nodes = 0;

  constructor(reader: FieldReader, limits: DecisionLimits, asWritten: boolean) {
    this.#asWritten = asWritten;
    this.#reader = reader;
    this.#limits = limits;
  }

  read(value: unknown, pointer: string, depth: number): RequiredPermissions {
    if (value === undefined) return this.#never(pointer, "required");
    if (!isObject(value)) return this.#never(pointer, "expected an object");
    if (depth > this.#limits.jsonDepth) return this.#never(pointer, "nested too deep");
    this.#nodes++;
    if (this.#nodes === this.#limits.treeNodes + 1) {
      return this.#never(pointer, `more than ${this.#limits.treeNodes} nodes`);
    }
    if (this.#nodes > this.#limits.treeNodes) return NEVER;
    const [form, ...others] = Object.keys(value);
    if (form === "action" || form === "resource") {
      return readLeaf(this.#reader, { value, pointer }, this.#limits);
    }
    if (form === undefined || others.length > 0) return this.#never(pointer, FORMS);
    if (form === "any_resource") return this.#anyResource(value[form], pointTo(pointer, form));
    if (form !== "and" && form !== "or") return this.#never(pointTo(pointer, form), "unknown field");
    const children = this.#children(value[form], pointTo(pointer, form), depth);
    return form === "and" && (children.length > 0 || this.#asWritten) ? { and: children } : { or: children };
  }

  #children(value: unknown, pointer: string, depth: number): RequiredPermissions[] {
    if (Array.isArray(value)) {
      const children: RequiredPermissions[] = [];
      for (const [index, child] of value.entries()) {
        if (this.#nodes > this.#limits.treeNodes) break;
        children.push(this.read(child, pointTo(pointer, index), depth + 1));
      }
      return children;
    }
    this.#reader.problem(pointer, "expected an array");
    return [];
  }

  #anyResource(value: unknown, pointer: string): RequiredPermissions {
    const fields = this.#reader.object({ value, pointer }, ANY_RESOURCE);
    const action = this.#reader.text(
      fields.get("action"),
      pointTo(pointer, "action"),
      this.#limits.actionBytes,
    );
    return { any_resource: { action } };
  }

  #never(pointer: string, message: string): RequiredPermissions {
    this.#reader.problem(pointer, message);
    return NEVER;
  }
}
