/** Values out of bodies whose shape was validated: null counts as absent. */

import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { invalidRequest } from "../../http/errors.ts";

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

/** The statements of a policy. What a statement does not have is left for the use case to refuse. */
export function statementsOf({ statement }: GivenStatements): readonly Statement[] {
  const read = statement.map(({ sid, ...rest }) => (typeof sid === "string" ? { sid, ...rest } : rest));
  return read as readonly Statement[];
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
