/**
 * Writes the name of the caller into what a request records (spec/exchange §8): metadata of commits and merges, which the
 * data server records as its one user's, and of objects. The JSON is written anew, so that the data server reads what was read here.
 */

import { RequestRefused } from "../../http/errors.ts";

/** Where a body has metadata, by the operation of the main API. */
const METADATA: ReadonlyMap<string, readonly string[]> = new Map([
  ["commit", ["metadata"]],
  ["mergeIntoBranch", ["metadata"]],
  ["cherryPick", ["commit_overrides", "metadata"]],
  ["revertBranch", ["commit_overrides", "metadata"]],
  ["importStart", ["commit", "metadata"]],
  ["stageObject", ["metadata"]],
  ["linkPhysicalAddress", ["user_metadata"]],
]);

/** Operations whose metadata replace those of another commit: they are named where the caller gives some. */
const REPLACING: ReadonlySet<string> = new Set(["cherryPick", "revertBranch"]);

/** Largest body. */
export const MOST_NAMED_BODY = 1 << 20;

type Members = Record<string, unknown>;

/** True if a request of this operation can have the name of its caller. */
export function isNamed(operation: string | null): operation is string {
  return operation !== null && METADATA.has(operation);
}

/**
 * The body with the name.
 * @param body the parsed body, in which no member is repeated; undefined for none
 * @param key `authorizer.exchange.name_in_metadata`
 * @throws RequestRefused 400 where a member could be read as another
 */
export function withName(
  operation: string,
  body: unknown,
  { key, username }: { readonly key: string; readonly username: string },
): string {
  const path = METADATA.get(operation) ?? [];
  const whole = membersOf(body ?? {});
  let members = whole;
  for (const name of path) {
    // The data server finds a member in any letter case.
    const isFolded = Object.keys(members).some((one) => one !== name && folded(one) === folded(name));
    if (isFolded) throw new RequestRefused(400, `${name} is in another letter case`);
    if (REPLACING.has(operation) && !Object.hasOwn(members, name)) return JSON.stringify(whole);
    const inner: Members = Object.assign(Object.create(null), membersOf(members[name] ?? {}));
    members[name] = inner;
    members = inner;
  }
  for (const one of Object.keys(members)) if (folded(one) === folded(key)) delete members[one];
  members[key] = username;
  return JSON.stringify(whole);
}

function membersOf(value: unknown): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw new RequestRefused(400, "expected an object");
}

/** As Go compares names: also the long s and the sign of Kelvin are letters of another case. */
function folded(name: string): string {
  return name.toUpperCase().toLowerCase();
}
