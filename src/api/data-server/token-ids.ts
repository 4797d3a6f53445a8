/** One-time tokens (authorization-api.md §7, operation 31). */

import type { Directory } from "../../directory/directory.ts";
import { BodyFields } from "../rest/body-fields.ts";
import { created } from "../rest/operation.ts";
import { type Operation, writeOperation } from "./operation.ts";
import type { CallAudit } from "./write-audit.ts";

/** The operation: 201 for the first claim of an id, 400 for every other as long as the token lives. */
export function tokenIdOperations(directory: Directory, audit: CallAudit): readonly Operation[] {
  return [
    writeOperation(
      "claimTokenId",
      "POST",
      "/auth/tokenid/claim",
      async (call) => {
        const fields = new BodyFields(call.body);
        const id = fields.text("token_id");
        const expires_at = fields.number("expires_at");
        fields.finish();
        await directory.tokenClaims.claim(id, expires_at);
        audit.wrote(call, "claimTokenId", { claimed: id, expires_at });
        return created();
      },
      true,
    ),
  ];
}
