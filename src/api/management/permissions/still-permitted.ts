/** Whether the caller of a stream may go on reading it: rights end while it is open. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { RequiredLeaf } from "@svc-authorizer/policy/model/decision.ts";
import type { UserCall } from "../call.ts";
import type { ManagementParts } from "../declaration.ts";
import { authenticate, proofOf } from "../login/proof.ts";
import { requirePermission } from "./permissions.ts";

/** Asks again for what a stream was opened with. */
export interface StillPermitted {
  /** True if the proof of the caller holds still, and the permission too. Rejects where nobody can tell. */
  ask(): Promise<boolean>;
  /** Ends listening to changes of the directory. */
  close(): void;
}

/** The right of a caller to a stream. The permission is decided again after each change of the directory. */
export function stillPermitted(
  parts: ManagementParts,
  call: UserCall,
  permission: RequiredLeaf,
): StillPermitted {
  const { directory, identities } = parts;
  const { identity, sourceIp } = call.caller;
  let isChanged = false;
  const stop = directory.onChange(() => {
    isChanged = true;
  });
  return {
    async ask() {
      try {
        const proof = proofOf(call.request);
        if (proof === undefined) return false;
        const again = await authenticate(identities, proof, sourceIp);
        if (again.userId !== identity.userId) return false;
        if (!isChanged && directory.tellsEveryChange()) return true;
        isChanged = false;
        const fields = new Map<string, string>();
        await requirePermission(parts, { id: "", permission, values: new Map(), fields }, call);
        return true;
      } catch (error) {
        const isRefusal =
          error instanceof AuthorizerError &&
          (error.code === "unauthenticated" || error.code === "not_allowed");
        if (isRefusal) return false;
        throw error;
      }
    },
    close: stop,
  };
}
