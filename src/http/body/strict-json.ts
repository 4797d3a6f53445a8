/** JSON bodies in which no member may be there twice: what one reader takes, another one may not see. */

import type { Problem } from "@svc-authorizer/policy/errors.ts";
import { scheduler } from "../../schedule/scheduler.ts";
import { invalidRequest } from "../errors.ts";
import { type BodyBounds, parseJsonBody, parseJsonInTurns } from "./json-body.ts";
import { repeatedMembers, repeatedMembersInSteps } from "./repeated-members.ts";

/** Longest body that is searched for repeated members in one go: some milliseconds. */
const MAX_AT_ONCE = 64 << 10;

const NONE: ReadonlySet<string> = new Set();

/**
 * The value of a body in which no member is repeated; throws or rejects as {@link parseJsonInTurns} does.
 * @param caseless members of the outermost object in whose values letter case makes no difference
 */
export function parseStrictJson(
  bytes: Buffer,
  bounds: BodyBounds,
  caseless: ReadonlySet<string> = NONE,
): unknown | Promise<unknown> {
  if (bytes.length > MAX_AT_ONCE) return parseLarge(bytes, bounds, caseless);
  const value = parseJsonBody(bytes, bounds.depth);
  refuseRepeated(repeatedMembers(bytes.toString("utf8"), caseless));
  return value;
}

async function parseLarge(
  bytes: Buffer,
  bounds: BodyBounds,
  caseless: ReadonlySet<string>,
): Promise<unknown> {
  const value = await parseJsonInTurns(bytes, bounds);
  refuseRepeated(await scheduler.run(repeatedMembersInSteps(bytes.toString("utf8"), caseless)));
  return value;
}

function refuseRepeated(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalidRequest(problems);
}
