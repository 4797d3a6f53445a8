/** Reading ahead, once a service answers. */

import { messageOf } from "@svc-authorizer/policy/errors.ts";
import type { ServiceParts } from "./parts.ts";

/**
 * Begins to read groups and policies ahead; ends with the decisions. Without it the first questions take longer, and nothing
 * else.
 */
export function readAhead({ decisions, data }: Pick<ServiceParts, "decisions" | "data">): void {
  decisions.readAhead().catch((error: unknown) => {
    const reason = messageOf(error);
    data.logger.warn("nothing more can be read ahead: first questions about users take longer", {
      reason,
    });
  });
}
