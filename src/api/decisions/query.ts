/** Query parameters of the decision routes. */

import { invalidRequest } from "../../http/errors.ts";
import type { Call } from "../../http/exchange.ts";
import { requireScope } from "../../http/scopes.ts";

/** Whether an AuthZEN call asks for an explanation (`?explain=true`), which needs scope `read`. */
export function wantsExplanation(call: Call): boolean {
  if (call.query === "") return false;
  const given = new URLSearchParams(call.query).getAll("explain");
  if (given.some((value) => value !== "true" && value !== "false") || given.length > 1) {
    throw invalidRequest([], "query parameter explain: expected true or false, once");
  }
  if (given[0] !== "true") return false;
  requireScope(call.access, "read");
  return true;
}

/** Native calls take no query: what looks like an option there would be ignored. */
export function refuseQuery(call: Call): void {
  if (call.query !== "") throw invalidRequest([], "this call takes no query parameters");
}
