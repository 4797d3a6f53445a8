/** One-time tokens (authorization-api.md §7, operation 31). */

import { BASE_PATH, created } from "../rest/operation.ts";
import { CREATE } from "../rest/operation-kinds.ts";
import { bodyOf, type DataServerDeclaration } from "./declaration.ts";

/** The operation: 201 for the first claim of an id, 400 for every other as long as the token lives. */
export const TOKEN_ID_OPERATIONS: readonly DataServerDeclaration[] = [
  {
    ...CREATE,
    scope: "write",
    tag: "tokens",
    id: "claimTokenId",
    path: `${BASE_PATH}/auth/tokenid/claim`,
    summary: "Claim the id of a one-time token",
    description: "A second claim of the same id is 400.",
    body: bodyOf("ClaimTokenId", { token_id: "5f0c1a2e", expires_at: 1_795_278_420 }),
    answer: { status: 201, description: "Done." },
    errors: [],
    handler:
      ({ directory, audit }) =>
      async (call) => {
        const { token_id: id, expires_at } = call.body as { token_id: string; expires_at: number };
        await directory.tokenClaims.claim(id, expires_at);
        audit.wrote(call, "claimTokenId", { claimed: id, expires_at });
        return created();
      },
  },
];
