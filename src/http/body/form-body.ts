/** Bodies of HTML forms (`application/x-www-form-urlencoded`). */

import type { HttpLimits } from "../limits.ts";
import { Query } from "../request/query.ts";
import type { RouteBody } from "../route.ts";

/**
 * The body of a form that anybody may send, as a {@link Query}.
 * @param maxBytes largest body
 */
export function formBody(
  maxBytes: number,
  { anonymousBodyTimeoutMs }: Pick<HttpLimits, "anonymousBodyTimeoutMs">,
): RouteBody {
  return {
    format: "form",
    maxBytes,
    arrivesWithinMs: anonymousBodyTimeoutMs,
    parse: (bytes) => new Query(bytes.toString("latin1")),
  };
}
