/** One-time tokens: a claim is atomic and kept until the token has expired. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { tokenIdProblem } from "@svc-authorizer/policy/model/names.ts";
import { assertNoProblems, dateProblem, Problems } from "../checks.ts";
import type { DirectoryContext } from "../context.ts";
import type { TokenClaims } from "../directory.ts";
import { EMPTY, expiryKey } from "../records/layout.ts";

/** The use cases on token claims of a directory. */
export function createTokenClaims(context: DirectoryContext): TokenClaims {
  const { writer, now } = context;
  return {
    async claim(tokenId, expiresAt) {
      const problems = new Problems();
      problems.add("/token_id", tokenIdProblem(tokenId));
      problems.add("/expires_at", dateProblem(expiresAt));
      assertNoProblems(problems.list);
      // A claim of an expired token could not be remembered, so the token could be used twice.
      if (expiresAt <= now()) throw new AuthorizerError("invalid_request", "the token has expired");
      await writer.write(async (tx) => {
        const before = await tx.get("claim", tokenId);
        if (before !== undefined) {
          throw new AuthorizerError("invalid_request", "the token has been claimed already");
        }
        tx.put("claim", tokenId, { expires_at: expiresAt });
        tx.put("claim_expiry", expiryKey(expiresAt, tokenId), EMPTY);
      });
      context.wakeMaintenance();
    },
  };
}
