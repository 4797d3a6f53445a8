/** One-time tokens (spec/authorization-api §7, operation 31). */

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
    names: ({ body }) => claimOf(body),
    handler:
      ({ directory, audit }) =>
      async (call) => {
        const { claimed, expires_at } = claimOf(call.body);
        await directory.tokenClaims.claim(claimed, expires_at);
        audit.wrote(call, "claimTokenId", { claimed, expires_at });
        return created();
      },
  },
];

/** The claim in a body whose shape was validated, in the words of the audit log. */
function claimOf(body: unknown) {
  const { token_id: claimed, expires_at } = body as { token_id: string; expires_at: number };
  return { claimed, expires_at };
}
