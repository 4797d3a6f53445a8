/** Resource types ready for use, and the types that an ARN can be of (spec/decision-api §2.8; spec/security §3.4). */

import type { ResourceType } from "./resource-type.ts";
import { type CompiledTemplate, compileTemplate, parseTemplate } from "./template.ts";
import { compareUtf8 } from "./utf8-order.ts";

/** A resource type with its compiled template. */
export interface KnownType {
  readonly type: string;
  readonly template: CompiledTemplate;
  readonly actions: ReadonlyMap<string, string>;
  /** The ARNs of the type as a pattern, with a star for each value. */
  readonly pattern: string;
}

/** Compiles a type. */
export function knownType(type: ResourceType): KnownType {
  return {
    type: type.type,
    template: compileTemplate(type),
    actions: new Map(Object.entries(type.actions)),
    pattern: parseTemplate(type.arn).literals.join("*"),
  };
}

/** The types ordered by the amount of literal text in their ARNs, descending. */
export function bySpecificity(types: Iterable<KnownType>): readonly KnownType[] {
  return [...types].sort((a, b) => b.pattern.length - a.pattern.length || compareUtf8(a.type, b.type));
}

/** Every resource that an ARN can be, by type and id, in the order of the types. */
export function* resourcesOf(
  arn: string,
  types: readonly KnownType[],
): Generator<{ readonly type: string; readonly id: string }> {
  for (const { type, template } of types) {
    const id = template.fromArn(arn);
    if (id !== undefined) yield { type, id };
  }
}
