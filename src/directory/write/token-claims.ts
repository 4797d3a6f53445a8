/** One-time tokens: a claim is atomic and kept until the token has expired. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { isPossibleName, tokenIdProblem } from "@svc-authorizer/policy/model/names.ts";
import { assertNoProblems, dateProblem, Problems } from "../checks.ts";
import { type DirectoryContext, read } from "../context.ts";
import type { TokenClaims } from "../directory.ts";
import { claimIn } from "./claim-in.ts";

/** Characters. */
const LONGEST_SAID = 2_048;

/** The use cases on token claims of a directory. */
export function createTokenClaims(context: DirectoryContext): TokenClaims {
  const { writer, now } = context;
  return {
    said: (tokenId) =>
      read(context, async (reader) => {
        const record = isPossibleName(tokenId) ? await reader.get("claim", tokenId) : undefined;
        return record === undefined || record.expires_at <= now() ? undefined : record.said;
      }),

    async claim(tokenId, expiresAt, said) {
      const problems = new Problems();
      problems.add("/token_id", tokenIdProblem(tokenId));
      problems.add("/expires_at", dateProblem(expiresAt));
      if (said !== undefined && said.length > LONGEST_SAID) problems.add("/said", "is too long");
      assertNoProblems(problems.list);
      // A claim of an expired token could not be remembered, so the token could be used twice.
      if (expiresAt <= now()) throw new AuthorizerError("invalid_request", "the token has expired");
      await writer.write(async (tx) => {
        if (await claimIn(tx, { tokenId, expiresAt }, said)) return;
        throw new AuthorizerError("invalid_request", "the token has been claimed already");
      });
      context.wakeMaintenance();
    },
  };
}
