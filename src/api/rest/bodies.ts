/** Values out of bodies whose shape was validated: null counts as absent. */

import { invalidRequest } from "../../http/errors.ts";
import type { Statement } from "../../model/policy.ts";

/** A body with statements, as it came. */
export interface GivenStatements {
  readonly statement: readonly {
    readonly sid?: string | null;
    readonly effect: string;
    readonly action: readonly string[];
    readonly resource: string;
    readonly condition?: Statement["condition"] | null;
  }[];
}

/** The statements of a policy, without members that statements do not have. */
export function statementsOf({ statement }: GivenStatements): readonly Statement[] {
  return statement.map(({ sid, effect, action, resource, condition }) => {
    const named = typeof sid === "string" ? { sid } : {};
    const read = { ...named, effect, action, resource } as Statement;
    return condition === undefined ? read : ({ ...read, condition } as Statement);
  });
}

/** The members of an object that are given: neither undefined nor null. */
export function given<T extends Record<string, unknown>>(
  members: T,
): { [Name in keyof T]?: Exclude<T[Name], null | undefined> } {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  ) as never;
}

/** The refusal of one member of a body. */
export function faulty(name: string, message: string): Error {
  return invalidRequest([{ pointer: `/${name}`, message }]);
}
