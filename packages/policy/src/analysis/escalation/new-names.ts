/** Names that policies allow somebody to give to a new policy or group. */

import { bindUser } from "../../engine/patterns/resource-pattern.ts";
import { compileWildcard } from "../../engine/patterns/wildcard.ts";
import type { NamedStatements, Statement } from "../../model/policy.ts";
import { parseResourceText } from "../../model/resource-text.ts";

/** Most names beside the usual one. */
const MOST_NAMES = 4;

/** A policy or group to be created. */
interface NewThing {
  /** The action that creates it. */
  readonly action: string;
  /** Kind of its resource. */
  readonly kind: "policy" | "group";
  /** A name that no policy has a part of. */
  readonly unused: string;
}

/** The unused name, and one for each pattern of a statement that allows to create: `team-*` gives `team-<unused>`. */
export function newNames(
  held: readonly NamedStatements[],
  user: string,
  { action, kind, unused }: NewThing,
): readonly string[] {
  const names = new Set([unused]);
  for (const statement of held.flatMap((policy) => policy.statement)) {
    const isMeant = statement.action.some((pattern) => compileWildcard(pattern).match(action));
    if (statement.effect === "deny" || !isMeant) continue;
    for (const pattern of [...namedBy(statement, user, kind), ...wantedBy(statement, `action.${kind}`)]) {
      names.add(pattern.replace("*", unused).replaceAll("*", "").replaceAll("?", "x"));
      if (names.size > MOST_NAMES) return [...names];
    }
  }
  return [...names];
}

function namedBy({ resource }: Statement, user: string, kind: string): readonly string[] {
  const start = `:${kind}/`;
  return (parseResourceText(resource) ?? []).flatMap((text) => {
    const bound = bindUser(text, user);
    const at = bound.indexOf(start);
    return at < 0 || at + start.length === bound.length ? [] : [bound.slice(at + start.length)];
  });
}

/** The values that conditions compare a field with. */
function wantedBy({ condition }: Statement, field: string): readonly string[] {
  return Object.values(condition ?? {}).flatMap((fields) => {
    const values: unknown = fields[field];
    return (Array.isArray(values) ? values : [values]).filter(
      (one): one is string => typeof one === "string",
    );
  });
}
