/** Query parameters of the decision routes. */

import { invalidRequest } from "../../http/errors.ts";
import { requireScope, type ServiceCall } from "../service-caller.ts";
import type { AnyCall } from "./any-call.ts";

/** Returns whether an AuthZEN call asks for an explanation (`?explain=true`), which needs scope `read`. */
export function wantsExplanation(call: ServiceCall): boolean {
  if (call.queryText === "") return false;
  const given = new URLSearchParams(call.queryText).getAll("explain");
  if (given.some((value) => value !== "true" && value !== "false") || given.length > 1) {
    throw invalidRequest([], "query parameter explain: expected true or false, once");
  }
  if (given[0] !== "true") return false;
  requireScope(call.caller, "read");
  return true;
}

/** Native calls take no query: what looks like an option there would be ignored. */
export function refuseQuery(call: AnyCall): void {
  if (call.queryText !== "") throw invalidRequest([], "this call takes no query parameters");
}
