/** Reading ahead, once a service answers. */

import { messageOf } from "@svc-authorizer/policy/errors.ts";
import type { ServiceParts } from "./parts.ts";

/** Begins to read groups ahead; ends with the decisions. Without it the first questions take longer, and nothing else. */
export function readAhead({ decisions, data }: Pick<ServiceParts, "decisions" | "data">): void {
  decisions.readGroupsAhead().catch((error: unknown) => {
    const reason = messageOf(error);
    data.logger.warn("groups cannot be read ahead: first questions about their members take longer", {
      reason,
    });
  });
}
