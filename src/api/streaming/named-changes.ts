/**
 * Writes the name of the caller into what a request records (spec/exchange §8): metadata of commits and merges, which the
 * data server records as its one user's, and of objects. The JSON is written anew, so that the data server reads what was read here.
 */

import { tooLarge } from "../../http/body/receive-body.ts";
import { parseStrictJson } from "../../http/body/strict-json.ts";
import { RequestRefused } from "../../http/errors.ts";
import type { RawCall } from "../../http/route.ts";

/** The way to the metadata of a body, by the operation of the main API. */
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

/** Largest body in bytes. */
const MOST_BODY = 1 << 20;
/** A body of one of these requests has a few values in two levels, and metadata. */
const BOUNDS = { depth: 16, values: 100_000 };

type Members = Record<string, unknown>;

/** True if a request of this operation can have the name of its caller. */
export function isNamed(operation: string | null): operation is string {
  return operation !== null && METADATA.has(operation);
}

/**
 * The whole body of a request.
 * @param idleMs milliseconds in which it must arrive
 * @throws RequestRefused 413 for one of more than 1 MiB
 */
export async function smallBody(
  call: Pick<RawCall, "request" | "deadline" | "continueIfAsked">,
  idleMs: number,
): Promise<Buffer> {
  const { request } = call;
  if (Number(request.headers["content-length"] ?? 0) > MOST_BODY) throw tooLarge(MOST_BODY);
  call.deadline = performance.now() + idleMs;
  call.continueIfAsked();
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MOST_BODY) throw tooLarge(MOST_BODY);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/**
 * The body with the name.
 * @param key `authorizer.exchange.name_in_metadata`
 * @throws AuthorizerError "invalid_request" for a body that is no JSON, repeats a member, or has one that could be read as
 *   another; at once or by rejection
 */
export async function withName(
  operation: string,
  body: Buffer,
  { key, username }: { readonly key: string; readonly username: string },
): Promise<Buffer> {
  const path = METADATA.get(operation) ?? [];
  const whole = membersOf(body.length === 0 ? {} : await parseStrictJson(body, BOUNDS));
  let members = whole;
  for (const name of path) {
    // The data server finds a member in any letter case.
    const isFolded = Object.keys(members).some((one) => one !== name && folded(one) === folded(name));
    if (isFolded) throw new RequestRefused(400, `${name} is in another letter case`);
    if (REPLACING.has(operation) && !Object.hasOwn(members, name)) return Buffer.from(JSON.stringify(whole));
    const inner: Members = Object.assign(Object.create(null), membersOf(members[name] ?? {}));
    members[name] = inner;
    members = inner;
  }
  for (const one of Object.keys(members)) if (folded(one) === folded(key)) delete members[one];
  members[key] = username;
  return Buffer.from(JSON.stringify(whole));
}

function membersOf(value: unknown): Members {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Members;
  throw new RequestRefused(400, "expected an object");
}

/** As Go compares names: also the long s and the sign of Kelvin are letters of another case. */
function folded(name: string): string {
  return name.toUpperCase().toLowerCase();
}
