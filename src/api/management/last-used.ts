/** Last use in lists of the management API (spec/decision-log §5.1): `last_used=true` adds it to each item. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { Parameter } from "../../http/openapi/openapi-types.ts";
import type { Query } from "../../http/request/query.ts";
import { isTrue } from "../rest/query-fields.ts";

/** Use of one thing, summed over all nodes. */
interface Use {
  readonly count: number;
  /** Unix milliseconds. */
  readonly last: number;
}

/** Port: what was used; `decision-log` implements it. */
export interface UseAnswers {
  /** Returns the use of things with these names; what was never used is absent. */
  of(kind: "user" | "key" | "group", names: readonly string[]): Promise<ReadonlyMap<string, Use>>;
  /** Unix milliseconds since when all use is known; undefined where none is. */
  countedSince(): number | undefined;
  /** Sentences about the use that is not known at present, such as that of nodes that cannot be heard. */
  doubts(): readonly string[];
}

/** The parameter. */
export const LAST_USED: Parameter = {
  name: "last_used",
  in: "query",
  description: "Also say when each was used last.",
  schema: { type: "boolean", default: false },
};

const MS_PER_SECOND = 1_000;

/** Adds last use to bodies, in one question for all. */
type AddUse = (bodies: readonly unknown[]) => Promise<readonly unknown[]>;

/**
 * Returns what adds last use to bodies with a `creation_date`; undefined if the query does not ask for it. Use before
 * the creation is that of an earlier thing of the same name.
 * @param name the field with the name
 * @throws AuthorizerError "invalid_request" where use is not counted
 */
export function addsLastUse(
  query: Query,
  usage: UseAnswers | undefined,
  kind: "user" | "key",
  name: string,
): AddUse | undefined {
  if (!isTrue(query, LAST_USED.name)) return undefined;
  if (usage === undefined) {
    const message = "last_used: use is not counted (authorizer.usage.interval is 0s)";
    throw new AuthorizerError("invalid_request", message);
  }
  return async (items) => {
    const bodies = items as readonly Readonly<Record<string, unknown>>[];
    const found = await usage.of(
      kind,
      bodies.map((body) => String(body[name])),
    );
    const now = Date.now();
    // Where some use is not known at present, none is known to be missing.
    const since = usage.doubts().length === 0 ? (usage.countedSince() ?? now) : now;
    const counted = Math.floor(since / MS_PER_SECOND);
    return bodies.map((body) => {
      const created = Number(body["creation_date"]);
      const used = found.get(String(body[name]));
      // Whoever sees no use has to know whether it would have been counted.
      const uses_since = Math.max(counted, created);
      if (used === undefined) return { ...body, uses: 0, uses_since };
      const last_used = Math.floor(used.last / MS_PER_SECOND);
      if (last_used < created) return { ...body, uses: 0, uses_since };
      return { ...body, last_used, uses: used.count, uses_since };
    });
  };
}
