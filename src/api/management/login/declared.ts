/** Parts of declarations that operations on sessions share. */

import { EXAMPLE_TIME } from "../../rest/declared.ts";
import { answerWith } from "../../rest/operation-kinds.ts";

/** Of all of them. */
export const SESSION = { tag: "sessions", priority: "bulk" } as const;

/** A login token. */
export const TOKEN_ANSWER = answerWith(200, "LoginToken", {
  token: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl",
  token_expiration: EXAMPLE_TIME,
});
