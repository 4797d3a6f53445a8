/** Marks: the places at which pages of unused access end. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { UNUSED_KINDS, type UnusedKind } from "./unused-access.ts";

/** A place in the walk: everything of the kind up to a name was looked at. */
export interface Place {
  readonly kind: UnusedKind;
  readonly name: string;
  /** Of the policy of that name, only the statements up to this one were. */
  readonly statement?: number;
}

const FORM = /^([a-z]+):(\d{1,9})?:(.*)$/s;

/** The text of a place. */
export function markOf({ kind, name, statement }: Place): string {
  return `${kind}:${statement ?? ""}:${name}`;
}

/**
 * The place that a mark names; undefined for "".
 * @throws AuthorizerError "invalid_request" for a text that is no mark
 */
export function placeOf(mark: string): Place | undefined {
  if (mark === "") return undefined;
  const [, word, statement, name = ""] = FORM.exec(mark) ?? [];
  const kind = UNUSED_KINDS.find((one) => one === word);
  if (kind === undefined) {
    throw new AuthorizerError("invalid_request", "after: must be the next_offset of the page before");
  }
  return { kind, name, ...(statement !== undefined && { statement: Number(statement) }) };
}
